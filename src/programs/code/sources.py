# Stores and registries: each gives the address of an archive, and the headers to ask with.
import base64
import hashlib
import http.client
import json
import os
import re
import urllib.error
import urllib.parse

from ..cloud.aws import credentials_of, signed
from ..cloud.google import own_token
from .transport import CREDENTIALS, DIGEST, URL, fail, get, json_of, setting

EMPTY = hashlib.sha256(b'').hexdigest()


def s3_source():
    parts = urllib.parse.urlsplit(URL)
    query = dict(urllib.parse.parse_qsl(parts.query))
    bucket, path = parts.netloc, urllib.parse.quote(parts.path, safe='/-_.~')
    region = query.get('region') or setting('AWS_REGION', 'AWS_DEFAULT_REGION') or 'us-east-1'
    endpoint = query.get('endpoint') or setting('AWS_ENDPOINT_URL_S3', 'AWS_ENDPOINT_URL')
    if endpoint:
        address = '%s/%s%s' % (endpoint.rstrip('/'), bucket, path)
    elif '.' in bucket:
        # Amazon's certificate does not hold for them as names of hosts.
        address = 'https://s3.%s.amazonaws.com/%s%s' % (region, bucket, path)
    else:
        address = 'https://%s.s3.%s.amazonaws.com%s' % (bucket, region, path)
    found = credentials_of(region, 'trainyard-code', setting, json_of)
    return address, signed('GET', address, {'x-amz-content-sha256': EMPTY}, EMPTY, (region, 's3'), found) if found else {}


def google_token():
    """A token of the Secret, or of the pod's own identity; nothing outside of Google's clouds."""
    token = setting('GOOGLE_OAUTH_ACCESS_TOKEN')
    if token:
        return token
    try:
        return own_token(lambda url, headers, data: json_of(url, headers, data, 5))[0]
    except (OSError, http.client.HTTPException, ValueError, KeyError):
        return None


def gs_source():
    bucket, _, name = URL[len('gs://'):].partition('/')
    endpoint = (os.environ.get('STORAGE_EMULATOR_HOST') or 'https://storage.googleapis.com').rstrip('/')
    token = google_token()
    return '%s/%s/%s' % (endpoint, bucket, urllib.parse.quote(name, safe='/-_.~')), {'Authorization': 'Bearer ' + token} if token else {}


def basic(user, password):
    return 'Basic ' + base64.b64encode(('%s:%s' % (user, password)).encode('utf-8')).decode('ascii')


def https_source():
    if setting('AUTHORIZATION'):
        return URL, {'Authorization': setting('AUTHORIZATION')}
    if CREDENTIALS and setting('USERNAME'):
        return URL, {'Authorization': basic(setting('USERNAME'), setting('PASSWORD') or '')}
    return URL, {}


def registry_login(host):
    """What the docker configuration of the Secret says of a registry; Google's own registries take the pod's identity too."""
    text = CREDENTIALS and setting('.dockerconfigjson', 'config.json')
    for server, entry in (json.loads(text).get('auths', {}) if text else {}).items():
        name = re.sub(r'^https?://', '', server).split('/')[0]
        if name == host or (host == 'docker.io' and name.endswith('docker.io')):
            return base64.b64decode(entry['auth']).decode('utf-8') if entry.get('auth') else '%s:%s' % (entry.get('username', ''), entry.get('password', ''))
    token = google_token() if re.search(r'(^|\.)(pkg\.dev|gcr\.io)$', host) else None
    return token and 'oauth2accesstoken:' + token


def registry_authorization(challenge, login):
    """The header that answers a registry's question who asks."""
    scheme, _, rest = challenge.partition(' ')
    known = basic(*login.split(':', 1)) if login else None
    if scheme.lower() == 'basic':
        return known
    fields = dict(re.findall(r'(\w+)="([^"]*)"', rest))
    query = urllib.parse.urlencode({name: fields[name] for name in ('service', 'scope') if name in fields})
    realm = fields['realm']
    answer = json_of(realm + ('&' if '?' in realm else '?') + query, {'Authorization': known} if known else {})
    return 'Bearer ' + (answer.get('token') or answer['access_token'])


def oci_source():
    host, _, rest = URL[len('oci://'):].partition('/')
    repository, _, wanted = rest.partition('@')
    local = re.match(r'(localhost|127\.0\.0\.1)(:|$)', host)
    base = '%s://%s/v2/%s' % ('http' if local else 'https', 'registry-1.docker.io' if host == 'docker.io' else host, repository)
    headers = {'Accept': 'application/vnd.oci.image.manifest.v1+json'}
    address = '%s/manifests/%s' % (base, wanted)
    try:
        response = get(address, headers)
    except urllib.error.HTTPError as error:
        challenge = error.headers.get('WWW-Authenticate')
        authorization = registry_authorization(challenge, registry_login(host)) if error.code == 401 and challenge else None
        if authorization is None:
            raise
        headers['Authorization'] = authorization
        response = get(address, headers)
    with response:
        content = response.read()
    found = 'sha256:' + hashlib.sha256(content).hexdigest()
    if found != wanted:
        fail('%s gives a manifest with the digest %s for %s' % (host, found, wanted))
    if DIGEST not in [layer.get('digest') for layer in json.loads(content.decode('utf-8')).get('layers', [])]:
        fail('%s has no layer %s; spec.code.digest and spec.code.url refer to different archives' % (URL, DIGEST))
    return '%s/blobs/%s' % (base, DIGEST), {name: headers[name] for name in headers if name == 'Authorization'}


SOURCES = {'s3': s3_source, 'gs': gs_source, 'https': https_source, 'oci': oci_source}
