import hashlib
import os
import tempfile
import unittest
from unittest import mock

from programs.cloud.aws import credentials_of, signed

EMPTY = hashlib.sha256(b'').hexdigest()
KEYS = {'key': 'AKIDEXAMPLE', 'secret': 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY'}
MOMENT = 1440938160  # 2015-08-30T12:36:00Z


def nothing(_name):
    return None


class Signatures(unittest.TestCase):
    def test_amazons_own_example(self):
        headers = signed('GET', 'https://example.amazonaws.com/', {}, EMPTY, ('us-east-1', 'service'), KEYS, MOMENT)
        self.assertEqual(headers, {
            'x-amz-date': '20150830T123600Z',
            'Authorization': 'AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=host;x-amz-date, '
                             'Signature=5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31',
        })

    def test_a_path_is_the_root_where_there_is_none(self):
        with_path, without = (signed('GET', url, {}, EMPTY, ('r', 's'), KEYS, MOMENT) for url in ('https://a.example/', 'https://a.example'))
        self.assertEqual(with_path, without)

    def test_headers_are_covered_whatever_their_case_and_a_token_is_one(self):
        headers = signed('POST', 'https://a.example/', {'X-Amz-Target': 'T', 'Content-Type': 'c'}, EMPTY, ('r', 's'), {**KEYS, 'token': 'T0'}, MOMENT)
        self.assertEqual(headers['x-amz-security-token'], 'T0')
        self.assertIn('SignedHeaders=content-type;host;x-amz-date;x-amz-security-token;x-amz-target,', headers['Authorization'])

    def test_body_and_query_change_a_signature(self):
        made = {signed('GET', url, {}, digest, ('r', 's'), KEYS, MOMENT)['Authorization']
                for url in ('https://a.example/', 'https://a.example/?a=1') for digest in (EMPTY, hashlib.sha256(b'a').hexdigest())}
        self.assertEqual(len(made), 4)


class Credentials(unittest.TestCase):
    def setUp(self):
        self.asked = []
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.token = os.path.join(self.folder.name, 'token')
        with open(self.token, 'w') as file:
            file.write('jwt\n')

    def found(self, environ, answer=None, setting=nothing):
        def ask(url, headers, data):
            self.asked.append((url, headers, data))
            return answer
        with mock.patch.dict(os.environ, environ, clear=True):
            return credentials_of('eu-north-1', 'session', setting, ask)

    def test_nobody_without_a_name(self):
        self.assertIsNone(self.found({}))
        self.assertEqual(self.asked, [])

    def test_settings_come_first(self):
        settings = {'AWS_ACCESS_KEY_ID': 'K', 'AWS_SECRET_ACCESS_KEY': 'S'}
        self.assertEqual(self.found({'AWS_WEB_IDENTITY_TOKEN_FILE': self.token}, None, settings.get), {'key': 'K', 'secret': 'S', 'token': None})
        self.assertEqual(self.asked, [])

    def test_a_role_for_the_service_account(self):
        answer = {'AssumeRoleWithWebIdentityResponse': {'AssumeRoleWithWebIdentityResult': {
            'Credentials': {'AccessKeyId': 'K', 'SecretAccessKey': 'S', 'SessionToken': 'T'}}}}
        found = self.found({'AWS_WEB_IDENTITY_TOKEN_FILE': self.token, 'AWS_ROLE_ARN': 'arn'}, answer)
        self.assertEqual(found, {'key': 'K', 'secret': 'S', 'token': 'T'})
        url, headers, data = self.asked[0]
        self.assertEqual((url, headers['Accept']), ('https://sts.eu-north-1.amazonaws.com/', 'application/json'))
        self.assertIn(b'WebIdentityToken=jwt', data)
        self.assertIn(b'RoleSessionName=session', data)

    def test_pod_identity_with_and_without_a_token(self):
        answer = {'AccessKeyId': 'K', 'SecretAccessKey': 'S', 'Token': 'T'}
        address = {'AWS_CONTAINER_CREDENTIALS_FULL_URI': 'http://169.254.170.23/v1/credentials'}
        self.assertEqual(self.found({**address, 'AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE': self.token}, answer), {'key': 'K', 'secret': 'S', 'token': 'T'})
        self.found(address, answer)
        self.assertEqual([headers for _, headers, _ in self.asked], [{'Authorization': 'jwt'}, {}])
