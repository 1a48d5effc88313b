"""LightGBM with trainyard-progress: the first attempt gets SIGTERM in its thirteenth round, the second one continues from the checkpoint."""
import json
import os
import signal

import lightgbm
import numpy as np
import trainyard_progress.lightgbm

ROUNDS = 30
folder, resume_from = os.environ['CHECKPOINT_PATH'], os.environ.get('RESUME_FROM')


def interruption(env):
    if env.iteration == 12 and not resume_from:
        os.kill(os.getpid(), signal.SIGTERM)


def save(model, rounds):
    os.makedirs(folder, exist_ok=True)
    path = f'{folder}/rounds-{rounds}.txt'
    model.save_model(path)
    return path


points = np.random.default_rng(0).uniform(-1, 1, size=(400, 2))
data = lightgbm.Dataset(points, (points[:, 1] > np.sin(3 * points[:, 0])).astype(int))
done = lightgbm.Booster(model_file=resume_from).current_iteration() if resume_from else 0
print(json.dumps({'framework': 'lightgbm', 'done': done}), flush=True)
model = lightgbm.train(
    {'objective': 'binary', 'num_threads': 1, 'verbosity': -1}, data, num_boost_round=ROUNDS - done, init_model=resume_from,
    valid_sets=[data], valid_names=['train'], callbacks=[interruption, trainyard_progress.lightgbm.callback(save=save)],
)
print(json.dumps({'framework': 'lightgbm', 'done': model.current_iteration()}), flush=True)
