import os
import signal
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

from programs.stacks import stacks

SITECUSTOMIZE = os.path.join(os.path.dirname(stacks.__file__), 'sitecustomize.py')
DUMP = '''Thread 0x1 (most recent call first):
  File "worker.py", line 2 in run

Current thread 0x2 (most recent call first):
  File "train.py", line 7 in step
  File "train.py", line 9 in <module>
'''


class Texts(unittest.TestCase):
    def test_the_main_thread_comes_first(self):
        self.assertEqual(stacks.sections(DUMP), [
            ['  File "train.py", line 7 in step', '  File "train.py", line 9 in <module>'], ['  File "worker.py", line 2 in run'],
        ])

    def test_a_description_is_cut_to_its_room(self):
        with mock.patch.object(stacks, 'command', lambda pid: 'python train.py'):
            first = stacks.describe(7, DUMP, 1000).split('\n')[:3]
            self.assertEqual(first, ['process 7: python train.py', 'main thread:', '  File "train.py", line 7 in step'])
            self.assertEqual(stacks.describe(7, DUMP, 60).split('\n')[-1], '...')

    def test_a_launcher_comes_behind_what_it_waits_for(self):
        with tempfile.TemporaryDirectory() as folder:
            message = os.path.join(folder, 'message')
            with mock.patch.object(stacks, 'registered', lambda _: []), mock.patch.object(stacks, 'ask', lambda _: {1: DUMP, 2: DUMP}), \
                    mock.patch.object(stacks, 'parent', lambda pid: pid - 1), mock.patch.object(stacks, 'command', str):
                stacks.main(folder, message)
            with open(message) as file:
                lines = file.read().split('\n')
        self.assertEqual(lines[0], 'trainyard stacks: 2 of 2 processes')
        self.assertEqual([line for line in lines if line.startswith('process')], ['process 2: 2', 'process 1: 1'])


@unittest.skipUnless(sys.platform == 'linux', 'processes are found in /proc')
class Processes(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def hanging(self):
        """A Python that has imported our sitecustomize and hangs."""
        tools = os.path.join(self.folder, 'tools')
        os.mkdir(tools)
        os.symlink(SITECUSTOMIZE, os.path.join(tools, 'sitecustomize.py'))
        registered = os.path.join(self.folder, 'stacks')
        os.mkdir(registered)
        child = subprocess.Popen(
            [sys.executable, '-B', '-c', 'import time\ndef hang():\n    print("ready", flush=True)\n    time.sleep(600)\nhang()'],
            env={'PATH': os.environ['PATH'], 'PYTHONPATH': tools, 'TRAINYARD_STACKS_PATH': registered}, stdout=subprocess.PIPE,
        )
        self.addCleanup(child.stdout.close)
        self.addCleanup(child.wait)
        self.addCleanup(child.kill)
        child.stdout.readline()
        return child.pid, registered

    def test_a_process_that_hangs_writes_its_stacks_and_goes_on(self):
        pid, folder = self.hanging()
        found = list(stacks.registered(folder))
        self.assertEqual([each[:2] for each in found], [(pid, int(signal.SIGRTMIN) + 8)])
        self.assertIn('in hang', stacks.ask(found)[pid])
        os.kill(pid, 0)
        with open(os.path.join(folder, 'python')) as file:
            self.assertEqual(file.read().strip(), sys.executable)

    def test_a_process_that_does_not_catch_the_signal_is_not_asked(self):
        with open(os.path.join(self.folder, '%d-%d-%d.stacks' % (os.getpid(), 63, os.stat('/proc/self/ns/pid').st_ino)), 'w'):
            self.assertEqual(list(stacks.registered(self.folder)), [])

    def test_parents_and_commands_are_known_and_nobody_is_no_error(self):
        self.assertEqual(stacks.parent(os.getpid()), os.getppid())
        self.assertEqual((stacks.parent(2 ** 30), stacks.command(2 ** 30)), (0, ''))
