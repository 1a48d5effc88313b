"""MXNet's contract (DMLC_*) without MXNet: a small parameter server over plain sockets that follows the same variables and roles.

    DMLC_ROLE            scheduler, server or worker
    DMLC_PS_ROOT_URI     host and port of the scheduler, which listens there
    DMLC_PS_ROOT_PORT
    DMLC_NUM_SERVER      how many of each the scheduler waits for
    DMLC_NUM_WORKER

Everyone registers with the scheduler; when all have, it tells each its rank and the addresses of all servers. Key k lives on server k modulo their
number. A server adds up what is pushed, and answers a pull when every worker has pushed. Workers say goodbye to the scheduler, which then ends the
servers. Messages are lines of JSON.
"""
import json
import os
import socket
import sys
import threading
import time

KEYS = 8
PATIENCE = 60


class Peer:
    """One end of a connection that carries lines of JSON."""

    def __init__(self, connection: socket.socket):
        self.connection = connection
        self.stream = connection.makefile('rw', encoding='utf-8', newline='\n')

    def send(self, message: dict) -> None:
        self.stream.write(json.dumps(message) + '\n')
        self.stream.flush()

    def receive(self) -> dict:
        line = self.stream.readline()
        if not line:
            raise ConnectionError('the other end has closed the connection')
        return json.loads(line)


def call(host: str, port: int) -> Peer:
    """Connects to someone who may not be listening yet, or whose name may not exist yet."""
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            return Peer(socket.create_connection((host, port), timeout=PATIENCE))
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.2)


def schedule(root: tuple, servers: int, workers: int) -> dict:
    expected = {'server': servers, 'worker': workers}
    peers = {'server': [], 'worker': []}
    addresses = []
    with socket.create_server(root) as listener:
        listener.settimeout(PATIENCE)
        while any(len(peers[role]) < expected[role] for role in expected):
            connection, (host, _) = listener.accept()
            peer = Peer(connection)
            hello = peer.receive()
            role = hello['role']
            if len(peers[role]) == expected[role]:
                raise RuntimeError(f'more than {expected[role]} of role {role} came')
            peers[role].append(peer)
            if role == 'server':
                addresses.append([host, hello['port']])
    for group in peers.values():
        for rank, peer in enumerate(group):
            peer.send({'rank': rank, 'servers': addresses})
    for peer in peers['worker']:
        if not peer.receive()['done']:
            raise RuntimeError('a worker read a wrong sum')
    for peer in peers['server']:
        peer.send({'stop': True})
    return {'servers': len(addresses), 'world': workers}


def serve(root: tuple, workers: int) -> dict:
    changed = threading.Condition()
    sums, pushes = {}, {}

    def attend(peer: Peer) -> None:
        try:
            while True:
                message = peer.receive()
                key = message['key']
                with changed:
                    if 'push' in message:
                        sums[key] = sums.get(key, 0) + message['push']
                        pushes[key] = pushes.get(key, 0) + 1
                        changed.notify_all()
                    changed.wait_for(lambda: 'push' in message or pushes.get(key, 0) == workers, PATIENCE)
                    peer.send({'value': sums[key], 'complete': pushes[key] == workers})
        except ConnectionError:
            return

    def welcome(listener: socket.socket) -> None:
        while True:
            connection, _ = listener.accept()
            threading.Thread(target=attend, args=(Peer(connection),), daemon=True).start()

    scheduler = call(*root)
    own_host = scheduler.connection.getsockname()[0]
    listener = socket.create_server((own_host, 0))
    threading.Thread(target=welcome, args=(listener,), daemon=True).start()
    scheduler.send({'role': 'server', 'port': listener.getsockname()[1]})
    rank = scheduler.receive()['rank']
    scheduler.connection.settimeout(None)
    scheduler.receive()
    return {'rank': rank, 'world': workers, 'keys': len(sums)}


def work(root: tuple, workers: int) -> dict:
    scheduler = call(*root)
    scheduler.send({'role': 'worker'})
    welcome = scheduler.receive()
    rank = welcome['rank']
    servers = [call(*address) for address in welcome['servers']]
    wanted = workers * (workers + 1) / 2
    values = []
    for key in range(KEYS):
        server = servers[key % len(servers)]
        server.send({'key': key, 'push': (rank + 1) * (key + 1)})
        server.receive()
    for key in range(KEYS):
        server = servers[key % len(servers)]
        server.send({'key': key})
        answer = server.receive()
        values.append(answer['value'] / (key + 1) if answer['complete'] else None)
    right = all(value == wanted for value in values)
    scheduler.send({'done': right})
    return {'rank': rank, 'world': workers, 'sum': values[0], 'right': right}


def main() -> int:
    env = os.environ
    role = env['DMLC_ROLE']
    root = (env['DMLC_PS_ROOT_URI'], int(env['DMLC_PS_ROOT_PORT']))
    servers, workers = int(env['DMLC_NUM_SERVER']), int(env['DMLC_NUM_WORKER'])
    if role == 'scheduler':
        result = schedule(root, servers, workers)
    elif role == 'server':
        result = serve(root, workers)
    elif role == 'worker':
        result = work(root, workers)
    else:
        raise ValueError(f'DMLC_ROLE is "{role}"; it must be scheduler, server or worker')
    print(json.dumps({'framework': 'mxnet', 'mode': 'ps', 'role': role, **result}), flush=True)
    return 0 if result.get('right', True) else 1


if __name__ == '__main__':
    sys.exit(main())
