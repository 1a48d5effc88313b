"""The package from its sources, and what tests share."""
import os
import sys
import tempfile
from pathlib import Path

SOURCES = Path(__file__).parent.parent / 'src'
sys.path.insert(0, str(SOURCES))


def module_from(text, name='sent_module'):
    """A module whose source is a file, as a user's."""
    import importlib.util
    folder = tempfile.mkdtemp(prefix='trainyard-test-')
    file = os.path.join(folder, f'{name}.py')
    with open(file, 'w', encoding='utf-8') as written:
        written.write(text)
    spec = importlib.util.spec_from_file_location(name, file)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def kubeconfig(url, token='secret', namespace='ml'):
    """A kubeconfig file for a server on loopback."""
    handle, file = tempfile.mkstemp(suffix='.yaml')
    with os.fdopen(handle, 'w') as written:
        written.write(f'''
apiVersion: v1
kind: Config
current-context: fake
clusters: [{{name: fake, cluster: {{server: {url}}}}}]
users: [{{name: fake, user: {{token: {token}}}}}]
contexts: [{{name: fake, context: {{cluster: fake, user: fake, namespace: {namespace}}}}}]
''')
    return file
