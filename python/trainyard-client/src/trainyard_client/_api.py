"""The cluster's API, through the official client's configuration and HTTP pool; objects stay plain JSON.

The `kubernetes` package has no types, so nothing else imports it. Its methods for requests differ between releases, and are not used.
"""
from __future__ import annotations

import json
import os
import threading
from contextlib import contextmanager
from typing import Any, Dict, Generator, Iterator, List, Mapping, NoReturn, Optional, Tuple
from urllib.parse import urlencode

import urllib3
import urllib3.exceptions

from ._json import Json, record, records
from ._version import __version__
from .errors import AlreadyExists, ClusterError, Expired, Forbidden, InvalidArgument, NotFound, TrainyardError, Unreachable

GROUP = 'ml.collabnix.io'
VERSION = 'v1alpha1'
JOBS = f'/apis/{GROUP}/{VERSION}', 'mltrainingjobs'
PODS = '/api/v1', 'pods'
CONFIG_MAPS = '/api/v1', 'configmaps'
EVENTS = '/api/v1', 'events'

Resource = Tuple[str, str]

# Seconds without a byte before a request counts as lost.
TIMEOUT = 30.0
PAGE = 500
_SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount'
_MERGE = 'application/merge-patch+json'
_STRATEGIC = 'application/strategic-merge-patch+json'


class Api:
    """Requests of one user to one cluster. Connects at the first request; threads may share it."""

    def __init__(self, kubeconfig: Optional[str] = None, context: Optional[str] = None, namespace: Optional[str] = None, configuration: object = None):
        self._kubeconfig = kubeconfig
        self._context = context
        self._namespace = namespace
        self._configuration = configuration
        self._lock = threading.Lock()
        self._connected: Any = None

    @property
    def namespace(self) -> str:
        """The chosen namespace, else that of the kubeconfig or of the pod, else `default`."""
        if self._namespace is None:
            self._client()
        return self._namespace or 'default'

    def get(self, resource: Resource, name: str) -> Json:
        with self._telling(f'read {_title(resource, name)}', 'get', resource):
            return self._json('GET', self._path(resource, name))

    def list(self, resource: Resource, labels: str = '', fields: str = '') -> List[Json]:
        """All of them, in pages. A list that expires between two pages is read again from the start."""
        with self._telling(f'list {_plural(resource)}', 'list', resource):
            while True:
                try:
                    return list(self._pages(resource, labels, fields))
                except Expired:
                    continue

    def _pages(self, resource: Resource, labels: str, fields: str) -> Iterator[Json]:
        more = ''
        while True:
            query = {'limit': str(PAGE), 'labelSelector': labels, 'fieldSelector': fields, 'continue': more}
            page = self._json('GET', self._path(resource), query={key: value for key, value in query.items() if value})
            yield from records(page, 'items')
            more = record(page, 'metadata').get('continue') or ''
            if not more:
                return

    def create(self, resource: Resource, body: Json) -> Json:
        with self._telling(f"create {_title(resource, body['metadata']['name'])}", 'create', resource):
            return self._json('POST', self._path(resource), query={'fieldManager': 'trainyard-client', 'fieldValidation': 'Strict'}, body=body)

    def patch(self, resource: Resource, name: str, body: Json, strategic: bool = False) -> Json:
        with self._telling(f'change {_title(resource, name)}', 'patch', resource):
            return self._json('PATCH', self._path(resource, name), query={'fieldManager': 'trainyard-client'}, body=body,
                              content_type=_STRATEGIC if strategic else _MERGE)

    def delete(self, resource: Resource, name: str, uid: Optional[str] = None) -> None:
        body: Json = {'propagationPolicy': 'Background'}
        if uid is not None:
            body['preconditions'] = {'uid': uid}
        with self._telling(f'delete {_title(resource, name)}', 'delete', resource):
            self._json('DELETE', self._path(resource, name), body=body)

    def watch(self, resource: Resource, name: str, version: str, seconds: int) -> Iterator[Json]:
        """Events of one object after a resource version, for at most so many seconds. Raises Expired when the version is too old."""
        query = {'watch': '1', 'fieldSelector': f'metadata.name={name}', 'resourceVersion': version, 'timeoutSeconds': str(seconds)}
        with self._telling(f'watch {_title(resource, name)}', 'watch', resource):
            for line in self._lines(self._path(resource), query, timeout=seconds + TIMEOUT):
                event: Json = json.loads(line)
                if event.get('type') == 'ERROR':
                    _refuse(int(record(event, 'object').get('code') or 500), record(event, 'object'))
                yield event

    def log(self, pod: str, container: str, query: Mapping[str, str], follow: bool = False, to_end: bool = True) -> Iterator[str]:
        """Lines of a container's log; with `to_end` a last one without an end too."""
        path = self._path(PODS, pod) + '/log'
        asked = {'container': container, **query, **({'follow': 'true'} if follow else {})}
        with self._telling(f"read the log of the pod '{pod}'", 'get', ('/api/v1', 'pods/log')):
            # A program may be silent for hours; the kubelet ends the stream with the container.
            yield from self._lines(path, asked, timeout=None if follow else TIMEOUT, to_end=to_end)

    def list_cluster(self, path: str) -> List[Json]:
        """Objects of any path; none where it is not served, or may not be read."""
        kind = path.rsplit('/', 1)[-1]
        try:
            with self._telling(f'list {kind}', 'list', (path, kind)):
                return records(self._json('GET', path), 'items')
        except (NotFound, Forbidden):
            return []

    def _path(self, resource: Resource, name: Optional[str] = None) -> str:
        root, plural = resource
        return f'{root}/namespaces/{self.namespace}/{plural}' + ('' if name is None else f'/{_segment(name)}')

    def _json(self, method: str, path: str, query: Optional[Mapping[str, str]] = None, body: Optional[Json] = None,
              content_type: str = 'application/json') -> Json:
        response = self._send(method, path, query or {}, body, content_type, TIMEOUT)
        try:
            return json.loads(response.data)
        except ValueError:
            raise ClusterError('the answer is not JSON: is a proxy or a login page in between?', response.status) from None
        finally:
            response.release_conn()

    def _lines(self, path: str, query: Mapping[str, str], timeout: Optional[float], to_end: bool = True) -> Iterator[str]:
        response = self._send('GET', path, query, None, 'application/json', timeout)
        rest = b''
        try:
            for chunk in response.stream(None, decode_content=False):
                *lines, rest = (rest + chunk).split(b'\n')
                for line in lines:
                    yield line.decode('utf-8', 'replace')
            if rest and to_end:
                yield rest.decode('utf-8', 'replace')
        finally:
            # The rest of a stream that is left early is not wanted, and the connection cannot be used again.
            response.close()

    def _send(self, method: str, path: str, query: Mapping[str, str], body: Optional[Json], content_type: str, timeout: Optional[float]) -> Any:
        client = self._client()
        headers = {'accept': 'application/json, */*', 'content-type': content_type, 'user-agent': f'trainyard-client/{__version__}'}
        # Of service accounts and exec plug-ins, the configuration renews the token here.
        headers.update({each['key']: each['value'] for each in client.configuration.auth_settings().values() if each.get('value')})
        response = client.rest_client.pool_manager.request(
            method, f'{client.configuration.host}{path}' + (f'?{urlencode(query)}' if query else ''), headers=headers,
            body=None if body is None else json.dumps(body), timeout=urllib3.Timeout(connect=TIMEOUT, read=timeout), preload_content=False, redirect=False,
        )
        if 200 <= response.status < 300:
            return response
        with response:
            _refuse(response.status, _status(response.data), f'{response.status} {response.reason or ""}'.strip())

    @contextmanager
    def _telling(self, doing: str, verb: str, resource: Resource) -> Generator[None, None, None]:
        where = f"Cannot {doing} in the namespace '{self.namespace}'"
        try:
            yield
        except _Refusal as error:
            raise _translated(error, where, verb, resource) from None
        except (urllib3.exceptions.HTTPError, OSError) as error:
            told = f'{where}: the API server {self._host()} does not answer: {_cause(error)}.'
            raise Unreachable(f'{told} Check the network, the VPN and the address in the kubeconfig.') from error

    def _host(self) -> str:
        return str(self._connected.configuration.host) if self._connected is not None else ''

    def _client(self) -> Any:
        with self._lock:
            if self._connected is None:
                self._connected = self._connect()
            return self._connected

    def _connect(self) -> Any:
        try:
            from kubernetes import client, config  # pyright: ignore
        except ImportError as error:
            raise TrainyardError(f'The Python package kubernetes cannot be imported ({error}). Install it: pip install kubernetes') from error
        if self._configuration is not None:
            return client.ApiClient(self._configuration)  # pyright: ignore
        settings: Any = client.Configuration()  # pyright: ignore
        file = self._kubeconfig or os.environ.get('KUBECONFIG') or os.path.expanduser('~/.kube/config')
        inside = os.path.exists(f'{_SERVICE_ACCOUNT}/token') and bool(os.environ.get('KUBERNETES_SERVICE_HOST'))
        # Several files may be named, of which some exist.
        exists = any(os.path.exists(os.path.expanduser(part)) for part in file.split(os.pathsep))
        try:
            if not exists and self._kubeconfig is None and self._context is None and inside:
                config.load_incluster_config(client_configuration=settings)  # pyright: ignore
                found = _text_of(f'{_SERVICE_ACCOUNT}/namespace')
            else:
                config.load_kube_config(config_file=file, context=self._context, client_configuration=settings)  # pyright: ignore
                found = _context_namespace(config.list_kube_config_contexts(config_file=file), self._context)  # pyright: ignore
        except Exception as error:
            raise TrainyardError(
                f"Cannot read the cluster's address and credentials from {file}: {_cause(error)}. "
                'Choose a file with kubeconfig= or KUBECONFIG, and a context with context=. To train without a cluster: local=True.') from error
        self._namespace = self._namespace or found
        return client.ApiClient(settings)  # pyright: ignore


class _Refusal(ClusterError):
    """An answer that is an error, before it is told."""

    def __init__(self, status: int, body: Json):
        super().__init__(str(body.get('message') or f'HTTP {status}'), status)
        self.body = body


class _Gone(_Refusal, Expired):
    pass


def _refuse(status: int, body: Json, reason: str = '') -> NoReturn:
    body = body if body.get('message') else {**body, 'message': reason or f'HTTP {status}'}
    raise (_Gone if status == 410 else _Refusal)(status, body)


def _translated(error: _Refusal, where: str, verb: str, resource: Resource) -> TrainyardError:
    status, text = error.status or 500, str(error)
    reason = str(error.body.get('reason') or '')
    kind = _qualified(resource)
    if status == 401:
        return ClusterError(f'{where}: the credentials are not valid, or have expired. Log in again, and check with: kubectl auth whoami', status)
    if status == 403 and ' cannot ' in text:
        user = text.split('User "', 1)[-1].split('"', 1)[0] if 'User "' in text else 'the user'
        return Forbidden(
            f"{where}: '{user}' does not have the permission '{verb}' on {kind} there. "
            f'Ask whoever manages the namespace for a role with it (check: kubectl auth can-i {verb} {kind}), or choose another namespace=.', status)
    if status == 403:
        return Forbidden(f'{where}: {text}', status)
    if status == 404 and not record(error.body, 'details').get('name'):
        install = ' The operator is not installed: see docs/operator/README.md of Trainyard.' if resource == JOBS else ''
        return NotFound(f'{where}: the cluster does not serve {kind}, or the namespace does not exist.{install}', status)
    if status == 404:
        return NotFound(f'{where}: it does not exist.', status)
    if status == 409 and reason == 'AlreadyExists':
        return AlreadyExists(f'{where}: it exists. Nothing was changed. Choose another name, or delete that one first.', status)
    if status == 410:
        return Expired(f'{where}: {text}', status)
    if status in (400, 422):
        causes = [f"{cause.get('field')}: {cause.get('message')}" for cause in records(record(error.body, 'details'), 'causes')]
        return InvalidArgument(f'{where}: the cluster rejects it:\n  ' + '\n  '.join(causes or [text]))
    return ClusterError(f'{where}: {text}', status)


def _status(body: Any) -> Json:
    try:
        found = json.loads(body)
    except (TypeError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}  # pyright: ignore


def _cause(error: BaseException) -> str:
    # urllib3 wraps the cause that says most.
    reason = getattr(error, 'reason', None)
    return _cause(reason) if isinstance(reason, BaseException) else f'{str(error) or type(error).__name__}'.rstrip('.')


def _segment(name: str) -> str:
    if not name or any(letter not in 'abcdefghijklmnopqrstuvwxyz0123456789-.' for letter in name):
        raise InvalidArgument(f"{name!r} is not a name: names have lower case letters, digits, '-' and '.'.")
    return name


def _qualified(resource: Resource) -> str:
    return f'{resource[1]}.{GROUP}' if resource == JOBS else resource[1]


def _title(resource: Resource, name: str) -> str:
    kinds: Dict[Resource, str] = {JOBS: 'the job', PODS: 'the pod', CONFIG_MAPS: 'the ConfigMap'}
    return f"{kinds.get(resource, resource[1])} '{name}'"


def _plural(resource: Resource) -> str:
    return 'jobs' if resource == JOBS else resource[1]


def _text_of(file: str) -> str:
    with open(file, encoding='utf-8') as opened:
        return opened.read().strip()


def _context_namespace(contexts: Any, wanted: Optional[str]) -> Optional[str]:
    every, active = contexts
    chosen = next((each for each in every if each['name'] == wanted), active) if wanted else active
    return record(chosen, 'context').get('namespace')
