"""PyTorch, plain: `init_process_group('gloo', init_method='env://')` from MASTER_ADDR, MASTER_PORT, WORLD_SIZE and RANK.

The way that a script is written for the v1 training operator without torchrun. Every rank contributes rank + 1; the sum of all is known.
"""
import json
import sys

import torch
import torch.distributed as dist


def main() -> int:
    dist.init_process_group('gloo', init_method='env://')
    rank, world = dist.get_rank(), dist.get_world_size()
    value = torch.tensor([rank + 1.0])
    dist.all_reduce(value)
    dist.barrier()
    print(json.dumps({'framework': 'pytorch', 'mode': 'env', 'rank': rank, 'world': world, 'sum': value.item()}), flush=True)
    dist.destroy_process_group()
    return 0 if value.item() == world * (world + 1) / 2 else 1


if __name__ == '__main__':
    sys.exit(main())
