import os
import shutil
import ssl
import subprocess
import unittest

from support import Endpoint, ProgressTest


@unittest.skipUnless(shutil.which('openssl'), 'needs openssl')
class Tls(ProgressTest):
    def secured(self, name):
        """An endpoint with a certificate of its own, and the file that a client trusts it by."""
        key, certificate = self.folder / f'{name}.key', self.folder / f'{name}.crt'
        subprocess.run([
            'openssl', 'req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2', '-subj', '/CN=operator',
            '-addext', 'subjectAltName=DNS:localhost', '-keyout', str(key), '-out', str(certificate),
        ], check=True, stderr=subprocess.DEVNULL)
        endpoint = Endpoint()
        self.addCleanup(endpoint.close)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(str(certificate), str(key))
        endpoint.server.socket = context.wrap_socket(endpoint.server.socket, server_side=True)
        self.use(endpoint.url.replace('http://127.0.0.1', 'https://localhost'))
        return endpoint, certificate

    def test_the_authorities_of_the_job_are_trusted_and_read_again_when_they_change(self):
        endpoint, certificate = self.secured('first')
        authorities = self.folder / 'ca.crt'
        shutil.copy(str(certificate), str(authorities))
        os.environ['TRAINYARD_PROGRESS_CA_FILE'] = str(authorities)
        self.assertTrue(self.progress.checkpoint('/c/1', wait=30))
        self.assertTrue(self.progress.checkpoint('/c/2', wait=30))
        context = self.progress._known_context
        self.progress.checkpoint('/c/3', wait=30)
        self.assertIs(self.progress._known_context, context)
        self.assertEqual(len(endpoint.checkpoints), 3)
        other, renewed = self.secured('second')
        authorities.unlink()
        shutil.copy(str(renewed), str(authorities))
        self.assertTrue(self.progress.checkpoint('/c/4', wait=30))
        self.assertEqual(len(other.checkpoints), 1)
        self.assertEqual(self.warnings, [])

    def test_another_certificate_gets_no_token(self):
        endpoint, _ = self.secured('first')
        _, other = self.secured('second')
        self.use(endpoint.url.replace('http://127.0.0.1', 'https://localhost'))
        os.environ['TRAINYARD_PROGRESS_CA_FILE'] = str(other)
        self.assertFalse(self.progress.checkpoint('/c', wait=0.5))
        self.assertEqual(endpoint.requests, [])
        self.assertEqual(len(self.warnings), 1)
