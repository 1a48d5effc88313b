import datetime
import json
import math
import os
import threading

from support import PATH, ProgressTest


class Reports(ProgressTest):
    def test_a_report_arrives_with_token_and_contract(self):
        endpoint = self.endpoint()
        before = datetime.datetime.now(datetime.timezone.utc)
        self.assertTrue(self.progress.report(45.7, {'loss': 0.25, 'epoch': 3, 'phase': 'warm-up'}, remaining_seconds=12.9))
        self.assertTrue(self.progress.flush())
        path, headers, body = endpoint.requests[0]
        self.assertEqual((path, headers['Authorization'], headers['Content-Type']), (PATH, 'Bearer the-token', 'application/json'))
        status = body['trainerStatus']
        self.assertLess(abs((datetime.datetime.fromisoformat(status.pop('lastUpdatedTime')) - before).total_seconds()), 30)
        self.assertEqual(body, {'trainerStatus': {
            'progressPercentage': 45, 'estimatedRemainingSeconds': 12,
            'metrics': [{'name': 'loss', 'value': '0.25'}, {'name': 'epoch', 'value': '3'}, {'name': 'phase', 'value': 'warm-up'}],
        }})

    def test_the_variables_of_kubeflow_are_enough(self):
        endpoint = self.endpoint()
        os.environ['KUBEFLOW_TRAINER_SERVER_URL'] = os.environ.pop('TRAINYARD_PROGRESS_URL')
        os.environ['KUBEFLOW_TRAINER_SERVER_TOKEN'] = os.environ.pop('TRAINYARD_PROGRESS_TOKEN_FILE')
        self.progress.report(1)
        self.assertTrue(self.progress.flush())
        self.assertEqual([report['progressPercentage'] for report in endpoint.reports], [1])

    def test_the_newest_report_wins_while_one_is_sent(self):
        endpoint = self.endpoint()
        endpoint.gate.clear()
        self.progress.report(0)
        self.until('the first request', lambda: endpoint.arrived == 1)
        for percent in range(1, 100):
            self.progress.report(percent)
        endpoint.gate.set()
        self.assertTrue(self.progress.flush())
        self.assertEqual([report['progressPercentage'] for report in endpoint.reports], [0, 99])

    def test_what_a_report_leaves_out_keeps_its_last_value(self):
        endpoint = self.endpoint()
        self.progress.report(step=250, total=1000)
        self.progress.report(metrics={'loss': 1})
        self.assertTrue(self.progress.flush())
        self.assertEqual(endpoint.reports[-1]['progressPercentage'], 25)
        self.assertEqual(endpoint.reports[-1]['metrics'], [{'name': 'loss', 'value': '1'}, {'name': 'step', 'value': '250'}])

    def test_force_does_not_wait_for_the_interval(self):
        self.progress.INTERVAL = 1000
        endpoint = self.endpoint()
        self.progress.report(1)
        self.until('the first report', lambda: len(endpoint.reports) == 1)
        self.progress.report(2)
        self.progress.report(3, force=True)
        self.until('the second report', lambda: len(endpoint.reports) == 2)
        self.assertEqual(endpoint.reports[-1]['progressPercentage'], 3)

    def test_reports_keep_their_interval(self):
        self.progress.INTERVAL = 1000
        endpoint = self.endpoint()
        self.progress.report(1)
        self.until('the first report', lambda: len(endpoint.reports) == 1)
        self.assertFalse(self.progress.is_due())
        self.progress.report(2)
        self.progress.checkpoint('/c', wait=30)
        self.assertEqual(len(endpoint.reports), 1)

    def test_metrics_fit_the_contract(self):
        class Scalar:
            def item(self):
                return 0.5

        class Broken:
            def __str__(self):
                raise RuntimeError

        endpoint = self.endpoint()
        self.progress.report(metrics={
            'nan': math.nan, 'inf': -math.inf, '': 1, 'empty': '', 'none': None, 'scalar': Scalar(), 'broken': Broken(), 'list': [1, 2],
            'n' * 65: 1, 'n' * 66: 2, 'text': 'v' * 100, 7: True,
        })
        self.assertTrue(self.progress.flush())
        self.assertEqual({metric['name']: metric['value'] for metric in endpoint.reports[0]['metrics']}, {
            'nan': 'nan', 'inf': '-inf', 'scalar': '0.5', 'list': '[1, 2]', 'n' * 64: '1', 'text': 'v' * 64, '7': 'True',
        })

    def test_too_many_and_too_large_metrics_are_cut(self):
        endpoint = self.endpoint()
        self.progress.report(metrics={f'metric-{number}': number for number in range(300)})
        self.assertTrue(self.progress.flush())
        self.assertEqual(len(endpoint.reports[0]['metrics']), 256)
        self.progress.report(metrics={f'{number:04d}' + '\U0001f600' * 60: '\U0001f600' * 64 for number in range(256)})
        self.assertTrue(self.progress.flush())
        self.assertLess(len(json.dumps(endpoint.bodies[1], ensure_ascii=False).encode()), 64 * 1024)
        self.assertGreater(len(endpoint.reports[1]['metrics']), 50)

    def test_nonsense_is_left_out_and_never_raises(self):
        endpoint = self.endpoint()
        for arguments in [('nonsense',), (math.nan,), (math.inf,), (object(),), (1, 7), (1, ['a']), (None, None, math.nan), ([],)]:
            self.progress.report(*arguments)
        self.progress.report(step='x', total='y')
        self.progress.report(step=1, total=0)
        self.progress.report(metrics={'lone surrogate \udc80': '\ud800'})
        self.progress.report(500, remaining_seconds=-5)
        self.assertTrue(self.progress.flush())
        self.assertEqual(endpoint.reports[-1]['progressPercentage'], 100)
        self.assertEqual(endpoint.reports[-1]['estimatedRemainingSeconds'], 0)

    def test_a_checkpoint_can_be_part_of_a_report(self):
        endpoint = self.endpoint()
        self.progress.report(step=5, total=10, checkpoint='/c/5')
        self.assertTrue(self.progress.flush())
        self.assertEqual(endpoint.checkpoints, [{'path': '/c/5', 'step': 5}])

    def test_progress_counts_steps(self):
        endpoint = self.endpoint()
        with self.progress.Progress(total=10) as progress:
            for step in range(10):
                progress.step(loss=1 / (step + 1), count=step)
            progress.checkpoint('/c/10')
        self.assertTrue(self.progress.flush())
        self.assertEqual(endpoint.reports[-1]['progressPercentage'], 100)
        self.assertEqual(endpoint.reports[-1]['metrics'], [
            {'name': 'loss', 'value': '0.1'}, {'name': 'count', 'value': '9'}, {'name': 'step', 'value': '10'},
        ])
        self.assertEqual(endpoint.checkpoints, [{'path': '/c/10', 'step': 10}])

    def test_track_follows_a_loop_and_its_end(self):
        endpoint = self.endpoint()
        self.assertEqual(list(self.progress.track(range(4))), [0, 1, 2, 3])
        self.assertTrue(self.progress.flush())
        self.assertEqual(endpoint.reports[-1]['progressPercentage'], 100)
        for number in self.progress.track(iter(range(100)), total=200, start=100):
            if number == 50:
                break
        self.progress.report(metrics={'loss': 2})
        self.assertTrue(self.progress.flush())
        self.assertEqual(endpoint.reports[-1]['progressPercentage'], 75)
        self.assertIn({'name': 'loss', 'value': '2'}, endpoint.reports[-1]['metrics'])

    def test_a_loop_of_unknown_length_reports_its_steps(self):
        endpoint = self.endpoint()
        self.assertEqual(len(list(self.progress.track(iter(range(7))))), 7)
        self.assertTrue(self.progress.flush())
        self.assertNotIn('progressPercentage', endpoint.reports[-1])
        self.assertEqual(endpoint.reports[-1]['metrics'], [{'name': 'step', 'value': '7'}])

    def test_an_error_in_the_loop_is_not_hidden(self):
        self.endpoint()
        with self.assertRaises(ZeroDivisionError):
            with self.progress.Progress(total=10) as progress:
                progress.step()
                raise ZeroDivisionError

    def test_outside_a_job_nothing_happens(self):
        before = threading.active_count()
        self.assertFalse(self.progress.report(1))
        self.assertFalse(self.progress.checkpoint('/c', wait=30))
        self.assertTrue(self.progress.flush())
        self.assertFalse(self.progress.is_due())
        self.assertEqual(list(self.progress.track([1, 2])), [1, 2])
        self.assertEqual(threading.active_count(), before)
        self.assertEqual(self.warnings, [])

    def test_only_the_first_rank_reports(self):
        self.endpoint()
        cases = [
            ({}, True), ({'RANK': '0'}, True), ({'RANK': '1'}, False), ({'RANK': 'x'}, False), ({'RANK': '', 'OMPI_COMM_WORLD_RANK': '1'}, False),
            ({'OMPI_COMM_WORLD_RANK': '0', 'ROLE': 'worker'}, True), ({'ROLE': 'launcher'}, True), ({'ROLE': 'ps'}, False), ({'ROLE': 'worker'}, False),
            ({'RANK': '0', 'ROLE': 'worker', 'JAX_PROCESS_ID': '1'}, True), ({'JAX_PROCESS_ID': '1'}, False), ({'JAX_PROCESS_ID': '0'}, True),
            ({'PMI_RANK': '2'}, False), ({'PMIX_RANK': '2'}, False), ({'FLUX_TASK_RANK': '2'}, False), ({'SLURM_PROCID': '2'}, False),
            ({'PADDLE_TRAINER_ID': '2'}, False), ({'DMLC_TASK_ID': '000000'}, True), ({'PET_NODE_RANK': '1'}, False),
            ({'PET_NODE_RANK': '1', 'RANK': '0'}, True), ({'JOB_COMPLETION_INDEX': '3'}, False),
        ]
        for environment, expected in cases:
            os.environ.update(environment)
            with self.subTest(environment):
                self.assertEqual(self.load().report(1), expected)
            for name in environment:
                del os.environ[name]
