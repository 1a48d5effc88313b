import os
import subprocess
import sys
import time
import unittest

from programs.local import on_terminal


def run(script, typed=b'', sizes=b''):
    """Output and exit code of a script of the shell on a terminal."""
    read, write = os.pipe()
    os.write(write, sizes)
    # The program has the sizes at descriptor 3.
    prefix = ['sh', '-c', f'exec "$@" 3<&{read}', 'sh']
    process = subprocess.Popen([*prefix, sys.executable, on_terminal.__file__, 'sh', '-c', script], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, pass_fds=[read])
    os.close(read)
    out, _ = process.communicate(typed, timeout=30)
    os.close(write)
    return out.decode().replace('\r\n', '\n'), process.returncode


class OnTerminal(unittest.TestCase):
    def test_it_is_a_terminal_of_the_first_size(self):
        self.assertEqual(run('test -t 0 && test -t 1 && stty size', sizes=b'80 24\n101 37\n'), ('37 101\n', 0))

    def test_what_is_typed_comes_in(self):
        out, code = run('stty -echo; read line; echo got $line', typed=b'hello\n', sizes=b'80 24\n')
        self.assertIn('got hello\n', out)
        self.assertEqual(code, 0)

    def test_exit_codes(self):
        self.assertEqual(run('exit 3', sizes=b'80 24\n')[1], 3)
        self.assertEqual(run('kill -9 $$', sizes=b'80 24\n')[1], 137)

    def test_without_a_size_it_starts_all_the_same(self):
        began = time.monotonic()
        self.assertEqual(run('echo x'), ('x\n', 0))
        self.assertGreaterEqual(time.monotonic() - began, on_terminal.FIRST_SIZE_SECONDS)

    def test_sizes(self):
        self.assertIsNone(on_terminal.size_in(b'80 2'))
        self.assertEqual(on_terminal.size_in(b'80 24\n100 30\n5'), on_terminal.size_in(b'100 30\n'))
