/**
 * The program of the init container where the archive has to be fetched first. Python with nothing but its standard library, which the images of
 * nearly all frameworks have: signatures of S3 and the tokens of registries are more than a shell can do with the tools of any image.
 *
 * Who it is: first what the job's Secret says (files named like the variables of the cloud's own tools, or `.dockerconfigjson`), then the variables
 * that a cloud's webhook gives to pods, then the metadata server of Google's clouds, else nobody, which is enough for public archives.
 */
import { FETCH_SOURCES } from './fetch-sources';

/** Run as `python3 code.py URL DIGEST FOLDER [CREDENTIALS]`. */
export const FETCH_SCRIPT = String.raw`# Fetches an archive, checks it against its digest and unpacks it: python3 code.py URL DIGEST FOLDER [CREDENTIALS]
import base64
import hashlib
import hmac
import http.client
import json
import os
import re
import sys
import tarfile
import time
import urllib.error
import urllib.parse
import urllib.request

ATTEMPTS = 5
PASSING = (408, 425, 429, 500, 502, 503, 504)
EMPTY = hashlib.sha256(b'').hexdigest()

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


def json_of(address, headers=None, timeout=60, data=None):
    with get(address, headers, timeout, data) as response:
        return json.loads(response.read().decode('utf-8'))
${FETCH_SOURCES}

def download(address, headers, file):
    """Writes what an address has into a file, and says its digest."""
    digest = hashlib.sha256()
    size = 0
    file.seek(0)
    file.truncate()
    with get(address, headers) as response:
        expected = response.headers.get('Content-Length')
        while True:
            chunk = response.read(1 << 20)
            if not chunk:
                break
            digest.update(chunk)
            size += len(chunk)
            file.write(chunk)
    if expected is not None and int(expected) != size:
        raise OSError('the connection ended after %d of %s bytes' % (size, expected))
    return 'sha256:' + digest.hexdigest()


def unpack(path):
    with tarfile.open(path, 'r:*') as archive:
        # What leads out of the folder is refused where Python can tell.
        if hasattr(tarfile, 'data_filter'):
            archive.extractall(FOLDER, filter='data')
        else:
            archive.extractall(FOLDER)


def words_of(text):
    """The message of an error document. The rest of it can hold keys and signatures."""
    found = re.search(r'<Message>([^<]*)</Message>|"message"\s*:\s*"([^"]*)"', text)
    return (found.group(1) or found.group(2) or '')[:300] if found else ''


def main():
    os.makedirs(FOLDER, exist_ok=True)
    path = os.path.join(FOLDER, '.trainyard-code.tar.gz')
    shown = URL.split('?')[0]
    try:
        with open(path, 'wb') as file:
            found = retried(lambda: download(*SOURCES[URL.split('://')[0]](), file=file))
        if found != DIGEST:
            fail('%s has the digest %s, and the job asks for %s: it is another archive, or it was changed' % (shown, found, DIGEST))
        unpack(path)
    except urllib.error.HTTPError as error:
        words = words_of(error.read(65536).decode('utf-8', 'replace'))
        hints = {
            401: '. It wants to know who asks: give spec.code.secretName, or an identity to the pod',
            403: '. Whoever the pod is, it may not read the archive, or there is none: look at spec.code.secretName, or at the identity of its service account, '
                 'and run trainyard push',
            404: '. The archive is not there: run trainyard push',
        }
        server = urllib.parse.urlsplit(error.geturl() or URL).netloc
        fail('%s: %s answers with status %d%s%s' % (shown, server, error.code, words and ' (%s)' % words, hints.get(error.code, '')))
    except tarfile.TarError as error:
        fail('the archive cannot be unpacked into %s: %s' % (FOLDER, error))
    except (OSError, http.client.HTTPException) as error:
        fail('%s cannot be fetched: %s' % (shown, error))
    finally:
        if os.path.exists(path):
            os.remove(path)
    print('code: %s is in %s' % (DIGEST, FOLDER))


main()
`;
