"""Launchers that no queue feeds: the server of CloudEvents, and the schedule."""
import email.message
import io
import json
import os
import socket
import threading
import unittest
from unittest import mock

from launcher import Refused

from programs.events import schedule, server


class Events(unittest.TestCase):
    def test_structured_and_binary_forms(self):
        event = {'id': '1', 'source': 's', 'type': 't', 'data': 2}
        self.assertEqual(server.event_of({'Content-Type': 'application/cloudevents+json; charset=utf-8'}, json.dumps(event).encode()), event)
        headers = {'ce-id': '1', 'ce-source': 's', 'ce-type': 't'}
        self.assertEqual(server.event_of({**headers, 'Content-Type': 'application/json'}, b'{"a": 1}')['data'], {'a': 1})
        self.assertEqual(server.event_of(headers, b'hello')['data'], 'hello')
        self.assertEqual(server.event_of(headers, b'\xff')['data_base64'], '/w==')

    def test_what_is_no_event_is_told(self):
        structured = {'Content-Type': 'application/cloudevents+json'}
        controlled = {'ce-id': '1\x1b[2J', 'ce-source': 's', 'ce-type': 't'}
        for headers, body, words in (
            (structured, b'{', 'not JSON'), (structured, b'[' * 200000, 'not JSON'), (structured, b'[]', 'not an object'),
            ({'ce-id': '1'}, b'', 'no source'), (controlled, b'', 'cannot be printed'),
        ):
            with self.assertRaisesRegex(server.BadEvent, words):
                server.event_of(headers, body)


class Answers(unittest.TestCase):
    def posted(self, launch=None, room=True, headers=(('ce-id', '1'), ('ce-source', 's'), ('ce-type', 't')), length=0):
        handler = server.Handler.__new__(server.Handler)
        handler.headers, handler.rfile, handler.wfile = email.message.Message(), io.BytesIO(b''), io.BytesIO()
        for name, value in (*headers, ('Content-Length', str(length))):
            handler.headers[name] = value
        handler.server, handler.connection = mock.Mock(), mock.Mock()
        handler.server.launcher.has_room.return_value = room
        handler.server.launcher.launch.side_effect = launch
        handler.request_version, handler.requestline, handler.command = 'HTTP/1.1', '', 'POST'
        handler.do_POST()
        return int(handler.wfile.getvalue().split()[1])

    def test_tell_whoever_sends_whether_to_try_again(self):
        self.assertEqual(self.posted(), 204)
        self.assertEqual(self.posted(headers=()), 400)
        self.assertEqual(self.posted(length=2 * 1024 * 1024), 413)
        self.assertEqual(self.posted(room=False), 503)
        self.assertEqual(self.posted(launch=Refused('no')), 422)
        self.assertEqual(self.posted(launch=RuntimeError('no')), 500)


class Connections(unittest.TestCase):
    EVENT = b'Host: h\r\nce-id: %s\r\nce-source: s\r\nce-type: t\r\n'

    def sent(self, data):
        """Ids of the events that a job was started for, and the status of the first answer."""
        running = server.Server(('127.0.0.1', 0), server.Handler)
        running.launcher = mock.Mock()
        thread = threading.Thread(target=running.serve_forever, kwargs={'poll_interval': 0.01})
        thread.start()
        try:
            with socket.create_connection(running.server_address, timeout=30) as connection:
                connection.sendall(data)
                connection.shutdown(socket.SHUT_WR)
                answer = b''.join(iter(lambda: connection.recv(65536), b''))
        finally:
            running.shutdown()
            running.server_close()
            thread.join()
        return [call.args[1]['id'] for call in running.launcher.launch.call_args_list], int(answer.split()[1])

    def test_what_follows_a_request_is_the_next_one_and_never_its_body(self):
        second = b'POST / HTTP/1.1\r\n' + self.EVENT % b'second' + b'Content-Length: 0\r\n\r\n'
        self.assertEqual(self.sent(second + second), (['second', 'second'], 204))
        for method, framing, status in (
            (b'POST', b'Transfer-Encoding: chunked', 411), (b'POST', b'Content-Length: -1', 411), (b'POST', b'Content-Length: +1', 411),
            (b'POST', b'Content-Length: 0\r\nContent-Length: %d' % len(second), 411), (b'POST', b'Content-Length: 9999999', 413),
            (b'GET', b'Content-Length: %d' % len(second), 404), (b'POST', b'Content-Length: %d' % (len(second) + 1), 400),
        ):
            with self.subTest(framing):
                first = method + b' / HTTP/1.1\r\n' + self.EVENT % b'first' + framing + b'\r\n\r\n'
                self.assertEqual(self.sent(first + second), ([], status))


class ManyConnections(unittest.TestCase):
    REQUEST = b'POST / HTTP/1.1\r\nHost: h\r\nce-id: 1\r\nce-source: s\r\nce-type: t\r\nContent-Length: 4\r\n\r\n'

    def setUp(self):
        self.running = server.Server(('127.0.0.1', 0), server.Handler)
        self.running.launcher = mock.Mock()
        thread = threading.Thread(target=self.running.serve_forever, kwargs={'poll_interval': 0.01})
        thread.start()
        self.addCleanup(thread.join)
        self.addCleanup(self.running.server_close)
        self.addCleanup(self.running.shutdown)

    def connected(self, said=b''):
        connection = socket.create_connection(self.running.server_address, timeout=30)
        self.addCleanup(connection.close)
        connection.sendall(said)
        return connection

    def test_those_who_wait_give_way_and_whoever_asks_is_served(self):
        other = self.connected()
        address = mock.patch.object(server, 'host_of', lambda connection: connection.getpeername() == other.getsockname())
        address.start()
        self.addCleanup(address.stop)
        silent = [self.connected(self.REQUEST[:index]) for index in range(server.MOST_CONNECTIONS)]
        # The oldest of the address that has most; the one of the other address stays.
        self.assertEqual(silent[0].recv(1), b'')
        other.sendall(self.REQUEST + b'data')
        self.assertEqual(other.recv(65536).split()[1], b'204')
        for _ in range(3):
            self.assertEqual(self.connected(self.REQUEST + b'data').recv(65536).split()[1], b'204')
        self.assertEqual(self.running.launcher.launch.call_count, 4)

    def test_a_request_has_to_come_in_time(self):
        with mock.patch.object(server, 'REQUEST_SECONDS', 0):
            for part in (b'', b'POST / HT', self.REQUEST, self.REQUEST + b'da'):
                with self.subTest(part):
                    connection = self.connected(part)
                    try:
                        while said := connection.recv(65536):
                            self.assertNotIn(b'204', said)
                    except ConnectionResetError:
                        pass
        self.assertEqual(self.running.launcher.launch.call_count, 0)

    def test_a_job_that_takes_long_to_start_is_waited_for(self):
        began, goes = threading.Event(), threading.Event()
        self.running.launcher.launch.side_effect = lambda *_: began.set() or goes.wait(30)
        slow = self.connected(self.REQUEST + b'data')
        self.assertTrue(began.wait(30))
        with mock.patch.object(server, 'REQUEST_SECONDS', 0):
            self.assertEqual(self.connected().recv(1), b'')
        goes.set()
        self.assertEqual(slow.recv(65536).split()[1], b'204')


def job(name, created, *conditions):
    return {'metadata': {'name': name, 'creationTimestamp': created}, 'status': {'conditions': [{'type': kind, 'status': 'True'} for kind in conditions]}}


class Schedule(unittest.TestCase):
    def run_at(self, jobs, pod='nightly-29000000', **settings):
        launcher = mock.Mock()
        launcher.settings = {'job': {'metadata': {'name': 'j-trainyard0id'}}, 'schedule': {'concurrency': 'Allow', 'prunes': True, **settings}}
        launcher.jobs.return_value, launcher.api.request.return_value, launcher.path = jobs, (200, {}), '/jobs'
        with mock.patch.object(schedule, 'Launcher', lambda: launcher), mock.patch.dict(os.environ, {'JOB_NAME': pod}):
            self.assertEqual(schedule.main(), 0)
        return [call.args[0] for call in launcher.launch.call_args_list], [call.args[1] for call in launcher.api.request.call_args_list]

    def test_a_time_is_written_as_people_do(self):
        self.assertEqual(schedule.id_of_run('nightly-29000000'), '202502192120')
        self.assertRegex(schedule.id_of_run('by-hand'), '^[a-z2-7]{12}$')

    def test_a_job_that_runs_stays_or_goes_as_the_policy_says(self):
        running = [job('old', '1')]
        self.assertEqual(self.run_at(running), (['202502192120'], []))
        self.assertEqual(self.run_at(running, concurrency='Forbid'), ([], []))
        self.assertEqual(self.run_at(running, concurrency='Replace'), (['202502192120'], ['/jobs/old']))

    def test_the_same_time_again_finds_its_job(self):
        self.assertEqual(self.run_at([job('j-202502192120', '1')], concurrency='Forbid'), ([], []))

    def test_the_newest_are_kept(self):
        jobs = [job('a', '1', 'Complete'), job('b', '2', 'Complete'), job('c', '3', 'Failed')]
        self.assertEqual(self.run_at(jobs, successful=1, failed=0)[1], ['/jobs/a', '/jobs/c'])
