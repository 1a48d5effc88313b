import base64
import json
import os
import tempfile
import unittest
from unittest import mock

import launcher
from launcher import Launcher, Refused, drain, filled, id_of, outcome


def conditions(*types):
    return {'conditions': [{'type': kind.lstrip('!'), 'status': 'False' if kind.startswith('!') else 'True'} for kind in types]}


class Outcomes(unittest.TestCase):
    def test_jobs_of_every_engine_have_an_end(self):
        for what, status, wanted in [
            ('one that nobody has looked at', None, None),
            ('MLTrainingJob, running', conditions('Created', 'Running', '!Succeeded'), None),
            ('MLTrainingJob', conditions('Created', '!Running', 'Succeeded'), 'succeeded'),
            ('MLTrainingJob, failed', conditions('Failed'), 'failed'),
            ('TrainJob', conditions('Complete'), 'succeeded'),
            ('TrainJob, suspended', conditions('Suspended'), None),
            ('JobSet', conditions('Completed'), 'succeeded'),
            ('Job, whose pods are not yet gone', conditions('SuccessCriteriaMet'), None),
            ('PyTorchJob, restarting', conditions('Restarting'), None),
            ('Volcano, running', {'state': {'phase': 'Running'}}, None),
            ('Volcano', {'state': {'phase': 'Completed'}}, 'succeeded'),
            ('Volcano, aborted', {'state': {'phase': 'Aborted'}}, 'failed'),
            ('RayJob, running', {'jobDeploymentStatus': 'Running', 'jobStatus': 'RUNNING'}, None),
            ('RayJob', {'jobDeploymentStatus': 'Complete', 'jobStatus': 'SUCCEEDED'}, 'succeeded'),
            ('RayJob whose program failed', {'jobDeploymentStatus': 'Complete', 'jobStatus': 'FAILED'}, 'failed'),
            ('RayJob, failed', {'jobDeploymentStatus': 'Failed'}, 'failed'),
            ('SparkApplication, running', {'applicationState': {'state': 'RUNNING'}}, None),
            ('SparkApplication', {'applicationState': {'state': 'COMPLETED'}}, 'succeeded'),
            ('SparkApplication, failed', {'applicationState': {'state': 'FAILED'}}, 'failed'),
        ]:
            with self.subTest(what):
                self.assertEqual(outcome({} if status is None else {'status': status}), wanted)


class Templates(unittest.TestCase):
    def test_ids_are_parts_of_names_and_differ(self):
        made = [id_of(*parts) for parts in (['a', 'bc'], ['ab', 'c'], ['abc', ''], ['größer', '🚀'])]
        for made_id in made:
            self.assertRegex(made_id, '^[a-z2-7]{12}$')
        # Where one ends and the next begins counts.
        self.assertEqual(len(set(made)), 4)

    def test_a_template_is_filled_wherever_its_stand_ins_are_and_nothing_else_changes(self):
        template = {'trainyard0id': ['x-trainyard0id.svc', 1, True, None, {'env': 'TRAINYARD-EVENT'}], 'other': 'trainyard'}
        self.assertEqual(filled(template, 'abcdefghijkl', 'ZXZlbnQ='), {
            'abcdefghijkl': ['x-abcdefghijkl.svc', 1, True, None, {'env': 'ZXZlbnQ='}], 'other': 'trainyard',
        })


class Words(unittest.TestCase):
    def test_nothing_that_is_said_controls_a_terminal(self):
        with mock.patch('builtins.print') as printed:
            launcher.say('größer \x1b[2J\nforged\u202e\ud800')
        self.assertEqual(printed.call_args.args, ('größer \\x1b[2J\\nforged\\u202e\\ud800',))


class FakeApi:
    """Says what a test wants to each kind of request, and remembers them."""

    def __init__(self, **answers):
        self.answers, self.requests = answers, []

    def request(self, method, path, body=None, _content_type=None):
        self.requests.append((method, path, body))
        answer = self.answers.get(method, (201, body))
        return answer.pop(0) if isinstance(answer, list) else answer


JOB = {'kind': 'MLTrainingJob', 'apiVersion': 'v1', 'metadata': {'name': 'j-trainyard0id'}, 'spec': {'event': 'TRAINYARD-EVENT'}}
CREATED = {**JOB, 'metadata': {'name': 'j-abc', 'uid': 'U'}}


class Launches(unittest.TestCase):
    def launcher(self, api, **settings):
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(launcher, 'FOLDER', folder), mock.patch.object(launcher, 'Api', lambda: api):
            with open(os.path.join(folder, 'launch.json'), 'w') as file:
                json.dump({'name': 'l', 'jobs': '/jobs', 'job': JOB, 'companions': [], **settings}, file)
            return Launcher()

    def test_a_job_is_created_with_its_event(self):
        api = FakeApi(POST=(201, CREATED))
        self.assertEqual(self.launcher(api).launch('abc', {'id': '1'}), 'j-abc')
        ((method, path, body),) = api.requests
        self.assertEqual((method, path, body['metadata']['name']), ('POST', '/jobs', 'j-abc'))
        self.assertEqual(json.loads(base64.b64decode(body['spec']['event'])), {'id': '1'})

    def test_what_is_made_beside_the_job_belongs_to_it_also_when_the_job_had_been_there(self):
        beside = [{'path': '/services', 'object': {'kind': 'Service', 'metadata': {'name': 's-trainyard0id'}}}]
        for posts, gets in (([(201, {}), (201, CREATED)], None), ([(409, ''), (409, '')], (200, CREATED))):
            api = FakeApi(POST=posts, GET=gets, PATCH=(200, {}))
            self.launcher(api, companions=beside).launch('abc')
            method, path, body = api.requests[-1]
            self.assertEqual((method, path, body['metadata']['ownerReferences'][0]['uid']), ('PATCH', '/services/s-abc', 'U'))

    def test_what_no_second_try_will_change_is_refused_and_the_rest_is_an_error(self):
        for status, problem in ((422, Refused), (400, Refused), (403, RuntimeError), (500, RuntimeError)):
            with self.assertRaises(problem):
                self.launcher(FakeApi(POST=(status, 'no'))).launch('abc')
        with self.assertRaises(Refused):
            self.launcher(FakeApi()).launch('abc', {'data': 'x' * 100000})

    def test_there_is_room_for_as_many_jobs_as_may_run(self):
        running, done = {'status': {}}, {'status': conditions('Complete')}
        api = FakeApi(GET=(200, {'items': [running, done]}))
        self.assertTrue(self.launcher(api).has_room())
        self.assertTrue(self.launcher(api, maxRunning=2).has_room())
        self.assertFalse(self.launcher(api, maxRunning=1).has_room())
        self.assertEqual(api.requests[-1][1], '/jobs?labelSelector=ml.collabnix.io/launcher%3Dl')

    def test_messages_are_taken_until_there_are_none(self):
        source = mock.Mock()
        source.name, source.receive.side_effect = 'q', [{'id': '1', 'event': {}}, {'id': '2', 'event': {}}, None]
        worker = mock.Mock()
        worker.launch.side_effect = [Refused('no'), 'name']
        self.assertEqual(drain(worker, source), 1)
        source.refuse.assert_called_once_with({'id': '1', 'event': {}})
        source.acknowledge.assert_called_once_with({'id': '2', 'event': {}})
