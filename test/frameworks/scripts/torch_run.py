"""PyTorch under torchrun: `python3 -m torch.distributed.run torch_run.py`, with everything else taken from PET_* variables.

torchrun starts PET_NPROC_PER_NODE of these per node and gives each its RANK, LOCAL_RANK and WORLD_SIZE. Two linear models that started alike
train on different halves of the data with DistributedDataParallel; gradients are averaged only if the ranks really talk to each other,
so the weights agree on all ranks only then.
"""
import json
import os
import sys

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel


def main() -> int:
    dist.init_process_group('gloo')
    rank, world = dist.get_rank(), dist.get_world_size()
    value = torch.tensor([rank + 1.0])
    dist.all_reduce(value)

    torch.manual_seed(0)
    model = DistributedDataParallel(torch.nn.Linear(4, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    torch.manual_seed(1 + rank)
    for _ in range(5):
        inputs = torch.randn(16, 4)
        loss = (model(inputs) - inputs.sum(dim=1, keepdim=True)).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    weights = torch.cat([parameter.detach().flatten() for parameter in model.parameters()])
    others = [torch.empty_like(weights) for _ in range(world)]
    dist.all_gather(others, weights)
    alike = all(torch.equal(weights, other) for other in others)

    line = json.dumps({
        'framework': 'pytorch', 'mode': 'torchrun', 'rank': rank, 'world': world, 'sum': value.item(),
        'localRank': int(os.environ['LOCAL_RANK']), 'localWorld': int(os.environ['LOCAL_WORLD_SIZE']), 'weightsAlike': alike,
    })
    # One write, so that the lines of processes that share an output do not run into each other.
    sys.stdout.write(line + '\n')
    sys.stdout.flush()
    dist.destroy_process_group()
    return 0 if alike and value.item() == world * (world + 1) / 2 else 1


if __name__ == '__main__':
    sys.exit(main())
