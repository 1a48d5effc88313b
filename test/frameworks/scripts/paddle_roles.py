"""PaddlePaddle in parameter-server mode: `python -m paddle.distributed.launch paddle_roles.py` with PADDLE_SERVER_NUM or PADDLE_TRAINER_NUM set.

The launchers meet, agree on servers and trainers, and start this script once for each. Paddle's wheels from PyPI are built without its parameter
server, so a server here is a socket that adds up: every trainer sends its number to every server, and gets the sum when all have.
"""
import json
import os
import socket
import sys
import time

PATIENCE = 60


def serve(address: tuple, trainers: int) -> dict:
    with socket.create_server(address) as listener:
        listener.settimeout(PATIENCE)
        connections = [listener.accept()[0] for _ in range(trainers)]
    streams = [connection.makefile('rw') for connection in connections]
    total = sum(int(stream.readline()) for stream in streams)
    for stream in streams:
        stream.write(f'{total}\n')
        stream.flush()
    return {'sum': total}


def train(servers: list, number: int) -> dict:
    streams = []
    for host, port in servers:
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                streams.append(socket.create_connection((host, int(port)), timeout=PATIENCE).makefile('rw'))
                break
            except OSError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.2)
    for stream in streams:
        stream.write(f'{number}\n')
        stream.flush()
    sums = {int(stream.readline()) for stream in streams}
    return {'sum': sums.pop() if len(sums) == 1 else None}


def main() -> int:
    env = os.environ
    role, trainers = env['TRAINING_ROLE'], int(env['PADDLE_TRAINERS_NUM'])
    servers = [endpoint.split(':') for endpoint in env['PADDLE_PSERVERS_IP_PORT_LIST'].split(',')]
    if role == 'PSERVER':
        result = serve((env['POD_IP'], int(env['PADDLE_PORT'])), trainers)
    else:
        result = train(servers, int(env['PADDLE_TRAINER_ID']) + 1)
    line = json.dumps({'framework': 'paddle', 'mode': 'ps', 'role': role, 'servers': len(servers), 'trainers': trainers, **result})
    sys.stdout.write(line + '\n')
    sys.stdout.flush()
    return 0 if result['sum'] == trainers * (trainers + 1) / 2 else 1


if __name__ == '__main__':
    sys.exit(main())
