# Google's clouds: who the pod is to them.
import os


def own_token(ask):
    """The access token of the pod's own identity, and for how many seconds it is good. ask(url, headers, data) gives the JSON of an answer."""
    host = os.environ.get('GCE_METADATA_HOST') or 'metadata.google.internal'
    found = ask('http://%s/computeMetadata/v1/instance/service-accounts/default/token' % host, {'Metadata-Flavor': 'Google'}, None)
    return found['access_token'], found.get('expires_in', 0)
