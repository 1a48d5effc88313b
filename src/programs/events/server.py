# A job for each CloudEvent that is posted.
import base64
import json
import os
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from launcher import Launcher, Refused, id_of, say

LARGEST_REQUEST = 1024 * 1024
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
    timeout = 60

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
        try:
            event = event_of(self.headers, body)
        except BadEvent as error:
            return self.answer(400, str(error))
        launcher = self.server.launcher
        try:
            with self.lock:
                if not launcher.has_room():
                    return self.answer(503, 'as many jobs run as may', {'Retry-After': '60'})
                launcher.launch(id_of(event['source'], event['id']), event)
        except Refused as error:
            say('event %s: %s' % (event['id'], error))
            return self.answer(422, str(error))
        except Exception as error:
            say('event %s: %s' % (event['id'], error))
            return self.answer(500, str(error))
        # No content: a content would be read as an event that follows.
        return self.answer(204, '')

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


def main():
    server = ThreadingHTTPServer((os.environ.get('TRAINYARD_LAUNCHER_ADDRESS', ''), int(os.environ.get('PORT', '8080'))), Handler)
    server.daemon_threads = True
    server.launcher = Launcher()
    say('listening on port %d' % server.server_address[1])
    server.serve_forever()


if __name__ == '__main__':
    main()
