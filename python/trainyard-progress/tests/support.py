"""An endpoint on loopback that records what arrives, and a package of which each test gets a state of its own."""
import importlib.util
import itertools
import json
import logging
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SOURCES = pathlib.Path(__file__).resolve().parent.parent / 'src'
VARIABLES = (
    'TRAINYARD_PROGRESS_URL', 'TRAINYARD_PROGRESS_TOKEN_FILE', 'TRAINYARD_PROGRESS_CA_FILE', 'KUBEFLOW_TRAINER_SERVER_URL', 'KUBEFLOW_TRAINER_SERVER_TOKEN',
    'KUBEFLOW_TRAINER_SERVER_CA_CERT', 'RANK', 'OMPI_COMM_WORLD_RANK', 'PMIX_RANK', 'PMI_RANK', 'FLUX_TASK_RANK', 'SLURM_PROCID', 'ROLE', 'JAX_PROCESS_ID',
    'PADDLE_TRAINER_ID', 'DMLC_TASK_ID', 'PET_NODE_RANK', 'JOB_COMPLETION_INDEX', 'RESUME_FROM', 'CHECKPOINT_KEEP_LAST', 'PYTHONPATH', 'WORLD_SIZE',
    'TF_CONFIG',
)
PATH = '/apis/trainer.kubeflow.org/v1alpha1/namespaces/default/trainjobs/job/status'
_numbers = itertools.count()
logging.getLogger('trainyard_progress').addHandler(logging.NullHandler())
logging.getLogger('trainyard_progress').propagate = False


class Endpoint:
    """`answers` are statuses, or (status, headers, body), for the next requests; after them, 200. `gate` holds requests back while it is not set."""

    def __init__(self, port=0):
        self.requests, self.answers, self.gate, self.arrived = [], [], threading.Event(), 0
        self.gate.set()
        endpoint = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers['Content-Length']))
                endpoint.arrived += 1
                endpoint.gate.wait(60)
                answer = endpoint.answers.pop(0) if endpoint.answers else 200
                status, headers, text = answer if isinstance(answer, tuple) else (answer, {}, '{}')
                if status == 200:
                    endpoint.requests.append((self.path, dict(self.headers), json.loads(body.decode())))
                try:
                    self.send_response(status)
                    for name, value in headers.items():
                        self.send_header(name, value)
                    self.send_header('Content-Length', str(len(text)))
                    self.end_headers()
                    self.wfile.write(text.encode())
                except OSError:  # the client has given up
                    pass

            def log_message(self, *_arguments):
                pass

        class Server(ThreadingHTTPServer):
            daemon_threads = True
            allow_reuse_address = True

            def handle_error(self, *_arguments):
                pass

        self.server = Server(('127.0.0.1', port), Handler)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, kwargs={'poll_interval': 0.01}, daemon=True).start()

    @property
    def url(self):
        return f'http://127.0.0.1:{self.port}{PATH}'

    @property
    def bodies(self):
        return [body for _, _, body in self.requests]

    @property
    def reports(self):
        return [body['trainerStatus'] for body in self.bodies if 'trainerStatus' in body]

    @property
    def checkpoints(self):
        return [body['checkpoint'] for body in self.bodies if 'checkpoint' in body]

    def close(self):
        self.gate.set()
        self.server.shutdown()
        self.server.server_close()


class SilentPort:
    """Takes connections and never responds."""

    def __init__(self):
        self.socket = socket.socket()
        self.socket.bind(('127.0.0.1', 0))
        self.socket.listen(128)
        self.url = f'http://127.0.0.1:{self.socket.getsockname()[1]}{PATH}'

    def close(self):
        self.socket.close()


class Records(logging.Handler):
    def __init__(self):
        super().__init__(logging.WARNING)
        self.messages = []

    def emit(self, record):
        self.messages.append(record.getMessage())


class ProgressTest(unittest.TestCase):
    """`self.progress` is the package, with short intervals; `self.warnings` what it has logged."""

    def setUp(self):
        saved = {name: os.environ.pop(name, None) for name in VARIABLES}
        self.addCleanup(lambda: [os.environ.pop(name, None) if value is None else os.environ.update({name: value}) for name, value in saved.items()])
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.token = self.folder / 'token'
        self.token.write_text('the-token\n')
        self.progress = self.load()
        self.progress.INTERVAL = 0.05
        records = Records()
        self.warnings = records.messages
        log = logging.getLogger('trainyard_progress')
        log.addHandler(records)
        self.addCleanup(log.removeHandler, records)

    def load(self):
        """The core of the package with a state of its own."""
        name = f'progress_under_test_{next(_numbers)}'
        spec = importlib.util.spec_from_file_location(name, str(SOURCES / 'trainyard_progress' / '_core.py'))
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module  # for pickles
        spec.loader.exec_module(module)
        self.addCleanup(sys.modules.pop, name)
        self.addCleanup(self.silence, module)
        return module

    @staticmethod
    def silence(module):
        """Its thread would send what is left to the endpoint of the next test."""
        module._deliver = lambda _item: module._Outcome(accepted=False)
        sender = module._sender
        if sender is not None:
            with sender.changed:
                sender.pending = None
                sender.checkpoints.clear()

    def endpoint(self, port=0):
        endpoint = Endpoint(port)
        self.addCleanup(endpoint.close)
        self.use(endpoint.url)
        return endpoint

    def silent(self):
        port = SilentPort()
        self.addCleanup(port.close)
        self.use(port.url)
        return port

    def use(self, url):
        os.environ['TRAINYARD_PROGRESS_URL'] = url
        os.environ['TRAINYARD_PROGRESS_TOKEN_FILE'] = str(self.token)

    def until(self, what, condition):
        deadline = time.monotonic() + 30
        while not condition():
            if time.monotonic() > deadline:
                self.fail(f'never: {what}')
            time.sleep(0.002)

    def run_script(self, script, **environment):
        """A process with the package and the endpoint of this test."""
        return subprocess.run([sys.executable, '-c', script], **self.process_options(environment), timeout=60)

    def process_options(self, environment):
        env = {**os.environ, 'PYTHONPATH': str(SOURCES), **environment}
        return {'env': env, 'stdout': subprocess.PIPE, 'stderr': subprocess.PIPE, 'universal_newlines': True}
