import os
import pathlib
import threading
import time

from support import ProgressTest


class Checkpoints(ProgressTest):
    def test_order_under_load(self):
        self.progress.LONGEST_PAUSE = 0.01
        endpoint = self.endpoint()
        endpoint.answers = [500 if number % 50 == 7 else (429, {'Retry-After': '0'}, '') if number % 50 == 30 else 200 for number in range(100)]
        stop = threading.Event()

        def report():
            step = 0
            while not stop.is_set():
                step += 1
                self.progress.report(metrics={'loss': step}, step=step)
                time.sleep(0.0002)

        thread = threading.Thread(target=report)
        thread.start()
        for step in range(200):
            self.progress.checkpoint(f'/c/{step}', step)
        self.until('all checkpoints', lambda: len(endpoint.checkpoints) == 200)
        stop.set()
        thread.join()
        self.assertEqual([checkpoint['step'] for checkpoint in endpoint.checkpoints], list(range(200)))
        self.assertEqual([checkpoint['path'] for checkpoint in endpoint.checkpoints], [f'/c/{step}' for step in range(200)])

    def test_wait_returns_whether_it_is_stored(self):
        endpoint = self.endpoint()
        self.assertTrue(self.progress.checkpoint(pathlib.Path('/c/1'), 1, wait=30))
        endpoint.answers = [(422, {}, '{"message": "the step is negative"}')]
        self.assertFalse(self.progress.checkpoint('/c/2', 2, wait=30))
        self.assertTrue(self.progress.checkpoint(b'/c/3', 3, wait=30))
        self.assertEqual(endpoint.checkpoints, [{'path': '/c/1', 'step': 1}, {'path': '/c/3', 'step': 3}])
        self.assertEqual(len(self.warnings), 1)
        self.assertIn('the step is negative', self.warnings[0])

    def test_by_default_it_does_not_wait(self):
        endpoint = self.endpoint()
        endpoint.gate.clear()
        self.assertFalse(self.progress.checkpoint('/c/1', 1))
        endpoint.gate.set()
        self.assertTrue(self.progress.flush())
        self.assertEqual(endpoint.checkpoints, [{'path': '/c/1', 'step': 1}])

    def test_the_queue_is_bounded_and_keeps_the_newest(self):
        endpoint = self.endpoint()
        endpoint.gate.clear()
        self.progress._MAX_CHECKPOINTS = 10
        self.progress.checkpoint('/c/0', 0)
        self.until('the first request', lambda: endpoint.arrived == 1)
        for step in range(1, 100):
            self.progress.checkpoint(f'/c/{step}', step)
        endpoint.gate.set()
        self.assertTrue(self.progress.flush(30))
        self.assertEqual([checkpoint['step'] for checkpoint in endpoint.checkpoints], [0, *range(90, 100)])

    def test_paths_that_the_server_refuses_are_not_sent(self):
        endpoint = self.endpoint()
        self.assertFalse(self.progress.checkpoint('', wait=30))
        self.assertFalse(self.progress.checkpoint('x' * 4097, wait=30))
        self.assertTrue(self.progress.checkpoint('x' * 4096, step=float('nan'), wait=30))
        self.assertEqual(endpoint.checkpoints, [{'path': 'x' * 4096}])
        self.assertEqual(len(self.warnings), 1)

    def files(self, count):
        files = []
        for number in range(count):
            file = self.folder / f'step-{number}'
            file.mkdir() if number % 2 else file.write_text('x')
            if number % 2:
                (file / 'shard').write_text('x')
            files.append(file)
        return files

    def names(self):
        return sorted(file.name for file in self.folder.glob('step-*'))

    def test_prune_keeps_the_newest(self):
        files = self.files(6)
        self.progress.prune(files)
        self.assertEqual(len(self.names()), 6)
        self.progress.prune(files, keep=4)
        self.assertEqual(self.names(), ['step-2', 'step-3', 'step-4', 'step-5'])
        os.environ['CHECKPOINT_KEEP_LAST'] = '2'
        self.assertEqual(self.progress.keep_last(), 2)
        self.progress.prune(files[2:])
        self.assertEqual(self.names(), ['step-4', 'step-5'])
        os.environ['RANK'] = '1'
        self.progress.prune(files[4:], keep=1)
        self.assertEqual(self.names(), ['step-4', 'step-5'])
        self.assertEqual(self.warnings, [])

    def test_prune_leaves_the_checkpoint_that_the_operator_knows(self):
        endpoint = self.endpoint()
        files = self.files(5)
        self.assertTrue(self.progress.checkpoint(files[0], 0, wait=30))
        endpoint.gate.clear()
        for number in range(1, 5):
            self.progress.checkpoint(files[number], number)
        self.progress.prune(files, keep=2)
        self.assertEqual(self.names(), ['step-0', 'step-3', 'step-4'])
        endpoint.gate.set()
        self.assertTrue(self.progress.flush())
        self.progress.prune([files[0], *files[3:]], keep=2)
        self.assertEqual(self.names(), ['step-3', 'step-4'])

    def test_prune_leaves_what_the_attempt_started_from(self):
        files = self.files(3)
        os.environ['RESUME_FROM'] = str(files[0])
        endpoint = self.endpoint()
        endpoint.gate.clear()
        self.progress.checkpoint(files[2], 2)
        self.progress.prune(files, keep=1)
        self.assertEqual(self.names(), ['step-0', 'step-2'])

    def test_what_cannot_be_deleted_is_logged(self):
        self.progress.prune([self.folder / 'missing', self.folder / 'last'], keep=1)
        self.assertEqual(len(self.warnings), 1)
