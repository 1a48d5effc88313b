"""Launchers that no queue feeds: the server of CloudEvents, and the schedule."""
import io
import json
import os
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
        for headers, body, words in ((structured, b'{', 'not JSON'), (structured, b'[]', 'not an object'), ({'ce-id': '1'}, b'', 'no source')):
            with self.assertRaisesRegex(server.BadEvent, words):
                server.event_of(headers, body)


class Answers(unittest.TestCase):
    def posted(self, launch=None, room=True, headers=(('ce-id', '1'), ('ce-source', 's'), ('ce-type', 't')), length=0):
        handler = server.Handler.__new__(server.Handler)
        handler.headers, handler.rfile, handler.wfile = {**dict(headers), 'Content-Length': str(length)}, io.BytesIO(b''), io.BytesIO()
        handler.server = mock.Mock()
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
