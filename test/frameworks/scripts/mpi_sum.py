"""MPI: a sum over all ranks, started by `mpirun` in the launcher. mpi4py takes everything from mpirun; the script reads no variable itself."""
import json
import os
import sys

from mpi4py import MPI


def main() -> int:
    world = MPI.COMM_WORLD
    rank, size = world.Get_rank(), world.Get_size()
    total = world.allreduce(rank + 1.0, op=MPI.SUM)
    order = world.allgather(rank)
    # OpenMPI says how many ranks share one host: the slots of a line in the hostfile.
    local = int(os.environ['OMPI_COMM_WORLD_LOCAL_SIZE'])
    line = json.dumps({'framework': 'mpi', 'rank': rank, 'world': size, 'sum': total, 'localSize': local})
    # One write, so that the lines of processes that share an output do not run into each other.
    sys.stdout.write(line + '\n')
    sys.stdout.flush()
    return 0 if total == size * (size + 1) / 2 and order == list(range(size)) else 1


if __name__ == '__main__':
    sys.exit(main())
