"""XGBoost with trainyard-progress: the first attempt gets SIGTERM in its thirteenth round, the second one continues from the checkpoint."""
import json
import os
import signal

import numpy as np
import xgboost
from trainyard_progress.xgboost import TrainyardCallback

ROUNDS = 30
folder, resume_from = os.environ['CHECKPOINT_PATH'], os.environ.get('RESUME_FROM')


class Interruption(xgboost.callback.TrainingCallback):
    def after_iteration(self, model, epoch, evals_log):
        if epoch == 12:
            os.kill(os.getpid(), signal.SIGTERM)
        return False


def save(model, rounds):
    os.makedirs(folder, exist_ok=True)
    path = f'{folder}/rounds-{rounds}.json'
    model.save_model(path)
    return path


points = np.random.default_rng(0).uniform(-1, 1, size=(400, 2))
data = xgboost.DMatrix(points, points[:, 1] > np.sin(3 * points[:, 0]))
before = xgboost.Booster(model_file=resume_from) if resume_from else None
done = before.num_boosted_rounds() if before else 0
print(json.dumps({'framework': 'xgboost', 'done': done}), flush=True)
callbacks = [*([] if before else [Interruption()]), TrainyardCallback(total=ROUNDS, save=save)]
model = xgboost.train(
    {'objective': 'binary:logistic', 'nthread': 1}, data, num_boost_round=ROUNDS - done, evals=[(data, 'train')], xgb_model=before, callbacks=callbacks,
    verbose_eval=False,
)
print(json.dumps({'framework': 'xgboost', 'done': model.num_boosted_rounds()}), flush=True)
