import os
import subprocess
import sys
import tempfile
import time
import unittest

from programs.launched.program import Program, environment_of


def ended(program, seconds=20):
    """Lines and exit code of a program."""
    lines, code, deadline = [], None, time.monotonic() + seconds
    while code is None and time.monotonic() < deadline:
        found, code = program.poll(0.1)
        lines += found
    return lines, code


@unittest.skipUnless(sys.platform == 'linux', 'programs run in containers of Linux')
class Programs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.state, self.log = folder.name, os.path.join(folder.name, 'log')
        self.program = Program({'TRAINYARD_LAUNCH_STATE': self.state, 'TRAINYARD_LAUNCH_LOG': self.log, 'PATH': os.environ['PATH'], 'A': 'b'})

    def run_shell(self, text):
        self.program.start(['sh', '-c', text], self.program.base, self.state)

    def test_lines_go_to_who_asks_and_to_the_log_of_the_container(self):
        self.run_shell('echo "$A"; echo other >&2; exit 3')
        self.assertEqual(ended(self.program), (['b', 'other'], 3))
        with open(self.log) as file:
            self.assertEqual(file.read(), 'b\nother\n')
        self.assertEqual(self.program.base, {'PATH': os.environ['PATH'], 'A': 'b'})

    def test_a_signal_is_told_as_shells_do(self):
        self.run_shell('kill -9 $$')
        self.assertEqual(ended(self.program)[1], 137)

    def test_what_cannot_be_started_is_told(self):
        self.program.start(['/nowhere/train'], {}, self.state)
        lines, code = ended(self.program)
        self.assertRegex(lines[0], '^cannot start /nowhere/train: ')
        self.assertEqual(code, 127)

    def test_a_program_gets_a_while_to_end(self):
        self.run_shell('trap "echo bye; exit 5" TERM; echo ready; while :; do sleep 0.05; done')
        while not self.program.poll(0.1)[0]:
            pass
        with open(os.path.join(self.state, 'pid')) as file:
            self.assertEqual(int(file.read()), self.program.process.pid)
        self.program.stop(20)
        self.assertEqual(ended(self.program), (['bye'], 5))
        self.assertFalse(os.path.exists(os.path.join(self.state, 'pid')))

    def test_it_is_known_whether_the_pod_was_asked_to_go(self):
        self.assertFalse(self.program.is_terminating())
        with open(os.path.join(self.state, 'terminating'), 'w'):
            self.assertTrue(self.program.is_terminating())

    def test_the_environment_of_a_process_is_that_of_its_start(self):
        env = {'PATH': os.environ['PATH'], 'A': 'b=c'}
        with subprocess.Popen(['sh', '-c', 'echo; read -r _'], env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
            child.stdout.readline()
            self.assertEqual(environment_of('/proc/%d/' % child.pid)['A'], 'b=c')
