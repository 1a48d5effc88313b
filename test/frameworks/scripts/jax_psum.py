"""JAX over several processes on CPU: a sum over all of them inside a compiled program.

`jax_psum.py v2` reads what Trainer v2 sets (JAX_COORDINATOR_ADDRESS, JAX_NUM_PROCESSES, JAX_PROCESS_ID), `jax_psum.py v1` what the v1 training
operator sets (COORDINATOR_ADDRESS, COORDINATOR_PORT, NUM_PROCESSES, PROCESS_ID). JAX itself reads only the first of these seven, so that a
script has to pass the rest on, as here.
"""
import json
import os
import sys

import jax
import numpy as np
from jax.experimental import multihost_utils
from jax.sharding import Mesh, NamedSharding, PartitionSpec


def contract(generation: str) -> dict:
    env = os.environ
    if generation == 'v2':
        return {
            'coordinator_address': env['JAX_COORDINATOR_ADDRESS'],
            'num_processes': int(env['JAX_NUM_PROCESSES']),
            'process_id': int(env['JAX_PROCESS_ID']),
        }
    return {
        'coordinator_address': f"{env['COORDINATOR_ADDRESS']}:{env['COORDINATOR_PORT']}",
        'num_processes': int(env['NUM_PROCESSES']),
        'process_id': int(env['PROCESS_ID']),
    }


def main(generation: str) -> int:
    jax.config.update('jax_platforms', 'cpu')
    jax.distributed.initialize(**contract(generation), initialization_timeout=60)
    rank, world = jax.process_index(), jax.process_count()

    mesh = Mesh(np.array(jax.devices()), ('ranks',))
    local = np.full((jax.local_device_count(), 1), rank + 1.0, dtype=np.float32)
    ranks = jax.make_array_from_process_local_data(NamedSharding(mesh, PartitionSpec('ranks')), local)
    psum = jax.jit(jax.shard_map(
        lambda x: jax.lax.psum(x, 'ranks'), mesh=mesh, in_specs=PartitionSpec('ranks'), out_specs=PartitionSpec(),
    ))
    total = float(psum(ranks).addressable_data(0)[0, 0])
    gathered = multihost_utils.process_allgather(np.array([rank]))
    print(json.dumps({'framework': 'jax', 'mode': generation, 'rank': rank, 'world': world, 'sum': total}), flush=True)
    jax.distributed.shutdown()
    return 0 if total == world * (world + 1) / 2 and sorted(gathered.flatten().tolist()) == list(range(world)) else 1


if __name__ == '__main__':
    sys.exit(main(sys.argv[1]))
