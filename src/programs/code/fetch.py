# Fetches an archive, checks it against its digest and unpacks it: python3 code.py URL DIGEST FOLDER [CREDENTIALS]
import http.client
import os
import re
import tarfile
import urllib.error
import urllib.parse

from .archive import copied, unpack
from .sources import SOURCES
from .transport import DIGEST, FOLDER, URL, fail, get, retried


def download(address, headers, file):
    """Writes what an address has into a file, and says its digest."""
    file.seek(0)
    file.truncate()
    with get(address, headers) as response:
        expected = response.headers.get('Content-Length')
        digest, size = copied(response, file)
    if expected is not None and int(expected) != size:
        raise OSError('the connection ended after %d of %s bytes' % (size, expected))
    return digest


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
        with open(path, 'rb') as file:
            unpack(file, FOLDER)
    except urllib.error.HTTPError as error:
        words = words_of(error.read(65536).decode('utf-8', 'replace'))
        hints = {
            401: '. It wants to know who asks: give spec.code.secretName, or an identity to the pod',
            403: '. Whoever the pod is, it may not read the archive, or there is none: look at spec.code.secretName, or at the identity of its '
                 'service account, and run trainyard push',
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


if __name__ == '__main__':
    main()
