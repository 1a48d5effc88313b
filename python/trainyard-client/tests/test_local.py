"""Jobs as processes of this machine."""
import os
import subprocess
import sys
import tempfile
import textwrap
import time
import unittest

import support
from trainyard_client import Client, InvalidArgument, JobFailed, Secret, WaitTimeout

client = Client(namespace='none')


def train_locally(func, args=None, **options):
    return client.train(func, args, local=True, **options)


class Ranks(unittest.TestCase):
    def test_each_rank_has_the_variables_of_the_operator(self):
        def show(word):
            import os
            names = ('RANK', 'WORLD_SIZE', 'MASTER_ADDR', 'ROLE', 'TRAINYARD_REPLICA_INDEX', 'TRAINYARD_ATTEMPT', 'LR', 'OWN')
            print(word, *(os.environ[name] for name in names), 'KUBEFLOW_TRAINER_SERVER_URL' in os.environ)
        os.environ['KUBEFLOW_TRAINER_SERVER_URL'] = 'https://other'
        try:
            job = train_locally(show, {'word': 'hi'}, replicas=2, env={'OWN': 'a$(b)$$'}, hyperparameters={'LR': 0.1}).wait(progress=False)
        finally:
            del os.environ['KUBEFLOW_TRAINER_SERVER_URL']
        self.assertEqual(sorted(job.logs()), ['hi 0 2 127.0.0.1 worker 0 0 0.1 a$(b)$$ False', 'hi 1 2 127.0.0.1 worker 1 0 0.1 a$(b)$$ False'])
        self.assertEqual([line.rank for line in job.logs(rank=1)], [1])
        self.assertEqual((job.phase, job.ready, job.restarts), ('Completed', '2/2', 0))
        with self.assertRaises(InvalidArgument) as caught:
            job.rerun()
        self.assertIn('is a process of this machine, and cannot be run again', str(caught.exception))
        with self.assertRaises(InvalidArgument) as caught:
            client.wait(job)
        self.assertIn('Use its own methods, such as job.wait()', str(caught.exception))
        job.delete()
        self.assertFalse(job.folder.exists())

    def test_ranks_meet_at_one_port(self):
        def meet():
            import os
            import socket
            import time
            address = os.environ['MASTER_ADDR'], int(os.environ['MASTER_PORT'])
            if os.environ['RANK'] == '0':
                with socket.create_server(address) as server:
                    connection, _ = server.accept()
                    print(connection.recv(2).decode())
                    return
            while True:
                try:
                    with socket.create_connection(address) as made:
                        made.sendall(b'ok')
                        return
                except OSError:
                    time.sleep(0.05)
        self.assertEqual(list(train_locally(meet, replicas=2).wait().logs(rank=0)), ['ok'])

    def test_logs_are_followed_to_the_end(self):
        def count():
            import time
            for number in range(5):
                print(number)
                time.sleep(0.02)
        self.assertEqual(list(train_locally(count).logs(follow=True)), ['0', '1', '2', '3', '4'])

    def test_the_last_lines_of_each_rank(self):
        def count():
            for number in range(5):
                print(number)
        self.assertEqual(list(train_locally(count, replicas=2).wait().logs(tail=2)), ['3', '4', '3', '4'])

    def test_jax_and_pytorch_find_their_variables(self):
        def show():
            import os
            print(os.environ.get('JAX_PROCESS_ID'), os.environ.get('LOCAL_RANK'))
        self.assertEqual(list(train_locally(show, framework='jax').wait().logs()), ['0 None'])
        self.assertEqual(list(train_locally(show, framework='pytorch').wait().logs()), ['None 0'])


class Failures(unittest.TestCase):
    def test_a_rank_that_fails_ends_the_others_and_is_named_with_its_last_lines(self):
        def fail():
            import os
            import time
            if os.environ['RANK'] == '1':
                raise ValueError('loss is NaN')
            time.sleep(600)
        job = train_locally(fail, replicas=2)
        with self.assertRaises(JobFailed) as caught:
            job.wait()
        self.assertIn('is Failed, and will not be Completed', str(caught.exception))
        self.assertIn('ValueError: loss is NaN', str(caught.exception))
        self.assertEqual((job.failure.rank, job.failure.exit_code), (1, 1))
        job.delete()

    def test_a_wait_that_is_over_leaves_the_job_alone(self):
        def sleep():
            import time
            time.sleep(600)
        job = train_locally(sleep)
        with self.assertRaises(WaitTimeout):
            job.wait(timeout=0.05)
        self.assertEqual(job.phase, 'Running')
        self.assertEqual(job.wait('Running').phase, 'Running')
        job.delete()
        self.assertEqual(job.failure.reason, 'Deleted')

    def test_what_this_machine_does_not_have(self):
        def nothing():
            pass
        for options, word in (({'packages': ['no-such-package-here>=1']}, 'pip install no-such-package-here>=1'), ({'framework': 'mpi'}, 'Use trainyard run'),
                              ({'env': {'T': Secret('a', 'b')}}, 'comes from a Secret')):
            with self.subTest(word), self.assertRaises(InvalidArgument) as caught:
                train_locally(nothing, **options)
            self.assertIn(word, str(caught.exception))

    def test_nothing_is_left_when_the_program_is_killed(self):
        program = textwrap.dedent(f'''
            import sys, time
            sys.path.insert(0, {str(support.SOURCES)!r})
            import trainyard_client
            def sleep():
                import os, time
                print(os.getpid())
                time.sleep(600)
            job = trainyard_client.train(sleep, local=True)
            for line in job.logs(follow=True):
                print(line, flush=True)
        ''')
        file = os.path.join(tempfile.mkdtemp(prefix='trainyard-test-'), 'killed.py')
        with open(file, 'w', encoding='utf-8') as written:
            written.write(program)
        process = subprocess.Popen([sys.executable, file], stdout=subprocess.PIPE, text=True)
        pid = int(process.stdout.readline())
        process.kill()
        process.wait()
        process.stdout.close()
        while True:
            try:
                os.kill(pid, 0)
                with open(f'/proc/{pid}/stat', encoding='utf-8') as stat:
                    if stat.read().split(')')[1].split()[0] == 'Z':
                        break
            except (ProcessLookupError, FileNotFoundError):
                break
            time.sleep(0.02)


if __name__ == '__main__':
    unittest.main()
