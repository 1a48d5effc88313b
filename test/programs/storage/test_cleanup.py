"""Names, series and what is kept. What the program never touches is in test/manifests/storage."""
import os
import tempfile
import unittest

from programs.storage.cleanup import Cleanup, number

NOW = 1_700_000_000
HOUR = 3600


class Checkpoints(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = folder.name

    def write(self, path, hours=1):
        path = os.path.join(self.root, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, 'w'):
            pass
        os.utime(path, (NOW - hours * HOUR,) * 2)

    def left(self, **settings):
        cleanup = Cleanup({'CLEANUP_ROOT': self.root, **{'CLEANUP_' + name: value for name, value in settings.items()}}, NOW)
        self.assertEqual(cleanup.run(), 0)
        return sorted(os.path.relpath(os.path.join(folder, name), self.root) for folder, _, names in os.walk(self.root) for name in names)

    def test_a_series_keeps_its_newest(self):
        for step in (1, 2, 10):
            self.write('job/step-%d.npz' % step, 20 - step)
        self.assertEqual(self.left(KEEP_LAST='2'), ['job/step-10.npz', 'job/step-2.npz'])

    def test_names_that_differ_in_more_than_the_step_are_other_series(self):
        for name in ('job/model-step1.pt', 'job/optimizer-step1.pt', 'job/model-step2.pt', 'job/notes.txt'):
            self.write(name)
        self.assertEqual(self.left(KEEP_LAST='1'), ['job/model-step2.pt', 'job/notes.txt', 'job/optimizer-step1.pt'])

    def test_a_pattern_of_the_users_finds_steps(self):
        for name in ('job/a@1', 'job/a@2', 'job/step-1', 'job/step-2'):
            self.write(name)
        self.assertEqual(self.left(KEEP_LAST='1', PATTERN='@(?P<step>[0-9]+)$'), ['job/a@2', 'job/step-1', 'job/step-2'])

    def test_the_last_one_stays_however_old_it_is(self):
        self.write('job/step-1', 200)
        self.write('job/step-2', 100)
        self.assertEqual(self.left(KEEP_LAST='5', MAX_AGE_SECONDS=str(HOUR)), ['job/step-2'])

    def test_what_was_changed_a_moment_ago_is_not_counted(self):
        self.write('job/step-1', 2)
        self.write('job/step-2', 0)
        self.assertEqual(self.left(KEEP_LAST='1'), ['job/step-1', 'job/step-2'])

    def test_a_dry_run_deletes_nothing(self):
        self.write('job/step-1', 2)
        self.write('job/step-2', 1)
        self.assertEqual(len(self.left(KEEP_LAST='1', DRY_RUN='true')), 2)

    def test_numbers_are_whole_where_they_can_be(self):
        self.assertEqual([number(text) for text in (None, '', '3', '1.5')], [None, None, 3, 1.5])
