"""Elastic PyTorch: `python3 -m torch.distributed.run torch_elastic.py`, with everything else taken from PET_* variables.

torchrun starts this anew at every rendezvous: when a node is lost, and when one comes. So the script keeps its state in a file after every step and
goes on from there, whatever the number of processes is by then. The process of pod job-worker-1 kills its agent, as a lost node does, when the world has
three members, until the others have once gone on without it; the job is over when the world has had three members, two, and three again.
"""
import datetime
import json
import os
import signal
import sys
import time

import torch
import torch.distributed as dist

STATE = os.path.join(os.environ['CHECKPOINT_PATH'], 'state.json')


def load() -> dict:
    if not os.path.exists(STATE):
        return {'step': 0, 'worlds': []}
    with open(STATE, encoding='utf-8') as file:
        return json.load(file)


def save(state: dict) -> None:
    with open(f'{STATE}.new', 'w', encoding='utf-8') as file:
        json.dump(state, file)
    os.replace(f'{STATE}.new', STATE)


def main() -> int:
    # Not forever: a peer that is lost while the group is formed would be waited for.
    dist.init_process_group('gloo', timeout=datetime.timedelta(seconds=60))
    rank, world = dist.get_rank(), dist.get_world_size()
    shared = [load()]
    dist.broadcast_object_list(shared, 0)
    state = shared[0]
    resumed = state['step']
    if state['worlds'][-1:] != [world]:
        state['worlds'].append(world)
    seen = state['worlds']
    wait = 3 not in seen or len(seen) < 3 or seen[-1] != 3
    for _ in range(10_000 if wait else 10):
        total = torch.ones(1)
        dist.all_reduce(total)
        assert int(total.item()) == world
        state['step'] += 1
        if rank == 0:
            save(state)
        dist.barrier()
        if world == 3 and len(seen) == seen.index(3) + 1 and os.environ['TRAINYARD_REPLICA_INDEX'] == '1' and state['step'] >= resumed + 5:
            os.kill(os.getppid(), signal.SIGKILL)
            os.kill(os.getpid(), signal.SIGKILL)
        time.sleep(0.05)
    line = json.dumps({'framework': 'pytorch', 'mode': 'elastic', 'rank': rank, 'world': world, 'worlds': seen, 'resumed': resumed, 'step': state['step']})
    sys.stdout.write(line + '\n')
    sys.stdout.flush()
    dist.destroy_process_group()
    return 0


if __name__ == '__main__':
    sys.exit(main())
