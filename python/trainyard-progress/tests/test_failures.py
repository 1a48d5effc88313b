import os
import socket
import threading
import time

from support import Endpoint, ProgressTest


class Failures(ProgressTest):
    def sender(self):
        return self.progress._sender

    def test_a_server_that_refuses_costs_nothing_and_is_logged_once(self):
        with socket.socket() as free:
            free.bind(('127.0.0.1', 0))
            self.use(f'http://127.0.0.1:{free.getsockname()[1]}/')
        for percent in range(100):
            self.progress.report(percent, force=True)
        self.progress.checkpoint('/c')
        self.until('a failure', lambda: self.sender().failures >= 1)
        self.assertFalse(self.progress.flush(0.2))
        self.assertEqual(len(self.warnings), 1)

    def test_a_server_that_vanishes_gets_everything_when_it_is_back(self):
        self.progress.LONGEST_PAUSE = 0.05
        endpoint = self.endpoint()
        self.assertTrue(self.progress.checkpoint('/c/1', 1, wait=30))
        endpoint.close()
        for step in range(2, 6):
            self.progress.checkpoint(f'/c/{step}', step)
        self.progress.report(50)
        self.progress.report(60)
        self.until('failures', lambda: self.sender().failures >= 2)
        again = Endpoint(endpoint.port)
        self.addCleanup(again.close)
        self.until('everything', lambda: len(again.requests) == 5)
        self.assertEqual([checkpoint['step'] for checkpoint in again.checkpoints], [2, 3, 4, 5])
        self.assertEqual([report['progressPercentage'] for report in again.reports], [60])
        self.assertEqual(self.sender().failures, 0)
        self.assertEqual(len(self.warnings), 1)

    def test_a_server_that_hangs_does_not_delay_anyone(self):
        self.silent()
        self.progress.TIMEOUT = 0.1
        self.progress.LONGEST_PAUSE = 0.05
        started = time.process_time()
        for percent in range(100):
            self.progress.report(percent)
            self.progress.checkpoint('/c', percent)
        self.assertLess(time.process_time() - started, 1)
        self.until('timeouts', lambda: self.sender().failures >= 2)
        self.assertFalse(self.progress.flush(0.1))
        self.assertFalse(self.progress.checkpoint('/d', wait=0.1))
        self.assertEqual(len(self.warnings), 1)
        # Long enough for a server that answers, on any machine: what is given up is sent again.
        self.progress.TIMEOUT = 60
        endpoint = self.endpoint()
        self.until('all checkpoints', lambda: len(endpoint.checkpoints) == 101)
        self.assertEqual([checkpoint.get('step') for checkpoint in endpoint.checkpoints], [*range(100), None])

    def test_a_server_that_trickles_is_given_up(self):
        listener = socket.socket()
        listener.bind(('127.0.0.1', 0))
        listener.listen(8)
        self.addCleanup(listener.close)
        self.use(f'http://127.0.0.1:{listener.getsockname()[1]}/')
        self.progress.TIMEOUT = 0.3
        done = threading.Event()
        self.addCleanup(done.set)

        def trickle():
            connection, _ = listener.accept()
            with connection:
                try:
                    connection.sendall(b'HTTP/1.1 200 OK\r\n')
                    while not done.wait(0.02):
                        connection.sendall(b'X')
                except OSError:
                    pass

        threading.Thread(target=trickle, daemon=True).start()
        self.progress.report(1)
        self.until('the end of the request', lambda: self.sender().failures == 1)

    def test_errors_of_the_server_are_tried_again(self):
        endpoint = self.endpoint()
        endpoint.answers = [500, (500, {}, 'not JSON'), 404]
        self.progress.LONGEST_PAUSE = 0.01
        self.progress.report(5)
        self.until('the report', lambda: len(endpoint.reports) == 1)
        self.assertEqual(len(self.warnings), 1)

    def test_pauses_grow(self):
        endpoint = self.endpoint()
        endpoint.answers = [500, 500, 500]
        pauses = []
        settle = self.progress._Sender._settle

        def recorded(sender, *arguments):
            settle(sender, *arguments)
            pauses.append(sender.not_before and sender.not_before - time.monotonic())
            sender.not_before = 0.0

        self.progress._Sender._settle = recorded
        self.progress.checkpoint('/c', wait=30)
        self.assertEqual([round(pause) for pause in pauses], [1, 2, 4, 0])

    def test_retry_after_is_obeyed_and_not_logged(self):
        endpoint = self.endpoint()
        endpoint.answers = [(429, {'Retry-After': '1'}, ''), (503, {'Retry-After': '7200'}, '')]
        started = time.monotonic()
        self.progress.report(5)
        self.until('the second request', lambda: endpoint.arrived == 2)
        self.assertGreater(time.monotonic() - started, 0.99)
        self.until('its answer', lambda: self.sender().not_before > time.monotonic() + 50)
        self.assertLess(self.sender().not_before, time.monotonic() + 61)
        self.assertFalse(self.progress.flush(1))  # the end of the process does not wait, and does not ask again
        self.assertEqual(endpoint.arrived, 2)
        self.assertEqual((self.warnings, self.sender().failures), ([], 0))

    def test_an_invalid_token_is_logged_and_read_again(self):
        endpoint = self.endpoint()
        endpoint.answers = [(403, {}, '{"message": "the token has expired"}')]
        self.progress.LONGEST_PAUSE = 0.01
        self.progress.report(5)
        self.until('the refusal', lambda: self.warnings)
        self.token.write_text('another-token')
        self.progress.report(6, force=True)
        self.assertTrue(self.progress.flush())
        self.assertEqual(endpoint.requests[-1][1]['Authorization'], 'Bearer another-token')
        self.assertIn('the token has expired', self.warnings[0])

    def test_a_token_that_is_missing_or_malformed_is_logged(self):
        endpoint = self.endpoint()
        self.progress.LONGEST_PAUSE = 0.01
        self.token.write_text('two\nlines')
        self.progress.report(1)
        self.until('the failure', lambda: self.warnings)
        self.token.unlink()
        self.until('more failures', lambda: self.sender().failures > 3)
        self.token.write_text('good')
        self.until('the report', lambda: len(endpoint.reports) == 1)

    def test_reports_that_the_server_refuses_do_not_block(self):
        endpoint = self.endpoint()
        endpoint.answers = [422, 413, 400]
        self.progress.report(1)
        self.until('the first', lambda: endpoint.arrived == 1)
        self.progress.checkpoint('/a')
        self.progress.checkpoint('/b')
        self.assertTrue(self.progress.checkpoint('/c', wait=30))

    def test_the_token_goes_nowhere_else(self):
        other = Endpoint()
        self.addCleanup(other.close)
        endpoint = self.endpoint()
        for variable in ('http_proxy', 'HTTP_PROXY', 'all_proxy'):
            os.environ[variable] = f'http://127.0.0.1:{other.port}'
            self.addCleanup(os.environ.pop, variable)
        endpoint.answers = [(307, {'Location': other.url}, ''), (302, {'Location': other.url}, '')]
        self.progress.LONGEST_PAUSE = 0.01
        self.assertTrue(self.progress.checkpoint('/c', wait=30))
        self.assertEqual(other.arrived, 0)

    def test_no_token_over_plain_http_to_another_machine(self):
        self.use('http://192.0.2.1/')
        self.progress.report(1)
        self.until('the complaint', lambda: self.warnings)
        self.assertIn('must use https', self.warnings[0])

    def test_a_broken_url_is_logged(self):
        self.use('nonsense')
        self.assertFalse(self.progress.checkpoint('/c', wait=0.2))
        self.assertEqual(len(self.warnings), 1)

    def test_reports_in_a_signal_handler_do_not_deadlock(self):
        endpoint = self.endpoint()
        self.progress.report(1)
        with self.sender().changed:  # as if the signal came while the main thread holds the lock
            self.progress.report(2)
            self.progress.checkpoint('/c')
        self.assertTrue(self.progress.flush())
        self.assertEqual(len(endpoint.checkpoints), 1)
