"""XGBoost over several processes: a sum over all ranks, then one model trained on rows that are spread over them.

`xgboost_train.py v2` reads what Trainer v2 sets (DMLC_TRACKER_URI, DMLC_TRACKER_PORT, DMLC_TASK_ID, DMLC_NUM_WORKER), `xgboost_train.py v1` what the
v1 training operator sets (MASTER_ADDR, MASTER_PORT, WORLD_SIZE, RANK). In both the first rank runs the tracker that brings the others together.
Every rank must end with the same model, and that model must know rows that it never saw on this rank.
"""
import hashlib
import json
import os
import socket
import sys

import numpy as np
import xgboost
from xgboost import collective
from xgboost.tracker import RabitTracker


def contract(generation: str) -> tuple:
    env = os.environ
    if generation == 'v2':
        return env['DMLC_TRACKER_URI'], int(env['DMLC_TRACKER_PORT']), int(env['DMLC_TASK_ID']), int(env['DMLC_NUM_WORKER'])
    return env['MASTER_ADDR'], int(env['MASTER_PORT']), int(env['RANK']), int(env['WORLD_SIZE'])


def rows(rank: int, count: int) -> tuple:
    """Points of a square, labelled by a curve through it; each rank has one half-open strip of it, so that no rank could learn it alone."""
    generator = np.random.default_rng(rank)
    points = generator.uniform(-1, 1, size=(400, 2))
    points[:, 0] = (points[:, 0] + 1) / count + 2 * rank / count - 1
    return points, (points[:, 1] > np.sin(3 * points[:, 0])).astype(int)


def main(generation: str) -> int:
    host, port, task, count = contract(generation)
    tracker = None
    if task == 0:
        # The tracker takes an address to listen on; the contract gives a name that other replicas can use.
        tracker = RabitTracker(n_workers=count, host_ip=socket.gethostbyname(host), port=port, sortby='task', timeout=60)
        tracker.start()
    # Replicas start in any order: the others try again until the tracker is there.
    arguments = {'dmlc_tracker_uri': host, 'dmlc_tracker_port': port, 'dmlc_task_id': f'{task:06d}', 'dmlc_retry': 10, 'dmlc_timeout': 60}
    with collective.CommunicatorContext(**arguments):
        rank, world = collective.get_rank(), collective.get_world_size()
        total = float(collective.allreduce(np.array([rank + 1.0]), collective.Op.SUM)[0])
        points, labels = rows(rank, world)
        model = xgboost.train(
            {'objective': 'binary:logistic', 'max_depth': 4, 'nthread': 1}, xgboost.DMatrix(points, labels), num_boost_round=20,
        )
        digest = hashlib.sha256(model.save_raw('json')).hexdigest()
        alike = collective.broadcast(digest, 0) == digest
        unseen, truth = rows((rank + 1) % world, world)
    accuracy = float(((model.predict(xgboost.DMatrix(unseen)) > 0.5) == truth).mean())
    if tracker:
        tracker.wait_for()
    print(json.dumps({
        'framework': 'xgboost', 'mode': generation, 'rank': rank, 'world': world, 'sum': total, 'task': task,
        'modelsAlike': alike, 'accuracy': round(accuracy, 3),
    }), flush=True)
    right = total == world * (world + 1) / 2 and world == count and rank == task and alike and accuracy > 0.9
    return 0 if right else 1


if __name__ == '__main__':
    sys.exit(main(sys.argv[1]))
