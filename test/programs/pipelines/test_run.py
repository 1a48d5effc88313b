import datetime
import io
import json
import os
import unittest
import urllib.error
from unittest import mock

from programs.pipelines import run

SETTINGS = {
    'endpoint': 'http://kfp/', 'namespace': 'team', 'name': 'nightly', 'pipeline': 'train me', 'version': 'v2', 'experiment': 'e', 'parameters': {'a': 1},
}

PIPELINES = {'pipelines': [{'name': 'train me', 'pipeline_id': 'P'}]}


class Server:
    """Answers each path with the next of its answers, and remembers requests."""

    def __init__(self, **answers):
        self.answers, self.requests = answers, []

    def urlopen(self, request, timeout):
        path = request.full_url[len('http://kfp/apis/v2beta1/'):]
        self.requests.append((path, json.loads(request.data) if request.data else None))
        name = path.split('?')[0].split('/')[-1]
        found = self.answers[name].pop(0)
        if isinstance(found, Exception):
            raise found
        return io.StringIO(json.dumps(found))

    def started(self, **settings):
        with mock.patch('urllib.request.urlopen', self.urlopen), mock.patch.dict(os.environ, {'TRAINYARD_RUN': json.dumps({**SETTINGS, **settings})}):
            run.main()
        return self.requests[-1][1]


class Runs(unittest.TestCase):
    def test_a_version_is_found_by_its_name_on_whatever_page_it_is(self):
        server = Server(
            pipelines=[dict(PIPELINES)],
            versions=[
                {'pipeline_versions': [{'name': 'v1', 'display_name': 'v2'}], 'next_page_token': 'n'},
                {'pipeline_versions': [{'name': 'v2', 'display_name': 'Second', 'pipeline_version_id': 'V'}]},
            ],
            experiments=[{'experiments': [{'display_name': 'e', 'experiment_id': 'E'}]}], runs=[{'run_id': 'R'}],
        )
        started = server.started(serviceAccount='s', pipelineRoot='gs://b')
        self.assertEqual(started['pipeline_version_reference'], {'pipeline_id': 'P', 'pipeline_version_id': 'V'})
        self.assertEqual((started['experiment_id'], started['service_account']), ('E', 's'))
        self.assertEqual(started['runtime_config'], {'parameters': {'a': 1}, 'pipeline_root': 'gs://b'})
        self.assertIn(('pipelines/P/versions?page_size=100&page_token=n', None), server.requests)

    def test_an_experiment_is_made_where_there_is_none(self):
        version = {'pipeline_versions': [{'name': 'v2', 'pipeline_version_id': 'V'}]}
        server = Server(pipelines=[dict(PIPELINES)], versions=[version], experiments=[{}, {'experiment_id': 'E'}], runs=[{'run_id': 'R'}])
        self.assertEqual(server.started()['experiment_id'], 'E')
        self.assertIn(('experiments', {'display_name': 'e', 'namespace': 'team'}), server.requests)

    def test_what_is_missing_is_told(self):
        with self.assertRaisesRegex(SystemExit, 'pipeline train me has no version v2'):
            Server(pipelines=[dict(PIPELINES)], versions=[{}]).started()
        with self.assertRaisesRegex(SystemExit, 'there is no pipeline train me'):
            Server(pipelines=[{}]).started()
        error = urllib.error.HTTPError('http://kfp', 404, 'Not Found', {}, io.BytesIO(b'no such pipeline'))
        with self.assertRaisesRegex(SystemExit, 'answers 404: no such pipeline'):
            Server(pipelines=[error]).started()
        with self.assertRaisesRegex(SystemExit, 'does not answer'):
            Server(pipelines=[OSError('refused')]).started()

    def test_runs_have_the_time_in_their_names(self):
        now = datetime.datetime(2026, 1, 2, 3, 4, 5)
        self.assertEqual(run.run_of(SETTINGS, 'E', 'P', 'V', now)['display_name'], 'nightly-20260102-030405')

    def test_the_token_is_read_where_there_is_one(self):
        self.assertEqual(run.headers_with('/nowhere/token'), {'Content-Type': 'application/json'})
        with mock.patch('os.path.exists', return_value=True), mock.patch('builtins.open', mock.mock_open(read_data='T\n')):
            self.assertEqual(run.headers_with('/token')['Authorization'], 'Bearer T')
