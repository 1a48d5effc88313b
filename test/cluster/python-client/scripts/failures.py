"""A function that fails, a script with its folder, packages of an index, and a launcher."""
import contextlib
import http.server
import json
import os
import tempfile
import threading
import zipfile

import trainyard_client as trainyard
from trainyard_client import JobFailed


def fail(text):
    raise ValueError(text)


def use_package():
    import trainyard_test_wheel
    print(trainyard_test_wheel.WORD)


def launched():
    import os
    print('launched', os.environ['LAUNCHED_BY'])


@contextlib.contextmanager
def index():
    """A package index with one package, on loopback."""
    with tempfile.TemporaryDirectory() as folder:
        package = os.path.join(folder, 'trainyard-test-wheel')
        os.mkdir(package)
        with zipfile.ZipFile(os.path.join(package, 'trainyard_test_wheel-1-py3-none-any.whl'), 'w') as wheel:
            wheel.writestr('trainyard_test_wheel.py', "WORD = 'from a package'\n")
            wheel.writestr('trainyard_test_wheel-1.dist-info/METADATA', 'Metadata-Version: 2.1\nName: trainyard-test-wheel\nVersion: 1\n')
            wheel.writestr('trainyard_test_wheel-1.dist-info/WHEEL', 'Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n')
            wheel.writestr('trainyard_test_wheel-1.dist-info/RECORD', '')

        class Handler(http.server.SimpleHTTPRequestHandler):
            def __init__(self, *args):
                super().__init__(*args, directory=folder)

            def log_message(self, *args):
                pass
        with http.server.ThreadingHTTPServer(('127.0.0.1', 0), Handler) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            yield f'http://127.0.0.1:{server.server_port}'
            server.shutdown()


found = {}
try:
    trainyard.train(fail, {'text': 'loss is NaN'}, name='fails').wait(timeout=120)
except JobFailed as error:
    found['failure'] = str(error)
with tempfile.TemporaryDirectory() as folder:
    os.mkdir(os.path.join(folder, 'model'))
    for name, text in (('model/net.py', 'LAYERS = 3\n'), ('train.py', 'import sys\nfrom model.net import LAYERS\nprint(sys.argv[1:], LAYERS)\n'), ('.env', 'SECRET=1\n')):
        with open(os.path.join(folder, name), 'w') as file:
            file.write(text)
    found['script'] = list(trainyard.train('train.py', ['--epochs', '$(x)'], code=folder, name='script').wait(timeout=120).logs())
with index() as url:
    found['packages'] = list(trainyard.train(use_package, packages=['trainyard-test-wheel'], index_urls=[url], name='packages').wait(timeout=120).logs())
found['launched'] = list(trainyard.train(launched, framework='pytorch', name='launched').wait(timeout=120).logs())
print(json.dumps(found))
