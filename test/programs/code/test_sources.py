import os
import sys
import tempfile
import unittest
import urllib.request
from unittest import mock

SECRET = tempfile.TemporaryDirectory()
with mock.patch.object(sys, 'argv', ['code.py', 's3://bucket/a b/code.tar.gz', 'sha256:0', '/nowhere', SECRET.name]):
    from programs.code import sources, transport


def tearDownModule():
    SECRET.cleanup()


def secret(**files):
    for name, content in files.items():
        with open(os.path.join(SECRET.name, name), 'w') as file:
            file.write(content)


class Sources(unittest.TestCase):
    def setUp(self):
        environ = mock.patch.dict(os.environ, {}, clear=True)
        environ.start()
        self.addCleanup(environ.stop)
        self.addCleanup(lambda: [os.remove(os.path.join(SECRET.name, name)) for name in os.listdir(SECRET.name)])

    def at(self, url, json_of=None):
        with mock.patch.object(sources, 'URL', url), mock.patch.object(sources, 'json_of', json_of or mock.Mock(side_effect=OSError)):
            return sources.SOURCES[url.split('://')[0]]()

    def test_addresses_of_buckets_of_amazon(self):
        for url, address in [
            ('s3://bucket/a b/code', 'https://bucket.s3.us-east-1.amazonaws.com/a%20b/code'),
            ('s3://b.dots/code?region=eu-west-1', 'https://s3.eu-west-1.amazonaws.com/b.dots/code'),
            ('s3://bucket/code?endpoint=https://minio:9000/', 'https://minio:9000/bucket/code'),
        ]:
            self.assertEqual(self.at(url), (address, {}))

    def test_requests_are_signed_with_the_keys_of_the_secret(self):
        secret(AWS_ACCESS_KEY_ID='K\n', AWS_SECRET_ACCESS_KEY='S')
        os.environ['AWS_ACCESS_KEY_ID'] = 'of the pod'
        _, headers = self.at('s3://bucket/code?region=eu-west-1')
        self.assertRegex(headers['Authorization'], r'^AWS4-HMAC-SHA256 Credential=K/\d{8}/eu-west-1/s3/aws4_request, '
                                                   r'SignedHeaders=host;x-amz-content-sha256;x-amz-date, Signature=[0-9a-f]{64}$')

    def test_buckets_of_google_take_the_pods_identity_and_nobody(self):
        self.assertEqual(self.at('gs://bucket/a b'), ('https://storage.googleapis.com/bucket/a%20b', {}))
        self.assertEqual(self.at('gs://bucket/a', lambda *_: {'access_token': 'T'})[1], {'Authorization': 'Bearer T'})

    def test_servers_take_a_header_or_a_user(self):
        secret(USERNAME='u', PASSWORD='p')
        self.assertEqual(self.at('https://a.example/x')[1], {'Authorization': 'Basic dTpw'})
        secret(AUTHORIZATION='Token t')
        self.assertEqual(self.at('https://a.example/x')[1], {'Authorization': 'Token t'})

    def test_registries_are_found_in_a_docker_configuration(self):
        secret(**{'.dockerconfigjson': '{"auths": {"https://index.docker.io/v1/": {"auth": "dTpw"}, "r.example": {"username": "a", "password": "b"}}}'})
        self.assertEqual(sources.registry_login('docker.io'), 'u:p')
        self.assertEqual(sources.registry_login('r.example'), 'a:b')
        self.assertIsNone(sources.registry_login('other.example'))

    def test_a_registry_that_asks_gets_an_answer(self):
        self.assertEqual(sources.registry_authorization('Basic realm="x"', 'u:p'), 'Basic dTpw')
        with mock.patch.object(sources, 'json_of', lambda address, headers: {'token': address + str(headers)}):
            self.assertEqual(sources.registry_authorization('Bearer realm="https://a/t",service="s",scope="q"', None), 'Bearer https://a/t?service=s&scope=q{}')


class Transport(unittest.TestCase):
    def redirected(self, old, new):
        request = urllib.request.Request(old, headers={'Authorization': 'secret'})
        return transport.Redirects().redirect_request(request, None, 302, 'Found', {}, new)

    def test_credentials_do_not_go_along_to_another_server(self):
        self.assertEqual(self.redirected('https://a.example/x', 'https://b.example/y').headers, {})
        self.assertEqual(self.redirected('https://a.example/x', 'https://a.example/y').headers, {'Authorization': 'secret'})

    def test_an_encrypted_connection_is_never_given_up(self):
        with self.assertRaises(SystemExit):
            self.redirected('https://a.example/x', 'http://a.example/x')

    def test_what_may_pass_is_tried_again(self):
        action = mock.Mock(side_effect=[OSError('gone'), OSError('gone'), 'here'])
        with mock.patch('time.sleep') as sleep:
            self.assertEqual(transport.retried(action), 'here')
        self.assertEqual([call.args[0] for call in sleep.call_args_list], [1, 2])
