"""A Kubernetes API server in memory, with what the tests of the client need: objects, lists in pages, patches, watches, logs, refusals.

It plays the controllers too: Trainyard's operator for MLTrainingJobs, and Kubeflow Trainer for TrainJobs. A job of either has a pod for each node at
once, which has ended, and the logs that `logs` says.
"""

import json
import threading
import time
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlsplit

TIME = '2026-01-31T12:00:00Z'
OURS = '/apis/ml.collabnix.io/v1alpha1'
THEIRS = '/apis/trainer.kubeflow.org/v1alpha1'
STREAM = object()


class FakeApi:
    """`refuse` gets (method, path, query, body) of each request and may return (status, body), or 'drop' to close the connection."""

    def __init__(self, logs=('line one', 'line two'), phase='Completed'):
        # What the SDK asks Kubeflow Trainer for first.
        public = '/api/v1/namespaces/kubeflow-system/configmaps/kubeflow-trainer-public'
        self.objects = {public: {'metadata': {'name': 'kubeflow-trainer-public'}, 'data': {'kubeflow_trainer_version': '2.3.0'}}}
        self.requests = []
        self.refuse = lambda method, path, query, body: None
        self.logs = lambda pod: list(logs)
        self.log_streams = {}
        self.phase = phase
        self.changed = threading.Condition()
        self.version = 100
        self.events = []
        fake = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = 'HTTP/1.1'

            def log_message(self, *args):
                pass

            def handle_any(self):
                fake.answer(self)

            do_GET = do_POST = do_PATCH = do_DELETE = handle_any

        self.server = ThreadingHTTPServer(('127.0.0.1', 0), Handler)
        self.server.daemon_threads = True
        self.url = f'http://127.0.0.1:{self.server.server_port}'
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()

    def put(self, path, body, kind='MODIFIED'):
        """Writes an object, and tells watches."""
        with self.changed:
            self.version += 1
            body['metadata']['resourceVersion'] = str(self.version)
            self.objects[path] = body
            self.events.append((self.version, kind, path, json.loads(json.dumps(body))))
            self.changed.notify_all()

    def jobs(self):
        return {body['metadata']['name']: body for path, body in self.objects.items() if '/mltrainingjobs/' in path}

    def set_status(self, name, **status):
        path = next(path for path in self.objects if path.endswith(f'/mltrainingjobs/{name}'))
        body = json.loads(json.dumps(self.objects[path]))
        body.setdefault('status', {}).update(status)
        self.put(path, body)

    def end_pod(self, name):
        path = next(path for path in self.objects if path.endswith(f'/pods/{name}'))
        body = json.loads(json.dumps(self.objects[path]))
        body['status']['phase'] = 'Succeeded'
        self.put(path, body)

    def answer(self, http):
        url = urlsplit(http.path)
        query = dict(parse_qsl(url.query))
        length = int(http.headers.get('content-length') or 0)
        body = json.loads(http.rfile.read(length)) if length else None
        self.requests.append((http.command, url.path, query, body, http.headers.get('authorization'), http.headers.get('content-type')))
        refused = self.refuse(http.command, url.path, query, body)
        if refused == 'drop':
            http.close_connection = True
            http.connection.close()
            return
        status, answer = refused or self.handle(http, url.path, query, body)
        if answer is STREAM:
            return
        data = answer.encode() if isinstance(answer, str) else json.dumps(answer).encode()
        http.send_response(status)
        http.send_header('content-type', 'application/json')
        http.send_header('content-length', str(len(data)))
        http.end_headers()
        http.wfile.write(data)

    def handle(self, http, path, query, body):
        if path.endswith('/log'):
            return self.log(http, path, query)
        if query.get('watch'):
            return self.watch(http, path, query)
        if http.command == 'POST':
            return self.create(path, body)
        if path in self.objects:
            if http.command == 'PATCH':
                self.put(path, merge(json.loads(json.dumps(self.objects[path])), body))
            if http.command == 'DELETE':
                return self.delete(path)
            return 200, self.objects[path]
        parts = path.split('/')
        if parts[-1] in ('mltrainingjobs', 'trainjobs', 'clustertrainingruntimes', 'trainingruntimes', 'pods', 'configmaps', 'events'):
            return self.list(path, query)
        return 404, status(404, 'NotFound', f'{parts[-2]} "{parts[-1]}" not found', {'name': parts[-1]})

    def create(self, path, body):
        name = body['metadata']['name']
        if f'{path}/{name}' in self.objects:
            return 409, status(409, 'AlreadyExists', f'"{name}" already exists', {'name': name})
        namespace = path.split('/namespaces/')[1].split('/')[0]
        body['metadata'].update(uid=str(uuid.uuid4()), creationTimestamp=TIME, namespace=namespace)
        self.put(f'{path}/{name}', body, 'ADDED')
        answer = json.loads(json.dumps(body))
        if path.endswith('/mltrainingjobs'):
            nodes = body['spec'].get('replicas', 1)
            self.put(f'{path}/{name}', {**body, 'status': {'phase': self.phase, 'replicas': nodes, 'ready': f'{nodes}/{nodes}'}})
            self.make_pods(
                namespace,
                body,
                nodes,
                'training',
                lambda rank: {
                    'labels': {'job': name, 'role': 'worker', 'ml.collabnix.io/replica-index': str(rank)},
                    'annotations': {'ml.collabnix.io/rank': str(rank)},
                },
            )
        if path.endswith('/trainjobs'):
            nodes = body['spec'].get('trainer', {}).get('numNodes', 1)
            self.put(
                f'{path}/{name}',
                {
                    **body,
                    'status': {'conditions': [{'type': 'Complete', 'status': 'True', 'reason': 'Done', 'message': '', 'lastTransitionTime': TIME}]},
                },
            )
            self.make_pods(
                namespace,
                body,
                nodes,
                'node',
                lambda rank: {
                    'labels': {
                        'jobset.sigs.k8s.io/jobset-name': name,
                        'jobset.sigs.k8s.io/replicatedjob-name': 'node',
                        'batch.kubernetes.io/job-completion-index': str(rank),
                    }
                },
            )
        return 201, answer

    def make_pods(self, namespace, job, nodes, container, metadata):
        for rank in range(nodes):
            name = f'{job["metadata"]["name"]}-worker-{rank}'
            phase = {'Completed': 'Succeeded'}.get(self.phase, 'Running')
            state = {'terminated': {'exitCode': 0}} if phase == 'Succeeded' else {'running': {}}
            owner = {
                'apiVersion': job.get('apiVersion', ''),
                'kind': job['kind'],
                'name': job['metadata']['name'],
                'uid': job['metadata']['uid'],
                'controller': True,
            }
            self.put(
                f'/api/v1/namespaces/{namespace}/pods/{name}',
                {
                    'metadata': {
                        'name': name,
                        'namespace': namespace,
                        'uid': str(uuid.uuid4()),
                        'creationTimestamp': TIME,
                        'ownerReferences': [owner],
                        **metadata(rank),
                    },
                    'spec': {'containers': [{'name': container, 'image': 'img'}]},
                    'status': {
                        'phase': phase,
                        'containerStatuses': [{'name': container, 'state': state, 'ready': False, 'image': 'img', 'imageID': 'x', 'restartCount': 0}],
                    },
                },
            )
            self.put(
                f'/api/v1/namespaces/{namespace}/events/{name}',
                {
                    'metadata': {'name': name, 'namespace': namespace, 'creationTimestamp': TIME},
                    'reason': 'Started',
                    'message': 'Started container',
                    'firstTimestamp': TIME,
                    'involvedObject': {
                        'kind': 'Pod',
                        'name': name,
                        'uid': self.objects[f'/api/v1/namespaces/{namespace}/pods/{name}']['metadata']['uid'],
                    },
                },
            )

    def delete(self, path):
        gone = self.objects.pop(path)
        self.version += 1
        with self.changed:
            self.events.append((self.version, 'DELETED', path, gone))
            self.changed.notify_all()
        # Garbage collection: what has lost its last owner goes too.
        uids = {body['metadata'].get('uid') for body in self.objects.values()}
        for other, body in list(self.objects.items()):
            owners = body['metadata'].get('ownerReferences', [])
            if owners and not any(owner['uid'] in uids for owner in owners):
                self.objects.pop(other, None)
        return 200, status(200, '', 'deleted')

    def list(self, path, query):
        wanted = [pair.split('=', 1) for pair in query.get('labelSelector', '').split(',') if '=' in pair and ' in ' not in pair]
        found = [
            body
            for name, body in sorted(self.objects.items())
            if name.startswith(f'{path}/') and all(body['metadata'].get('labels', {}).get(key) == value for key, value in wanted)
        ]
        start = int(query.get('continue') or 0)
        end = start + int(query.get('limit') or len(found) + 1)
        return 200, {
            'kind': 'List',
            'apiVersion': 'v1',
            'metadata': {'resourceVersion': str(self.version), **({'continue': str(end)} if end < len(found) else {})},
            'items': found[start:end],
        }

    def log(self, http, path, query):
        pod = path.split('/')[-2]
        if query.get('follow'):
            start_stream(http)
            for line in self.log_streams.get(pod, lambda since: iter(self.logs(pod)))(query.get('sinceTime')):
                if line == 'drop':
                    http.close_connection = True
                    http.connection.close()
                    return 200, STREAM
                chunk(http, f'{line}\n')
            end_stream(http)
            return 200, STREAM
        lines = self.logs(pod)
        lines = lines[-int(query['tailLines']) :] if 'tailLines' in query else lines
        stamped = [f'2026-01-31T12:00:0{at % 10}.{len(pod)}Z {line}' if query.get('timestamps') else line for at, line in enumerate(lines)]
        return 200, ''.join(f'{line}\n' for line in stamped)

    def watch(self, http, path, query):
        name = query['fieldSelector'].split('=')[1]
        seen = int(query['resourceVersion'])
        start_stream(http)
        deadline = time.monotonic() + int(query['timeoutSeconds'])
        while time.monotonic() < deadline:
            with self.changed:
                new = [event for event in self.events if event[0] > seen and event[2] == f'{path}/{name}']
                if not new:
                    self.changed.wait(0.05)
                    continue
            for version, kind, _path, body in new:
                seen = version
                try:
                    chunk(http, json.dumps({'type': kind, 'object': body}) + '\n')
                except OSError:
                    return 200, STREAM
        end_stream(http)
        return 200, STREAM


def start_stream(http):
    http.send_response(200)
    http.send_header('transfer-encoding', 'chunked')
    http.end_headers()


def chunk(http, text):
    data = text.encode()
    http.wfile.write(b'%x\r\n%s\r\n' % (len(data), data))
    http.wfile.flush()


def end_stream(http):
    http.wfile.write(b'0\r\n\r\n')


def merge(old, patch):
    for name, value in patch.items():
        if isinstance(value, dict):
            old[name] = merge(old.get(name) or {}, value)
        elif name == 'ownerReferences':
            old[name] = [each for each in old.get(name, []) if each['uid'] not in [new['uid'] for new in value]] + value
        elif value is None:
            old.pop(name, None)
        else:
            old[name] = value
    return old


def status(code, reason, message, details=None):
    return {
        'kind': 'Status',
        'apiVersion': 'v1',
        'status': 'Failure' if code >= 400 else 'Success',
        'code': code,
        'reason': reason,
        'message': message,
        'details': details or {},
    }


def runtime(name='torch-distributed', framework='torch', image='torch:1', nodes=1, policy=None):
    """A ClusterTrainingRuntime of Kubeflow Trainer."""
    container = {'name': 'node', 'image': image}
    job = {
        'name': 'node',
        'template': {
            'metadata': {'labels': {'trainer.kubeflow.org/trainjob-ancestor-step': 'trainer'}},
            'spec': {'template': {'spec': {'containers': [container]}}},
        },
    }
    return {
        'apiVersion': 'trainer.kubeflow.org/v1alpha1',
        'kind': 'ClusterTrainingRuntime',
        'metadata': {'name': name, 'labels': {'trainer.kubeflow.org/framework': framework}},
        'spec': {'mlPolicy': {'numNodes': nodes, **({framework: {}} if policy is None else policy)}, 'template': {'spec': {'replicatedJobs': [job]}}},
    }
