# Amazon's services: who the pod is to them, and how its requests are signed.
import hashlib
import hmac
import os
import time
import urllib.parse


def signed(method, url, headers, digest, scope, credentials, moment=None):
    """Headers with a signature of version 4. digest: SHA-256 of the body; scope: region and service; moment: seconds since 1970."""
    parts = urllib.parse.urlsplit(url)
    stamp = time.strftime('%Y%m%dT%H%M%SZ', time.gmtime(moment))
    headers = {**headers, 'x-amz-date': stamp}
    if credentials.get('token'):
        headers['x-amz-security-token'] = credentials['token']
    covered = {name.lower(): value.strip() for name, value in {**headers, 'host': parts.netloc}.items()}
    names = sorted(covered)
    request = '\n'.join([method, parts.path or '/', parts.query, *['%s:%s' % (name, covered[name]) for name in names], '', ';'.join(names), digest])
    place = '/'.join([stamp[:8], *scope, 'aws4_request'])
    key = ('AWS4' + credentials['secret']).encode()
    for part in place.split('/'):
        key = hmac.new(key, part.encode(), hashlib.sha256).digest()
    text = '\n'.join(['AWS4-HMAC-SHA256', stamp, place, hashlib.sha256(request.encode()).hexdigest()])
    signature = hmac.new(key, text.encode(), hashlib.sha256).hexdigest()
    headers['Authorization'] = 'AWS4-HMAC-SHA256 Credential=%s/%s, SignedHeaders=%s, Signature=%s' % (credentials['key'], place, ';'.join(names), signature)
    return headers


def credentials_of(region, session, setting, ask):
    """
    Key, secret and token: of settings, of a role for the service account (IRSA), or of EKS Pod Identity; None where there is none of them.
    setting(name) gives a setting or None, ask(url, headers, data) the JSON of an answer.
    """
    if setting('AWS_ACCESS_KEY_ID'):
        return {'key': setting('AWS_ACCESS_KEY_ID'), 'secret': setting('AWS_SECRET_ACCESS_KEY') or '', 'token': setting('AWS_SESSION_TOKEN')}
    env = os.environ
    if env.get('AWS_WEB_IDENTITY_TOKEN_FILE'):
        form = urllib.parse.urlencode({
            'Action': 'AssumeRoleWithWebIdentity', 'Version': '2011-06-15', 'RoleArn': env.get('AWS_ROLE_ARN', ''),
            'RoleSessionName': session, 'WebIdentityToken': content_of(env['AWS_WEB_IDENTITY_TOKEN_FILE']),
        })
        endpoint = (env.get('AWS_ENDPOINT_URL_STS') or 'https://sts.%s.amazonaws.com' % region).rstrip('/') + '/'
        answer = ask(endpoint, {'Accept': 'application/json', 'Content-Type': 'application/x-www-form-urlencoded'}, form.encode())
        found = answer['AssumeRoleWithWebIdentityResponse']['AssumeRoleWithWebIdentityResult']['Credentials']
        return {'key': found['AccessKeyId'], 'secret': found['SecretAccessKey'], 'token': found['SessionToken']}
    if env.get('AWS_CONTAINER_CREDENTIALS_FULL_URI'):
        token = env.get('AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE')
        found = ask(env['AWS_CONTAINER_CREDENTIALS_FULL_URI'], {'Authorization': content_of(token)} if token else {}, None)
        return {'key': found['AccessKeyId'], 'secret': found['SecretAccessKey'], 'token': found.get('Token')}
    return None


def content_of(path):
    with open(path) as file:
        return file.read().strip()
