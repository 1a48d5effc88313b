import contextlib
import io
import json
import os
import tempfile
import threading
import unittest
import urllib.error
import urllib.request
from unittest import mock

from programs.platform import profile_store

# As the controller of Kubeflow Pipelines 2.16: a module of functions, and a handler that is made in one of them.
CONTROLLER = '''
import json
import os
from http.server import BaseHTTPRequestHandler, HTTPServer


def get_settings_from_env():
    return {'names': os.environ['NAMES'].split()}


def server_factory(names):
    class Controller(BaseHTTPRequestHandler):
        def sync(self, parent, attachments):
            if parent['metadata'].get('labels') is None:
                return {'status': {}, 'attachments': []}
            maps = [{'kind': 'ConfigMap', 'metadata': {'name': name}, 'data': {'kept': 'a', 'defaultPipelineRoot': 'minio://'}} for name in names]
            return {'status': {'ready': 'True'}, 'attachments': [*maps, {'kind': 'Secret', 'metadata': {'name': 'kfp-launcher'}}]}

        def do_POST(self):
            body = json.loads(self.rfile.read(int(self.headers['content-length'])))
            answer = json.dumps(self.sync(body['object'], body['attachments'])).encode()
            self.send_response(200)
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_):
            pass
    return HTTPServer(('127.0.0.1', 0), Controller)
'''

DATA = {'kfp-launcher': {'defaultPipelineRoot': 'gs://b/<namespace>/v2'}, 'artifact-repositories': {'default-namespaced': '{"gcs": {"bucket": "b"}}'}}


class Profiles(unittest.TestCase):
    def synced(self, parent, names='kfp-launcher metadata artifact-repositories'):
        """What the controller answers."""
        with tempfile.TemporaryDirectory() as folder:
            code = os.path.join(folder, 'sync.py')
            with open(code, 'w') as file:
                file.write(CONTROLLER)
            found = []

            def serve(server):
                found.append(server)
                thread = threading.Thread(target=server.handle_request)
                thread.start()
                host, port = server.server_address
                body = json.dumps({'object': parent, 'attachments': {}}).encode()
                try:
                    with urllib.request.urlopen('http://%s:%d/sync' % (host, port), body, timeout=30) as answer:
                        found.append(json.load(answer))
                finally:
                    thread.join()
                    server.server_close()
            variables = {'TRAINYARD_PROFILE_DATA': json.dumps(DATA), 'NAMES': names}
            with mock.patch.object(profile_store, 'CODE', code), mock.patch.dict(os.environ, variables):
                with mock.patch('socketserver.BaseServer.serve_forever', serve), contextlib.redirect_stderr(io.StringIO()):
                    profile_store.main()
        return found[1]

    def test_profiles_have_the_store_of_the_platform(self):
        answer = self.synced({'metadata': {'name': 'team-a', 'labels': {}}})
        self.assertEqual(answer['status'], {'ready': 'True'})
        self.assertEqual(answer['attachments'], [
            {'kind': 'ConfigMap', 'metadata': {'name': 'kfp-launcher'}, 'data': {'kept': 'a', 'defaultPipelineRoot': 'gs://b/team-a/v2'}},
            {'kind': 'ConfigMap', 'metadata': {'name': 'metadata'}, 'data': {'kept': 'a', 'defaultPipelineRoot': 'minio://'}},
            {'kind': 'ConfigMap', 'metadata': {'name': 'artifact-repositories'}, 'data': {
                'kept': 'a', 'defaultPipelineRoot': 'minio://', 'default-namespaced': '{"gcs": {"bucket": "b"}}',
            }},
            {'kind': 'Secret', 'metadata': {'name': 'kfp-launcher'}},
        ])

    def test_other_namespaces_have_nothing(self):
        self.assertEqual(self.synced({'metadata': {'name': 'other'}}), {'status': {}, 'attachments': []})

    def test_a_controller_that_writes_other_objects_does_not_go_on_in_silence(self):
        with self.assertRaises((urllib.error.URLError, ConnectionError)):
            self.synced({'metadata': {'name': 'team-a', 'labels': {}}}, 'kfp-launcher')
        with mock.patch.dict(os.environ, {'TRAINYARD_PROFILE_DATA': json.dumps(DATA)}):
            with self.assertRaisesRegex(LookupError, 'no ConfigMap kfp-launcher, artifact-repositories'):
                profile_store.with_data([], 'team-a')
