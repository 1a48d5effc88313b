"""Two ranks that need each other. In the first attempt rank 1 never comes back from its data, so rank 0 waits for ever."""
import os
import socket
import time

RANK = int(os.environ['RANK'])
ADDRESS = (os.environ['MASTER_ADDR'], int(os.environ['MASTER_PORT']))


def load_batch():
    while os.environ['TRAINYARD_ATTEMPT'] == '0':
        time.sleep(60)


def all_reduce():
    """Rank 0 listens, rank 1 comes."""
    if RANK == 0:
        with socket.socket() as server:
            server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            server.bind(('', ADDRESS[1]) if ADDRESS[0] != '127.0.0.1' else ADDRESS)
            server.listen(1)
            server.accept()
        return
    while True:
        try:
            socket.create_connection(ADDRESS).close()
            return
        except OSError:
            time.sleep(0.1)


if RANK == 1:
    load_batch()
all_reduce()
print('all ranks have met')
