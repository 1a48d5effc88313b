# How the fetching program speaks with servers, and where its settings are.
import http.client
import json
import os
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

ATTEMPTS = 5
PASSING = (408, 425, 429, 500, 502, 503, 504)

URL, DIGEST, FOLDER = sys.argv[1:4]
CREDENTIALS = sys.argv[4] if len(sys.argv) > 4 else None


def fail(message):
    print('code: ' + message, file=sys.stderr)
    sys.exit(1)


def setting(*names):
    """The first of some settings that is there: as a file of the Secret, else as a variable."""
    for name in names:
        path = os.path.join(CREDENTIALS or '', name)
        if CREDENTIALS and os.path.isfile(path):
            with open(path) as file:
                return file.read().strip()
    for name in names:
        if os.environ.get(name):
            return os.environ[name]
    return None


class Redirects(urllib.request.HTTPRedirectHandler):
    """Goes where a server points to, and takes no credentials along to another one: stores refuse them, and nobody else is meant to have them."""

    def redirect_request(self, request, fp, code, msg, headers, newurl):
        old, new = urllib.parse.urlsplit(request.full_url), urllib.parse.urlsplit(newurl)
        if old.scheme == 'https' and new.scheme != 'https':
            fail('%s sends to %s://%s, which is not encrypted' % (old.netloc, new.scheme, new.netloc))
        follow = urllib.request.HTTPRedirectHandler.redirect_request(self, request, fp, code, msg, headers, newurl)
        if follow is not None and (old.scheme, old.netloc) != (new.scheme, new.netloc):
            follow.headers = {}
        return follow


OPENER = urllib.request.build_opener(Redirects)


def get(address, headers=None, timeout=60, data=None):
    return OPENER.open(urllib.request.Request(address, headers=headers or {}, data=data), timeout=timeout)


def retried(action):
    """Runs an action again where its failure may pass."""
    for attempt in range(1, ATTEMPTS + 1):
        try:
            return action()
        except urllib.error.HTTPError as error:
            if error.code not in PASSING or attempt == ATTEMPTS:
                raise
            reason = 'status %d' % error.code
        except (OSError, http.client.HTTPException) as error:
            if attempt == ATTEMPTS:
                raise
            reason = str(error)
        print('code: %s; trying again' % reason, file=sys.stderr)
        time.sleep(2 ** (attempt - 1))


def json_of(address, headers=None, data=None, timeout=60):
    with get(address, headers, timeout, data) as response:
        return json.loads(response.read().decode('utf-8'))
