import json
import os
import socket
import sys
import tempfile
import threading
import time
import unittest
from array import array
from unittest import mock

MESSAGES = tempfile.TemporaryDirectory()
MESSAGE = os.path.join(MESSAGES.name, 'message')
SETTINGS = {'rank': 0, 'size': 3, 'host': '127.0.0.1', 'port': 0, 'devices': 2, 'torch': False, 'timeoutSeconds': 20}
with mock.patch.object(sys, 'argv', ['preflight.py', MESSAGE]), mock.patch.dict(os.environ, {'TRAINYARD_PREFLIGHT': json.dumps(SETTINGS)}):
    from programs.preflight import base, network, node


def tearDownModule():
    MESSAGES.cleanup()


class Base(unittest.TestCase):
    def test_a_finding_names_the_ranks_to_blame_and_is_cut_to_what_a_message_holds(self):
        base.report('x' * 2000, [3, 1])
        with open(MESSAGE) as file:
            self.assertEqual(json.load(file), {'message': 'x' * 1500, 'blames': [1, 3]})

    def test_programs_that_are_missing_fail_or_hang(self):
        self.assertIsNone(base.run('/nowhere/nvidia-smi'))
        self.assertEqual(base.run('sh', '-c', 'echo here; echo there >&2'), 'here\nthere\n')
        with self.assertRaisesRegex(base.Failed, 'sh -c failed with exit code 4: no'):
            base.run('sh', '-c', 'echo no; exit 4')
        with self.assertRaisesRegex(base.Failed, 'sleep did not answer'):
            base.run('sleep', '60', seconds=0.2)

    def test_a_failure_is_this_ranks_unless_it_says_otherwise(self):
        self.assertEqual((base.Failed('a').blames, base.Failed('a', []).blames), ([0], []))


class Node(unittest.TestCase):
    def checked(self, wanted, **answers):
        def run(*command, **_options):
            key = next((key for key in answers if key in ' '.join(command)), None)
            return answers.get(key)
        with mock.patch.object(node, 'run', run), mock.patch.object(node, 'has_torch', lambda: False), mock.patch('glob.glob', lambda _: []):
            node.check_devices(wanted)

    def test_devices_are_counted(self):
        self.checked(2, list='GPU 0: a\nGPU 1: b\n')
        with self.assertRaisesRegex(base.Failed, 'asks for 2 devices, and nvidia-smi sees 1'):
            self.checked(2, list='GPU 0: a\n')

    def test_nothing_is_said_where_nothing_can_count_them(self):
        self.checked(2)

    def test_memory_that_is_broken(self):
        with self.assertRaisesRegex(base.Failed, 'GPU 1 has 3 uncorrected'):
            self.checked(1, list='GPU 0: a\nGPU 1: b\n', ecc='0, 0\n1, 3\n')
        with self.assertRaisesRegex(base.Failed, 'GPU 0 could not replace a bad memory row'):
            self.checked(1, list='GPU 0: a\n', ecc='0, [N/A]\n', remapped='0, 1\n')

    def test_a_part_of_a_gpu_is_not_counted_by_whole_ones(self):
        with mock.patch.dict(node.SETTINGS, deviceResource='nvidia.com/mig-1g.5gb'):
            self.checked(4, list='GPU 0: a\n')


class Network(unittest.TestCase):
    def test_lines_of_a_connection(self):
        one, other = socket.socketpair()
        with one, other:
            one.sendall(b'{"a": 1}\n[2')
            lines = network.Lines(other)
            self.assertEqual(lines.next(), {'a': 1})
            one.sendall(b']\n')
            self.assertEqual(lines.next(), [2])
            one.close()
            with self.assertRaises(OSError):
                lines.next()

    def test_sums_are_received_whole(self):
        one, other = socket.socketpair()
        with one, other:
            values = array('d', range(100))
            threading.Thread(target=one.sendall, args=(values.tobytes(),)).start()
            self.assertEqual(network.receive(other, 800), values)

    def connected(self, port):
        """A connection to rank 0, which may not listen yet."""
        end = time.monotonic() + 20
        while True:
            try:
                connection = socket.create_connection(('127.0.0.1', port), timeout=20)
                self.addCleanup(connection.close)
                return connection
            except OSError:
                if time.monotonic() > end:
                    raise
                time.sleep(0.01)

    def test_somebody_who_is_no_peer_holds_up_nobody(self):
        with network.listener(0) as free:
            port = free.getsockname()[1]
        gone = []
        with mock.patch.dict(network.SETTINGS, {'port': port}):
            found = []
            gathering = threading.Thread(target=lambda: found.append(network.gather(7)), daemon=True)
            gathering.start()

            def connected(said):
                connection = self.connected(port)
                connection.sendall(said)
                return connection
            connected(b'')
            hello = {'port': 1, 'torch': False, 'gpus': False}
            for said in (b'GET / HTTP/1.1\r\n\r\n', b'null\n', b'[]\n', b'{"rank": Infinity}\n', b'[' * 4000 + b'\n', b'x' * 5000, b'\xff\n',
                         *(json.dumps({**hello, 'rank': rank}).encode() + b'\n' for rank in (0, 3, -1, '1', 1.5, None))):
                gone.append((said, connected(said)))
            for said, connection in gone:
                with self.subTest(said[:20]):
                    try:
                        self.assertEqual(connection.recv(1), b'')
                    except ConnectionResetError:
                        pass
            # A rank that comes again takes the place of its first connection.
            peers = [connected(json.dumps({**hello, 'rank': rank, 'port': 10 + rank}).encode() + b'\n') for rank in (1, 1, 2)]
            gathering.join(20)
        (go, (server, members)) = found[0]
        self.addCleanup(server.close)
        self.assertEqual(go['hosts'], [['127.0.0.1', 7], ['127.0.0.1', 11], ['127.0.0.1', 12]])
        for peer in peers[1:]:
            self.assertEqual(json.loads(peer.recv(4096)), go)
        for member in members.values():
            member['lines'].connection.close()

    def test_a_stranger_takes_nobodys_rank(self):
        with network.listener(0) as free:
            port = free.getsockname()[1]
        with mock.patch.dict(network.SETTINGS, {'port': port}), mock.patch.object(network, 'SIZE', 2), mock.patch.object(network, 'KEY', 'uid-1'):
            found = []
            gathering = threading.Thread(target=lambda: found.append(network.gather(7)), daemon=True)
            gathering.start()
            hello = {'rank': 1, 'port': 9, 'torch': False, 'gpus': False}
            for key in ({}, {'key': ''}, {'key': 'uid-2'}, {'key': None}, {'key': 'ü'}):
                stranger = self.connected(port)
                stranger.sendall(json.dumps({**hello, **key}).encode() + b'\n')
                with self.subTest(key):
                    self.assertEqual(stranger.recv(1), b'')
            peer = self.connected(port)
            peer.sendall(json.dumps({**hello, 'key': 'uid-1'}).encode() + b'\n')
            gathering.join(20)
        (go, (server, members)) = found[0]
        server.close()
        self.assertEqual(json.loads(peer.recv(4096)), go)
        members[1]['lines'].connection.close()

    def test_nobody_with_the_key_of_the_ring_is_told_so(self):
        with network.listener(0) as server, socket.create_connection(('127.0.0.1', server.getsockname()[1])) as stranger:
            stranger.sendall(b'GET ')
            with self.assertRaises(OSError):
                network.accept_keyed(server, b'ring', 0.2)

    def test_somebody_who_says_nothing_is_left_out_in_the_end(self):
        with network.listener(0) as free:
            port = free.getsockname()[1]
        with mock.patch.dict(network.SETTINGS, {'port': port}), mock.patch.object(network, 'SIZE', 2):
            found = []
            gathering = threading.Thread(target=lambda: found.append(network.gather(7)), daemon=True)
            with mock.patch.object(network, 'HELLO_SECONDS', 0):
                gathering.start()
                silent = self.connected(port)
                self.assertEqual(silent.recv(1), b'')
            self.connected(port).sendall(b'{"rank": 1, "port": 9, "torch": false, "gpus": false}\n')
            gathering.join(20)
        (go, (server, members)) = found[0]
        server.close()
        members[1]['lines'].connection.close()
        self.assertEqual(go['hosts'], [['127.0.0.1', 7], ['127.0.0.1', 9]])

    def test_ranks_in_words(self):
        self.assertEqual((network.ranks_text([3]), network.ranks_text([1, 2])), ('rank 3', 'ranks 1, 2'))
        self.assertTrue(network.ranks_text(range(20)).endswith('15 ...'))

    def test_a_ring_of_three_sums_up(self):
        """Threads stand for the ranks of one group."""
        servers = [network.listener(0) for _ in range(3)]
        hosts = [['127.0.0.1', server.getsockname()[1]] for server in servers]
        problems, local = [], threading.local()

        class Rank(int):
            """The rank of the thread that asks."""
            def __add__(self, other):
                return local.rank + other

            def __sub__(self, other):
                return local.rank - other

            def __eq__(self, other):
                return local.rank == other

            __hash__ = int.__hash__

        def take_part(rank):
            local.rank = rank
            try:
                network.ring(servers[rank], hosts, b'ring')
            except Exception as error:
                problems.append(error)
        # Strangers that come first: one that says nothing, one with another key, one that goes, and one with the beginning of the key.
        strangers = [socket.create_connection(tuple(hosts[0])) for _ in range(4)]
        strangers[1].sendall(b'gnir' + b'x' * 8192)
        strangers[2].close()
        strangers[3].sendall(b'rin')
        with mock.patch.object(network, 'RANK', Rank()), mock.patch.object(network, 'SIZE', 3):
            threads = [threading.Thread(target=take_part, args=(rank,)) for rank in range(3)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join(30)
        for connection in (*servers, *strangers):
            connection.close()
        self.assertEqual(problems, [])
