"""LightGBM over several processes with `tree_learner=data`: one model, trained on rows that are spread over all ranks.

`lightgbm_train.py v1` builds the machine list from what the v1 training operator sets (MASTER_ADDR, MASTER_PORT, WORKER_ADDRS, WORKER_PORT,
WORLD_SIZE, RANK), `lightgbm_train.py list` takes it from LIGHTGBM_MACHINES (host:port,host:port,...), LIGHTGBM_LISTEN_PORT and RANK.
LightGBM looks for its own address and port in that list, and compares addresses only: names have to be resolved first.
Every rank must end with the same model, and that model must know rows that were never on this rank.
"""
import hashlib
import json
import os
import socket
import sys
import time

import lightgbm
import numpy as np


def contract(mode: str) -> tuple:
    """The machine list in rank order, the port that this rank listens on, and the rank."""
    env = os.environ
    rank = int(env['RANK'])
    if mode == 'list':
        return env['LIGHTGBM_MACHINES'].split(','), int(env['LIGHTGBM_LISTEN_PORT']), rank
    workers = [f"{host}:{env['WORKER_PORT']}" for host in env['WORKER_ADDRS'].split(',') if host]
    machines = [f"{env['MASTER_ADDR']}:{env['MASTER_PORT']}", *workers]
    if len(machines) != int(env['WORLD_SIZE']):
        raise ValueError(f"WORLD_SIZE is {env['WORLD_SIZE']}, but MASTER_ADDR and WORKER_ADDRS name {len(machines)} machines: {machines}")
    return machines, int(env['MASTER_PORT'] if rank == 0 else env['WORKER_PORT']), rank


def resolved(machine: str, deadline: float) -> str:
    """The machine with an address in place of its name; waits for a name that does not exist yet, as those of pods at their start."""
    host, port = machine.rsplit(':', 1)
    while True:
        try:
            return f'{socket.gethostbyname(host)}:{port}'
        except socket.gaierror:
            if time.monotonic() > deadline:
                raise
            time.sleep(1)


def rows(rank: int, count: int) -> tuple:
    """Points of a square, labelled by a curve through it; each rank has one strip of it, so that no rank could learn it alone."""
    generator = np.random.default_rng(rank)
    points = generator.uniform(-1, 1, size=(400, 2))
    points[:, 0] = (points[:, 0] + 1) / count + 2 * rank / count - 1
    return points, (points[:, 1] > np.sin(3 * points[:, 0])).astype(int)


def main(mode: str) -> int:
    machines, port, rank = contract(mode)
    world = len(machines)
    deadline = time.monotonic() + 60
    machines = ','.join(resolved(machine, deadline) for machine in machines)
    points, labels = rows(rank, world)
    parameters = {
        'objective': 'binary', 'tree_learner': 'data', 'machines': machines, 'num_machines': world, 'local_listen_port': port,
        'time_out': 2, 'num_threads': 1, 'verbosity': -1, 'pre_partition': True, 'min_data_in_leaf': 5,
    }
    model = lightgbm.train(parameters, lightgbm.Dataset(points, labels), num_boost_round=30)
    # The text repeats the parameters, of which the port differs by design: compare the trees only.
    trees = model.model_to_string().split('parameters:')[0]
    unseen, truth = rows((rank + 1) % world, world)
    accuracy = float(((model.predict(unseen) > 0.5) == truth).mean())
    print(json.dumps({
        'framework': 'lightgbm', 'mode': mode, 'rank': rank, 'world': world,
        'model': hashlib.sha256(trees.encode()).hexdigest()[:16], 'accuracy': round(accuracy, 3),
    }), flush=True)
    model.free_network()
    return 0 if accuracy > 0.85 else 1


if __name__ == '__main__':
    sys.exit(main(sys.argv[1]))
