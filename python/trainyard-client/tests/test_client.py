"""The client against an API server in memory: what is sent, what is kept, what is told when something goes wrong."""

import base64
import contextlib
import io
import json
import os
import sys
import tarfile
import threading
import unittest
from unittest import mock

from fake_api import FakeApi, status
from support import kubeconfig
from trainyard_client import (
    AlreadyExists,
    Client,
    ClusterError,
    Forbidden,
    InvalidArgument,
    JobFailed,
    NotFound,
    TrainyardError,
    Unreachable,
    WaitTimeout,
)

JOBS = '/apis/ml.collabnix.io/v1alpha1/namespaces/ml/mltrainingjobs'


def train(epochs=1):
    print(epochs)


class WithApi(unittest.TestCase):
    def setUp(self):
        # Nobody here minds many requests.
        patched = mock.patch('trainyard_client._watch._LOOK', 0.05)
        patched.start()
        self.addCleanup(patched.stop)
        self.api = FakeApi()
        self.addCleanup(self.api.close)
        self.file = kubeconfig(self.api.url)
        self.addCleanup(os.remove, self.file)
        self.client = Client(kubeconfig=self.file)

    def config_maps(self):
        return {body['metadata']['name']: body for path, body in self.api.objects.items() if '/ml/configmaps/' in path}


class Training(WithApi):
    def test_a_job_its_code_and_its_owner(self):
        job = self.client.train(
            train,
            {'epochs': 3},
            name='digits',
            framework='pytorch',
            replicas=2,
            gpus=4,
            cpus=2.5,
            memory='8Gi',
            image='img',
            packages=['numpy==2'],
            env={'A': 'b'},
            hyperparameters={'LR': 0.1},
            restarts=2,
            queue='research',
            labels={'team': 'a'},
            spec={'resources': {'sharedMemory': '1Gi'}, 'checkpointPath': 's3://x/digits'},
        )
        spec = self.api.jobs()['digits']['spec']
        code = spec.pop('code')
        self.assertEqual(
            spec,
            {
                'framework': 'pytorch',
                'image': 'img',
                'replicas': 2,
                'nprocPerNode': 4,
                'command': ['python3', 'trainyard_start.py'],
                'resources': {'gpu': 4, 'cpu': '2.5', 'memory': '8Gi', 'sharedMemory': '1Gi'},
                'env': [{'name': 'A', 'value': 'b'}],
                'hyperparameters': {'LR': '0.1'},
                'runPolicy': {'restartPolicy': 'OnFailure', 'backoffLimit': 2},
                'scheduling': {'queueName': 'research'},
                'checkpointPath': 's3://x/digits',
            },
        )
        held = self.config_maps()[code['configMap']]
        self.assertEqual([owner['uid'] for owner in held['metadata']['ownerReferences']], [job.uid])
        self.assertTrue(held['immutable'])
        with tarfile.open(fileobj=io.BytesIO(base64.b64decode(held['binaryData']['code.tar.gz']))) as tar:
            self.assertEqual(tar.getnames(), ['trainyard_function.py', 'trainyard_job.json', 'trainyard_start.py'])
            sent = json.load(tar.extractfile('trainyard_job.json'))
        self.assertEqual((sent['arguments'], sent['packages'], sent['launcher']), ({'epochs': 3}, ['numpy==2'], ['torchrun']))
        self.assertEqual(
            [(method, path.rsplit('/', 1)[-1]) for method, path, *_ in self.api.requests],
            [('POST', 'configmaps'), ('POST', 'mltrainingjobs'), ('PATCH', code['configMap'])],
        )
        self.assertEqual({request[4] for request in self.api.requests}, {'Bearer secret'})
        self.assertEqual(repr(job), "Job('ml/digits', phase='Pending')")

    def test_a_job_that_is_refused_leaves_no_code_behind(self):
        self.client.train(train, name='taken')
        with self.assertRaises(AlreadyExists) as caught:
            self.client.train(train, name='taken')
        self.assertIn("Cannot create the job 'taken' in the namespace 'ml': it exists. Nothing was changed.", str(caught.exception))
        self.assertEqual(len(self.config_maps()), 1)

    def test_a_job_whose_code_cannot_get_its_owner_is_taken_back(self):
        refused = (403, status(403, 'Forbidden', 'configmaps is forbidden: User "eve" cannot patch resource "configmaps"'))
        self.api.refuse = lambda method, path, query, body: refused if method == 'PATCH' else None
        with self.assertRaises(Forbidden) as caught:
            self.client.train(train, name='a')
        self.assertIn("does not have the permission 'patch' on configmaps", str(caught.exception))
        self.assertEqual((self.api.jobs(), self.config_maps()), ({}, {}))

    def test_deleting_a_job_deletes_its_code_unless_another_run_has_it(self):
        job = self.client.train(train, name='digits')
        again = job.rerun()
        self.assertEqual(again.name, 'digits-2')
        job.delete()
        self.assertEqual(len(self.config_maps()), 1)
        again.delete()
        self.assertEqual(self.config_maps(), {})
        with self.assertRaises(NotFound):
            job.refresh()

    def test_nothing_is_sent_when_an_argument_is_wrong(self):
        for options in ({'args': {'epochs': object()}}, {'name': 'A'}, {'framework': 'x'}, {'framework': 'paddle'}, {'env': {'A': []}}):
            with self.assertRaises(InvalidArgument):
                self.client.train(train, **options)
        self.assertEqual(self.api.requests, [])


class Reading(WithApi):
    def test_lists_in_pages_without_parts_of_other_jobs(self):
        import trainyard_client._api as module

        for name in ('a', 'b', 'c'):
            self.client.train(train, name=name)
        self.api.objects[f'{JOBS}/c']['metadata']['ownerReferences'] = [
            {'apiVersion': 'ml.collabnix.io/v1alpha1', 'kind': 'MLTrainingJob', 'uid': 'x'}
        ]
        self.addCleanup(setattr, module, 'PAGE', module.PAGE)
        module.PAGE = 1
        self.assertEqual([job.name for job in self.client.list()], ['a', 'b'])
        self.assertEqual([job.name for job in self.client.list(phase='Failed')], [])

    def test_a_list_that_expires_between_two_pages_is_read_again(self):
        self.client.train(train, name='a')
        answers = [(410, status(410, 'Expired', 'too old'))]
        self.api.refuse = lambda method, path, query, body: answers.pop() if answers and path == JOBS and method == 'GET' else None
        self.assertEqual([job.name for job in self.client.list()], ['a'])

    def test_metrics_progress_and_failure_of_the_status(self):
        job = self.client.train(train, name='a')
        self.api.set_status(
            'a',
            phase='Failed',
            restarts=2,
            trainerStatus={'progressPercentage': 45, 'metrics': [{'name': 'loss', 'value': '0.25'}, {'name': 'note', 'value': 'x'}]},
            progressHistory=[{'time': '2026-01-31T12:00:00.123456Z', 'progressPercentage': 10, 'metrics': {'loss': '1'}}],
            checkpoint={'path': '/c/1'},
            conditions=[{'type': 'Failed', 'status': 'True', 'message': 'backoffLimit'}],
            lastFailure={'reason': 'OOMKilled', 'pod': 'a-worker-1', 'rank': 1, 'node': 'n', 'exitCode': 137, 'logTail': 'last words'},
        )
        job.refresh()
        self.assertEqual((job.metrics, job.progress, job.checkpoint, job.restarts, job.message), ({'loss': 0.25}, 45, '/c/1', 2, 'backoffLimit'))
        self.assertEqual((job.history[0].percent, job.history[0].metrics), (10, {'loss': 1.0}))
        with self.assertRaises(JobFailed) as caught:
            job.wait()
        self.assertEqual(
            str(caught.exception),
            "The job 'ml/a' is Failed, and will not be Completed (backoffLimit):\nrank 1 (a-worker-1) on n: OOMKilled, exit code 137\nlast words",
        )
        self.assertEqual(self.client.metrics('a'), {'loss': 0.25})

    def test_the_best_trial_has_values_in_their_types(self):
        space = {'lr': {'type': 'float'}, 'n': {'type': 'int'}, 'k': {'type': 'categorical', 'values': ['a', 2]}}
        job = self.client.train(train, name='a', spec={'autoTuning': {'parameters': space}})
        self.api.set_status('a', tuning={'best': {'trial': 4, 'value': 0.9, 'parameters': {'lr': '0.5', 'n': '3', 'k': '2'}}})
        best = job.refresh().best
        self.assertEqual((best.number, best.value, best.parameters), (4, 0.9, {'lr': 0.5, 'n': 3, 'k': 2}))

    def test_logs_of_all_ranks_in_the_order_of_their_times(self):
        self.api.logs = lambda pod: [f'{pod[-1]} first', f'{pod[-1]} second']
        job = self.client.train(train, name='a', replicas=2)
        self.assertEqual(list(job.logs()), ['0 first', '1 first', '0 second', '1 second'])
        self.assertEqual([(line, line.rank, line.role, line.pod) for line in job.logs(rank=1, tail=1)], [('1 second', 1, 'worker', 'a-worker-1')])
        with self.assertRaises(InvalidArgument) as caught:
            list(job.logs(rank=5))
        self.assertIn('there are pods of the ranks 0 to 1', str(caught.exception))

    def test_a_pod_that_is_deleted_after_it_was_listed_has_no_log(self):
        gone = 404, status(404, 'NotFound', 'pods "a-worker-0" not found')
        self.api.refuse = lambda method, path, query, body: gone if path.endswith('/a-worker-0/log') else None
        job = self.client.train(train, name='a', replicas=2)
        self.assertEqual([(line, line.rank) for line in job.logs()], [('line one', 1), ('line two', 1)])

    def test_logs_that_are_followed_go_on_after_a_lost_connection_without_repeating_lines(self):
        self.api.phase = 'Running'
        job = self.client.train(train, name='a')
        turns = []

        def stream(since):
            turns.append(since)
            lines = [f'2026-01-31T12:00:0{at}.5Z line {at}' for at in (1, 1, 2, 3)]
            if len(turns) == 1:
                yield from [*lines[:2], 'drop']
            yield from lines
            self.api.end_pod('a-worker-0')
            self.api.set_status('a', phase='Completed')

        self.api.log_streams['a-worker-0'] = stream
        self.assertEqual(list(job.logs(follow=True)), ['line 1', 'line 1', 'line 2', 'line 3'])
        self.assertEqual(turns[:2], [None, '2026-01-31T12:00:01.5Z'])

    def test_a_stream_that_ends_before_its_container_is_opened_again(self):
        self.api.phase = 'Running'
        job = self.client.train(train, name='a')
        turns = []

        def stream(since):
            turns.append(since)
            yield '2026-01-31T12:00:01.5Z line 1'
            if len(turns) == 2:
                yield '2026-01-31T12:00:02.5Z line 2'
                self.api.end_pod('a-worker-0')
                self.api.set_status('a', phase='Completed')

        self.api.log_streams['a-worker-0'] = stream
        self.assertEqual(list(job.logs(follow=True)), ['line 1', 'line 2'])

    def test_logs_are_followed_while_the_api_server_is_away(self):
        job = self.client.train(train, name='a')
        away = iter([True, True])
        self.api.refuse = lambda method, path, query, body: 'drop' if path.endswith('/pods') and next(away, False) else None
        self.assertEqual(list(job.logs(follow=True)), ['line one', 'line two'])


class Waiting(WithApi):
    def setUp(self):
        super().setUp()
        self.api.phase = 'Running'
        self.job = self.client.train(train, name='a')

    def wait_in_background(self, *args, **options):
        found = []

        def run():
            try:
                found.append(self.job.wait(*args, **options).phase)
            except TrainyardError as error:
                found.append(error)

        thread = threading.Thread(target=run)
        thread.start()
        return thread, found

    def until_watched(self, times=1):
        while sum('watch' in request[2] for request in self.api.requests) < times:
            pass

    def test_a_watch_sees_the_change(self):
        thread, found = self.wait_in_background()
        self.until_watched()
        self.api.set_status('a', phase='Completed')
        thread.join()
        self.assertEqual(found, ['Completed'])

    def test_a_watch_that_is_dropped_or_too_old_is_made_again(self):
        answers = [
            'drop',
            (410, status(410, 'Expired', 'too old resource version')),
            (500, status(500, 'InternalError', 'etcd')),
            (200, json.dumps({'type': 'ERROR', 'object': status(410, 'Gone', 'too old')}) + '\n'),
        ]
        self.api.refuse = lambda method, path, query, body: answers.pop(0) if answers and 'watch' in query else None
        thread, found = self.wait_in_background()
        self.until_watched(5)
        self.api.set_status('a', phase='Completed')
        thread.join()
        self.assertEqual(found, ['Completed'])

    def test_without_the_right_to_watch_it_looks(self):
        refused = (403, status(403, 'Forbidden', 'mltrainingjobs is forbidden: User "eve" cannot watch resource "mltrainingjobs"'))
        self.api.refuse = lambda method, path, query, body: refused if 'watch' in query else None
        thread, found = self.wait_in_background()
        self.until_watched()
        self.api.set_status('a', phase='Completed')
        thread.join()
        self.assertEqual(found, ['Completed'])

    def test_a_job_that_is_deleted_will_not_end(self):
        thread, found = self.wait_in_background()
        self.until_watched()
        self.client.delete('a')
        thread.join()
        self.assertIsInstance(found[0], JobFailed)
        self.assertIn("The job 'ml/a' was deleted", str(found[0]))

    def test_phases_that_were_passed_or_cannot_come(self):
        self.assertEqual(self.job.wait('Running').phase, 'Running')
        self.api.set_status('a', phase='Completed')
        self.assertEqual(self.job.wait('Running').phase, 'Completed')
        with self.assertRaises(JobFailed):
            self.job.wait('Suspended')
        with self.assertRaises(InvalidArgument):
            self.job.wait('Done')

    def test_a_progress_bar_shows_phase_percent_and_metrics(self):
        self.api.set_status('a', phase='Completed', trainerStatus={'progressPercentage': 100, 'metrics': [{'name': 'loss', 'value': '0.25'}]})
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            self.job.wait(progress=True)
        self.assertIn('a: 100%', said.getvalue())
        self.assertIn('Completed 1/1 loss=0.25', said.getvalue())
        with mock.patch.dict(sys.modules, {'tqdm.auto': None}), contextlib.redirect_stderr(said := io.StringIO()):
            self.job.wait(progress=True)
        self.assertEqual(said.getvalue(), '')

    def test_time_is_limited(self):
        with self.assertRaises(WaitTimeout) as caught:
            self.job.wait(timeout=0.2)
        self.assertIn("The job 'ml/a' is Running, and was not Completed after 0.2 s. It continues.", str(caught.exception))

    def test_each_change_is_told(self):
        seen = []
        thread = threading.Thread(target=lambda: self.client.wait(self.job, on_change=lambda job: seen.append(job.progress)))
        thread.start()
        self.until_watched()
        self.api.set_status('a', trainerStatus={'progressPercentage': 50})
        self.api.set_status('a', phase='Completed')
        thread.join()
        self.assertEqual(seen, [None, 50, 50])


class Changing(WithApi):
    def test_suspend_and_resume(self):
        self.api.phase = 'Running'
        job = self.client.train(train, name='a')
        job.suspend()
        self.assertTrue(job.spec['suspend'])
        self.api.set_status('a', idle={'suspended': 'now'})
        job.resume()
        self.assertFalse(job.spec['suspend'])
        self.assertIn('ml.collabnix.io/resume', job.raw['metadata']['annotations'])
        self.api.set_status('a', phase='Completed')
        with self.assertRaises(JobFailed) as caught:
            job.suspend()
        self.assertIn('is Completed: there is nothing to suspend', str(caught.exception))

    def test_a_rerun_has_the_next_free_name_its_own_checkpoints_and_no_state(self):
        self.client.train(
            train,
            name='a',
            spec={'checkpointPath': 's3://b/a/x', 'checkpoint': {'subPath': 'a'}, 'suspend': True},
            labels={'team': 'x', 'ml.collabnix.io/run-id': 'r1'},
            annotations={'note': 'y', 'kubectl.kubernetes.io/last-applied-configuration': '{}'},
        )
        self.client.rerun('a')
        new = self.client.rerun('a', spec={'replicas': 3})
        self.assertEqual((new.name, new.spec['replicas']), ('a-3', 3))
        self.assertEqual((new.spec['checkpointPath'], new.spec['checkpoint'], 'suspend' in new.spec), ('s3://b/a-3/x', {'subPath': 'a-3'}, False))
        self.assertEqual(
            (new.raw['metadata']['labels'], new.raw['metadata']['annotations']), ({'team': 'x', 'ml.collabnix.io/parent-run': 'r1'}, {'note': 'y'})
        )
        self.assertEqual(self.client.rerun('a', 'b', from_checkpoint=True).spec['checkpointPath'], 's3://b/a/x')
        with self.assertRaises(AlreadyExists):
            self.client.rerun('a', 'b')


class Errors(WithApi):
    def refusal(self, code, reason, message, **details):
        self.api.refuse = lambda method, path, query, body: (code, status(code, reason, message, details))
        try:
            self.client.train(train, name='a')
        except TrainyardError as error:
            return error
        raise AssertionError('it was not refused')

    def test_a_missing_right_is_named_with_the_user_the_namespace_and_the_fix(self):
        error = self.refusal(
            403, 'Forbidden', 'configmaps is forbidden: User "eve" cannot create resource "configmaps" in API group "" in the namespace "ml"'
        )
        self.assertIsInstance(error, Forbidden)
        self.assertRegex(
            str(error),
            r"^Cannot create the ConfigMap 'a-code-\w{5}' in the namespace 'ml': 'eve' does not have the permission 'create' on configmaps there\. "
            r'Ask whoever manages the namespace for a role with it \(check: kubectl auth can-i create configmaps\), or choose another namespace=\.$',
        )

    def test_a_quota_is_told_as_the_cluster_tells_it(self):
        self.assertIn('exceeded quota: jobs', str(self.refusal(403, 'Forbidden', 'configmaps "a" is forbidden: exceeded quota: jobs')))

    def test_fields_that_are_rejected_are_listed(self):
        error = self.refusal(
            422, 'Invalid', 'invalid', causes=[{'field': 'spec.replicas', 'message': 'must be at least 1'}, {'field': 'spec.x', 'message': 'unknown'}]
        )
        self.assertIsInstance(error, InvalidArgument)
        self.assertIn('the cluster rejects it:\n  spec.replicas: must be at least 1\n  spec.x: unknown', str(error))

    def test_other_answers(self):
        self.assertIn('Log in again', str(self.refusal(401, 'Unauthorized', 'Unauthorized')))
        self.assertIn(
            'the cluster does not serve configmaps, or the namespace does not exist',
            str(self.refusal(404, 'NotFound', 'the server could not find the requested resource')),
        )
        self.assertIsInstance(self.refusal(500, 'InternalError', 'etcd is down'), ClusterError)
        self.api.refuse = lambda method, path, query, body: (404, status(404, 'NotFound', 'the server could not find the requested resource'))
        with self.assertRaises(NotFound) as caught:
            self.client.list()
        self.assertIn('The operator is not installed', str(caught.exception))
        self.api.refuse = lambda method, path, query, body: (200, '<html>login</html>')
        with self.assertRaises(ClusterError) as caught:
            self.client.get('a')
        self.assertIn('is a proxy or a login page in between?', str(caught.exception))

    def test_a_job_that_is_not_there_and_a_name_that_is_none(self):
        with self.assertRaises(NotFound) as caught:
            self.client.get('nothing')
        self.assertEqual(str(caught.exception), "Cannot read the job 'nothing' in the namespace 'ml': it does not exist.")
        for name in ('../secrets/x', '', 'A b'):
            with self.assertRaises(InvalidArgument):
                self.client.get(name)

    def test_a_server_that_does_not_answer(self):
        self.api.close()
        with self.assertRaises(Unreachable) as caught:
            self.client.list()
        self.assertIn(f'the API server {self.api.url} does not answer', str(caught.exception))

    def test_a_kubeconfig_that_is_not_there(self):
        with self.assertRaises(TrainyardError) as caught:
            Client(kubeconfig='/nonexistent/config').list()
        self.assertIn('/nonexistent/config', str(caught.exception))
        self.assertIn('local=True', str(caught.exception))
        with self.assertRaises(TrainyardError) as caught:
            Client(kubeconfig=self.file, context='other').list()
        self.assertIn('other', str(caught.exception))


if __name__ == '__main__':
    unittest.main()
