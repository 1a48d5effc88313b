import os
import unittest
from unittest import mock

from programs.cloud.google import own_token


class Token(unittest.TestCase):
    def test_is_asked_of_the_metadata_server(self):
        def ask(url, headers, data):
            self.assertEqual((headers, data), ({'Metadata-Flavor': 'Google'}, None))
            return {'access_token': url, 'expires_in': 3599}
        path = '/computeMetadata/v1/instance/service-accounts/default/token'
        with mock.patch.dict(os.environ, {}, clear=True):
            self.assertEqual(own_token(ask), ('http://metadata.google.internal' + path, 3599))
        with mock.patch.dict(os.environ, {'GCE_METADATA_HOST': '127.0.0.1:80'}):
            self.assertEqual(own_token(ask)[0], 'http://127.0.0.1:80' + path)
