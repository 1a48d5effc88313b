# What the preflight checks of the network: all replicas meet at rank 0, and an all-reduce goes around as a ring.
import glob
import hmac
import ipaddress
import json
import math
import secrets
import selectors
import socket
import sys
import time
from array import array

from .base import RANK, SETTINGS, SIZE, TIMEOUT, Failed, run, say, waits_for
from .node import has_torch

VALUES = 1024
KEY = SETTINGS.get('key', '')


def listener(port):
    try:
        local = ipaddress.ip_address(SETTINGS['host']).is_loopback
    except ValueError:
        local = False
    hosts = ['127.0.0.1'] if local else ['::', '0.0.0.0']
    for host in hosts:
        try:
            server = socket.socket(socket.AF_INET6 if ':' in host else socket.AF_INET, socket.SOCK_STREAM)
            server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            if ':' in host:
                server.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
            server.bind((host, port))
            server.listen(1024)
            return server
        except OSError as error:
            problem = error
    raise Failed('cannot listen on port %d: %s' % (port, problem))


def send(connection, value):
    connection.sendall(json.dumps(value).encode() + b'\n')


class Lines:
    """Reads lines of JSON from a connection."""

    def __init__(self, connection):
        self.connection, self.pending = connection, b''

    def next(self):
        while b'\n' not in self.pending:
            chunk = self.connection.recv(65536)
            if not chunk:
                raise OSError('the connection was closed')
            self.pending += chunk
        line, self.pending = self.pending.split(b'\n', 1)
        return json.loads(line.decode())


def ranks_text(ranks):
    return ('rank ' if len(ranks) == 1 else 'ranks ') + ', '.join(map(str, ranks[:16])) + (' ...' if len(ranks) > 16 else '')


# Limits of a peer's first message. Any pod can connect to these ports, and a silent one must not delay the others.
HELLO_BYTES, HELLO_SECONDS = 4096, 10


def welcome(server, selector):
    try:
        connection, address = server.accept()
    except OSError:
        return
    connection.setblocking(False)
    selector.register(connection, selectors.EVENT_READ, {'host': address[0], 'said': b'', 'end': time.monotonic() + HELLO_SECONDS})


def leave(connection, selector):
    selector.unregister(connection)
    connection.close()


def close_silent(selector):
    for key in list(selector.get_map().values()):
        if key.data is not None and key.data['end'] < time.monotonic():
            leave(key.fileobj, selector)


def admit(connection, known, selector, members):
    """Reads on, and makes a member of one that has said who it is."""
    try:
        chunk = connection.recv(HELLO_BYTES)
        known['said'] += chunk
        if not chunk or len(known['said']) > HELLO_BYTES:
            raise ValueError('no line')
        if b'\n' not in known['said']:
            return
        hello = json.loads(known['said'].decode())
        rank, port = hello['rank'], hello['port']
        if type(rank) is not int or type(port) is not int or not 0 < rank < SIZE or not 0 < port < 65536:
            raise ValueError('no rank')
        if KEY and not hmac.compare_digest(hello['key'], KEY):
            raise ValueError('no peer')
        member = {'lines': Lines(connection), 'host': known['host'], 'port': port, 'torch': bool(hello['torch']), 'gpus': bool(hello['gpus'])}
    except (OSError, ValueError, TypeError, LookupError, RecursionError):
        return leave(connection, selector)
    if rank in members:
        leave(members[rank]['lines'].connection, selector)
    connection.settimeout(TIMEOUT)
    selector.modify(connection, selectors.EVENT_READ, {'rank': rank, 'end': math.inf})
    members[rank] = member


def gather(own_port):
    """Rank 0: waits until everybody has come; then tells all of them where all of them are."""
    server = listener(SETTINGS['port'])
    members = {}
    selector = selectors.DefaultSelector()
    selector.register(server, selectors.EVENT_READ)

    def missing():
        return [rank for rank in range(1, SIZE) if rank not in members]

    def note():
        absent = missing()
        # When nobody at all comes, it is this node that is cut off. Of two, nobody can say which.
        blames = [0] if len(absent) == SIZE - 1 and SIZE > 2 else absent + ([0] if SIZE == 2 else [])
        waits_for.update(text=ranks_text(absent) + ', which did not come', blames=blames)

    note()
    say('waiting for %d peers' % (SIZE - 1))
    while missing():
        for key, _ in selector.select(1.0):
            connection, known = key.fileobj, key.data
            if connection is server:
                welcome(server, selector)
            elif connection.fileno() < 0:
                # Another one has taken its rank.
                continue
            elif 'rank' in known:
                # Nobody says anything before all have come: one that can be read has gone, and comes again.
                members.pop(known['rank'], None)
                leave(connection, selector)
                note()
            else:
                admit(connection, known, selector, members)
                note()
        close_silent(selector)
    for key in list(selector.get_map().values()):
        if key.data is not None and 'rank' not in key.data:
            leave(key.fileobj, selector)
    selector.close()
    everyone = list(members.values())
    use_torch = SETTINGS['torch'] and has_torch() and all(member['torch'] for member in everyone)
    go = {
        'key': secrets.token_hex(16),
        # Rank 0 has no address as seen from outside but the one that all have dialled.
        'hosts': [[SETTINGS['host'], own_port]] + [[members[rank]['host'], members[rank]['port']] for rank in range(1, SIZE)],
        'torch': ('nccl' if sees_gpus() and all(member['gpus'] for member in everyone) else 'gloo') if use_torch else None,
    }
    if use_torch:
        # Kept free by nobody in between; the real program takes its port in the same way.
        probe = listener(0)
        go['torchPort'] = probe.getsockname()[1]
        probe.close()
    for rank, member in members.items():
        try:
            send(member['lines'].connection, go)
        except OSError as error:
            raise Failed('rank %d cannot be reached: %s' % (rank, error), [rank])
    return go, [server, members]


def join(own_port):
    """Every other rank: says that it is here, until rank 0 says that all are."""
    problem = 'not tried'
    while True:
        waits_for.update(text='rank 0 at %s:%d (%s)' % (SETTINGS['host'], SETTINGS['port'], problem), blames=[])
        try:
            connection = socket.create_connection((SETTINGS['host'], SETTINGS['port']), timeout=10)
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
            send(connection, {'key': KEY, 'rank': RANK, 'port': own_port, 'torch': has_torch() and SETTINGS['torch'], 'gpus': sees_gpus()})
            waits_for.update(text='rank 0 to report that all replicas are connected', blames=[])
            connection.settimeout(None)
            return Lines(connection).next(), [connection]
        except (OSError, ValueError) as error:
            problem = str(error)
            time.sleep(0.5)


def sees_gpus():
    return SETTINGS['devices'] > 0 and bool(glob.glob('/dev/nvidia[0-9]*') or glob.glob('/dev/kfd'))


def receive(connection, count):
    data = b''
    while len(data) < count:
        chunk = connection.recv(count - len(data))
        if not chunk:
            raise OSError('the connection was closed')
        data += chunk
    return array('d', data)


def accept_keyed(server, key, seconds):
    """The first connection that begins with the key."""
    end = time.monotonic() + seconds
    selector = selectors.DefaultSelector()
    selector.register(server, selectors.EVENT_READ)
    try:
        while time.monotonic() < end:
            for ready, _ in selector.select(1.0):
                connection, known = ready.fileobj, ready.data
                if connection is server:
                    welcome(server, selector)
                    continue
                try:
                    chunk = connection.recv(len(key) - len(known['said']))
                except OSError:
                    chunk = b''
                known['said'] += chunk
                if not chunk or not key.startswith(known['said']):
                    leave(connection, selector)
                elif known['said'] == key:
                    selector.unregister(connection)
                    return connection
            close_silent(selector)
        raise OSError('no connection began with the key')
    finally:
        for other in list(selector.get_map().values()):
            if other.data is not None:
                leave(other.fileobj, selector)
        selector.close()


def ring(server, hosts, key):
    """A sum goes once around to be made and once to be told."""
    after, before = (RANK + 1) % SIZE, (RANK - 1) % SIZE
    end = time.monotonic() + TIMEOUT
    outgoing = None
    while outgoing is None:
        try:
            connection = socket.create_connection(tuple(hosts[after]), timeout=5)
            connection.sendall(key)
            outgoing = connection
        except OSError as error:
            if time.monotonic() > end:
                raise Failed('rank %d does not reach rank %d at %s: %s' % (RANK, after, hosts[after][0], error), [after])
            time.sleep(0.2)
    outgoing.settimeout(TIMEOUT)
    try:
        incoming = accept_keyed(server, key, TIMEOUT)
    except OSError:
        raise Failed('rank %d did not reach rank %d within %d s' % (before, RANK, TIMEOUT), [before])
    incoming.settimeout(TIMEOUT)
    own = array('d', [float(RANK + 1)] * VALUES)
    try:
        if RANK == 0:
            outgoing.sendall(own.tobytes())
            total = receive(incoming, 8 * VALUES)
            outgoing.sendall(total.tobytes())
            receive(incoming, 8 * VALUES)
        else:
            so_far = receive(incoming, 8 * VALUES)
            outgoing.sendall(array('d', [a + b for a, b in zip(so_far, own)]).tobytes())
            total = receive(incoming, 8 * VALUES)
            outgoing.sendall(total.tobytes())
    except OSError as error:
        raise Failed('the all-reduce stopped between ranks %d, %d and %d: %s' % (before, RANK, after, error), [])
    expected = SIZE * (SIZE + 1) / 2.0
    if any(value != expected for value in total):
        raise Failed('the all-reduce gives %r, and should give %r' % (total[0], expected), [])


TORCH_REDUCE = '''
import datetime, sys
import torch, torch.distributed as dist
backend, host, port, rank, size, seconds = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]), int(sys.argv[5]), int(sys.argv[6])
dist.init_process_group(backend, init_method="tcp://%s:%s" % (host, port), rank=rank, world_size=size, timeout=datetime.timedelta(seconds=seconds))
value = torch.ones(1024 * 1024, device="cuda:0" if backend == "nccl" else "cpu")
dist.all_reduce(value)
if float(value[0]) != float(size) or float(value[-1]) != float(size):
    raise SystemExit("the all-reduce of %s gives %r, and should give %r" % (backend, float(value[0]), float(size)))
dist.destroy_process_group()
'''


def check_network():
    server = listener(0)
    go, kept = gather(server.getsockname()[1]) if RANK == 0 else join(server.getsockname()[1])
    say('all %d replicas are connected' % SIZE)
    waits_for.update(text='the all-reduce', blames=[])
    ring(server, go['hosts'], go['key'].encode())
    say('all-reduce over TCP is right')
    if go.get('torch'):
        waits_for.update(text='the all-reduce of torch (%s)' % go['torch'], blames=[])
        try:
            run(sys.executable, '-c', TORCH_REDUCE, go['torch'], SETTINGS['host'], str(go['torchPort']), str(RANK), str(SIZE), str(TIMEOUT),
                seconds=TIMEOUT)
        except Failed as failed:
            raise Failed('torch (%s): %s' % (go['torch'], failed), [])
        say('all-reduce of torch (%s) is right' % go['torch'])
    # Rank 0 closes last, so that the sockets that linger for a minute are not on the port that training is about to use.
    if RANK == 0:
        for member in kept[1].values():
            try:
                member['lines'].connection.settimeout(10)
                member['lines'].connection.recv(1)
            except OSError:
                pass
