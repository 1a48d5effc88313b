"""PaddlePaddle, collective mode on CPU: `python -m paddle.distributed.launch paddle_allreduce.py`, with everything else taken from PADDLE_* variables.

The launcher of each node meets the others at PADDLE_MASTER, agrees on ranks, and starts this script with its own rank; on CPU it chooses gloo.
"""
import json
import os
import sys

import paddle
import paddle.distributed as dist


def main() -> int:
    dist.init_parallel_env()
    rank, world = dist.get_rank(), dist.get_world_size()
    value = paddle.to_tensor([rank + 1.0])
    dist.all_reduce(value)
    ranks = []
    dist.all_gather_object(ranks, rank)
    line = json.dumps({
        'framework': 'paddle', 'mode': 'collective', 'rank': rank, 'world': world, 'sum': value.item(), 'nodes': int(os.environ['PADDLE_NNODES']),
    })
    # One write, so that the lines of processes that share an output do not run into each other.
    sys.stdout.write(line + '\n')
    sys.stdout.flush()
    return 0 if value.item() == world * (world + 1) / 2 and sorted(ranks) == list(range(world)) else 1


if __name__ == '__main__':
    sys.exit(main())
