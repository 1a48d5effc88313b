import importlib
import os
import signal
import sys
from types import SimpleNamespace

from support import SOURCES, ProgressTest


class LightGbm(ProgressTest):
    """The callback needs nothing of LightGBM itself; the others are tested with their frameworks."""

    def setUp(self):
        super().setUp()
        sys.path.insert(0, str(SOURCES))
        self.addCleanup(sys.path.remove, str(SOURCES))
        self.module = importlib.import_module('trainyard_progress.lightgbm')
        self.core = importlib.import_module('trainyard_progress._core')
        self.addCleanup(setattr, self.core, '_deliver', self.core._deliver)
        self.addCleanup(self.silence, self.core)
        self.addCleanup(signal.signal, signal.SIGTERM, signal.getsignal(signal.SIGTERM))

    def env(self, iteration):
        results = [('valid', 'l2', 1 / (iteration + 1), False), ('cv', 'auc', 0.5, True, 0.1)]
        return SimpleNamespace(iteration=iteration, begin_iteration=0, end_iteration=20, evaluation_result_list=results, model=f'model {iteration}')

    def test_rounds_metrics_and_checkpoints(self):
        endpoint = self.endpoint()
        callback = self.module.callback(save=lambda model, rounds: f'/c/{rounds}')
        for iteration in range(20):
            callback(self.env(iteration))
        self.assertTrue(self.core.flush())
        self.assertEqual(endpoint.checkpoints, [{'path': '/c/10', 'step': 10}, {'path': '/c/20', 'step': 20}])
        self.assertEqual(endpoint.reports[-1]['progressPercentage'], 100)
        self.assertEqual(endpoint.reports[-1]['metrics'], [
            {'name': 'valid-l2', 'value': '0.05'}, {'name': 'cv-auc', 'value': '0.5'}, {'name': 'step', 'value': '20'},
        ])

    def test_sigterm_saves_and_leaves(self):
        endpoint = self.endpoint()
        callback = self.module.callback(save=lambda model, rounds: f'/c/{rounds}')
        callback(self.env(0))
        os.kill(os.getpid(), signal.SIGTERM)
        with self.assertRaises(SystemExit) as raised:
            callback(self.env(1))
        self.core._stop_requested = False
        self.assertEqual(raised.exception.code, 143)
        self.assertEqual(endpoint.checkpoints, [{'path': '/c/2', 'step': 2}])
