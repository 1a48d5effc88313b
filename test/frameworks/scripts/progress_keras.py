"""Keras with trainyard-progress: the first attempt gets SIGTERM in its third epoch, the second one continues from the checkpoint."""
import json
import os
import re
import signal

import keras
import numpy as np
from trainyard_progress.keras import TrainyardCallback

EPOCHS = 6
folder, resume_from = os.environ['CHECKPOINT_PATH'], os.environ.get('RESUME_FROM')


class Interruption(keras.callbacks.Callback):
    def on_epoch_begin(self, epoch, logs=None):
        self.epoch = epoch

    def on_train_batch_end(self, batch, logs=None):
        if (self.epoch, batch) == (2, 1) and not resume_from:
            os.kill(os.getpid(), signal.SIGTERM)


def save(model, epoch):
    os.makedirs(folder, exist_ok=True)
    path = f'{folder}/epoch-{epoch}.keras'
    model.save(path)
    return path


keras.utils.set_random_seed(0)
if resume_from:
    model = keras.models.load_model(resume_from)
else:
    model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(8, 'relu'), keras.layers.Dense(1)])
    model.compile('sgd', 'mse', metrics=['mae'])
done = int(re.search(r'epoch-(\d+)', resume_from).group(1)) if resume_from else 0
print(json.dumps({'framework': 'keras', 'done': done}), flush=True)
points = np.random.default_rng(0).uniform(-1, 1, size=(64, 2))
history = model.fit(
    points, points.sum(axis=1), batch_size=16, epochs=EPOCHS, initial_epoch=done, verbose=0, callbacks=[Interruption(), TrainyardCallback(save=save)],
)
print(json.dumps({'framework': 'keras', 'done': done + len(history.epoch)}), flush=True)
