# A job for each CloudEvent that is posted.
import base64
import json
import os
import re
import socket
import sys
import threading
import time
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from launcher import LARGEST_EVENT, Launcher, Refused, id_of, say

# JSON has up to six characters for one of a text.
LARGEST_REQUEST = 6 * LARGEST_EVENT + 64 * 1024
# Each may bring a request of this size, and all have to fit into the memory of the pod.
MOST_CONNECTIONS = 64
REQUEST_SECONDS = 60
LENGTH = re.compile('[0-9]{1,18}')


class BadEvent(Exception):
    pass


def event_of(headers, body):
    """A CloudEvent in binary or structured form."""
    kind = (headers.get('Content-Type') or '').split(';')[0].strip().lower()
    if kind == 'application/cloudevents+json':
        try:
            event = json.loads(body)
        except (ValueError, RecursionError) as error:
            raise BadEvent('the body is not JSON: %s' % error)
        if not isinstance(event, dict):
            raise BadEvent('the body is not an object')
    else:
        event = {name[3:].lower(): value for name, value in headers.items() if name.lower().startswith('ce-')}
        if kind:
            event['datacontenttype'] = kind
        try:
            event['data'] = json.loads(body) if kind == 'application/json' else body.decode()
        except (ValueError, RecursionError):
            event['data_base64'] = base64.b64encode(body).decode()
    for field in ('id', 'source', 'type'):
        if not isinstance(event.get(field), str) or not event[field]:
            raise BadEvent('the event has no %s' % field)
        if not event[field].isprintable():
            raise BadEvent('the %s of the event has characters that cannot be printed' % field)
    return event


class Handler(BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'
    # Jobs are counted and created by one request at a time.
    lock = threading.Lock()
    timeout = REQUEST_SECONDS

    def handle_one_request(self):
        self.server.request_awaited(self.connection)
        super().handle_one_request()

    def do_GET(self):
        self.close_connection = True
        self.answer(200 if self.path == '/healthz' else 404, '')

    def do_POST(self):
        lengths = self.headers.get_all('Content-Length', ['0'])
        # What is not read of a body would be read as the next request.
        if 'Transfer-Encoding' in self.headers or len(lengths) > 1 or not LENGTH.fullmatch(lengths[0]):
            self.close_connection = True
            return self.answer(411, 'the request needs one Content-Length')
        if int(lengths[0]) > LARGEST_REQUEST:
            self.close_connection = True
            return self.answer(413, 'the event is too large')
        body = self.rfile.read(int(lengths[0]))
        if len(body) < int(lengths[0]):
            self.close_connection = True
            return self.answer(400, 'the event ends before its Content-Length')
        self.server.request_arrived(self.connection)
        with self.lock:
            outcome = self.outcome(body)
        self.answer(*outcome)

    def outcome(self, body):
        try:
            event = event_of(self.headers, body)
        except BadEvent as error:
            return 400, str(error)
        launcher = self.server.launcher
        try:
            if not launcher.has_room():
                return 503, 'as many jobs run as may', {'Retry-After': '60'}
            launcher.launch(id_of(event['source'], event['id']), event)
        except Refused as error:
            say('event %s: %s' % (event['id'], error))
            return 422, str(error)
        except Exception as error:
            say('event %s: %s' % (event['id'], error))
            return 500, str(error)
        # No content: a content would be read as an event that follows.
        return 204, ''

    def answer(self, status, text, headers=None):
        body = text.encode(errors='backslashreplace')
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        if status != 204:
            self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Server(ThreadingHTTPServer):
    """
    Limits connections, because any pod of the cluster can connect. A request must arrive within a minute. Beyond the limit, of the address with the
    most connections without a request, the one that has been open the longest is closed.
    """
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, *args):
        self.guard = threading.Lock()
        # When each connection began to wait for a request; None while there is one.
        self.since = {}
        super().__init__(*args)

    def request_awaited(self, connection):
        with self.guard:
            # A new connection waits from when it is accepted, not from the start of its thread.
            if self.since.get(connection) is None:
                self.since[connection] = time.monotonic()

    def request_arrived(self, connection):
        with self.guard:
            self.since[connection] = None

    def process_request(self, request, client_address):
        self.request_awaited(request)
        with self.guard:
            if len(self.since) > MOST_CONNECTIONS:
                self.drop(self.longest_waiting())
        super().process_request(request, client_address)

    def longest_waiting(self):
        hosts = {connection: host_of(connection) for connection, since in self.since.items() if since is not None}
        counts = Counter(hosts.values())
        return min(hosts, key=lambda connection: (-counts[hosts[connection]], self.since[connection]))

    def drop(self, connection):
        del self.since[connection]
        try:
            # Its thread reads the end, and closes it.
            connection.shutdown(socket.SHUT_RD)
        except OSError:
            pass

    def service_actions(self):
        with self.guard:
            due = time.monotonic() - REQUEST_SECONDS
            for connection in [connection for connection, since in self.since.items() if since is not None and since < due]:
                self.drop(connection)

    def handle_error(self, request, client_address):
        say('%s: %r' % (client_address[0], sys.exc_info()[1]))

    def shutdown_request(self, request):
        with self.guard:
            self.since.pop(request, None)
        super().shutdown_request(request)


def host_of(connection):
    try:
        return connection.getpeername()[0]
    except OSError:
        return None


def main():
    server = Server((os.environ.get('TRAINYARD_LAUNCHER_ADDRESS', ''), int(os.environ.get('PORT', '8080'))), Handler)
    server.launcher = Launcher()
    say('listening on port %d' % server.server_address[1])
    server.serve_forever()


if __name__ == '__main__':
    main()
