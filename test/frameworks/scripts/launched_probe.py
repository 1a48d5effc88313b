"""A program that an engine's driver starts, and that ends as it is told by the file FOLDER/mode:

`end` at once; `fail-once` with exit code 3 in rank 1's first attempt; `fail` with exit code 3 in rank 1; `wait` when the file FOLDER/go is there.
Prints one line of JSON when it begins, and one when it is asked to stop (it then ends with 0, as a script does that has saved its state).
"""
import json
import os
import signal
import sys
import time


def say(**what):
    print(json.dumps({'framework': 'probe', **what}), flush=True)


def main() -> int:
    env = os.environ
    rank, attempt = int(env['RANK']), int(env['TRAINYARD_ATTEMPT'])
    with open(os.path.join(env['FOLDER'], 'mode')) as file:
        mode = file.read()

    def stop(_number, _frame):
        say(rank=rank, attempt=attempt, stopped=True)
        sys.exit(0)
    signal.signal(signal.SIGTERM, stop)
    say(rank=rank, attempt=attempt, pid=os.getpid(), master=env['MASTER_ADDR'], arguments=sys.argv[1:], folder=os.getcwd(), devices=env.get('CUDA_VISIBLE_DEVICES'),
        threads=env.get('OMP_NUM_THREADS'))
    marker = os.path.join(env['FOLDER'], 'rank-%d-has-failed' % rank)
    if rank == 1 and (mode == 'fail' or (mode == 'fail-once' and not os.path.exists(marker))):
        open(marker, 'w').close()
        return 3
    while mode in ('wait', 'fail', 'fail-once') and not os.path.exists(os.path.join(env['FOLDER'], 'go')):
        if mode == 'fail-once' and os.path.exists(os.path.join(env['FOLDER'], 'rank-1-has-failed')) and (attempt > 0 or rank == 1):
            break
        time.sleep(0.1)
    return 0


if __name__ == '__main__':
    sys.exit(main())
