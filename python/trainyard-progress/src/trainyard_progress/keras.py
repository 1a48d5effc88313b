"""For `Model.fit` of Keras:

    model.fit(..., callbacks=[TrainyardCallback(save=save)])

where `save(model, epoch)` writes a checkpoint and returns its path.
"""
from __future__ import annotations

import os
from typing import Any, Mapping, Optional

from trainyard_progress._callbacks import Reporter, Save, leave

try:
    from keras.callbacks import Callback
except ImportError:
    from tensorflow.keras.callbacks import Callback


class TrainyardCallback(Callback):
    """Reports steps, metrics and checkpoints.

    `save(model, epoch)` is called after every `save_every` epochs; `epoch` is the number of complete epochs, for `initial_epoch` of the next
    attempt. The callback reports the path that it returns. On SIGTERM, it is called once more after the current batch, and the process exits with
    `TERMINATED`. With `stop=False`, and in a job with several workers, SIGTERM is left to the script: workers cannot agree on a batch.
    """

    def __init__(self, save: Optional[Save] = None, save_every: int = 1, stop: bool = True) -> None:
        super().__init__()
        self._reporter = Reporter(stop and not _has_peers())
        self._save = save
        self._save_every = save_every
        self._epoch = 0
        self._batches = 0  # of an epoch; unknown in the first one of a generator
        self._seen = 0

    def on_train_begin(self, logs: Optional[Mapping[str, Any]] = None) -> None:
        self._reporter.start()

    def on_epoch_begin(self, epoch: int, logs: Optional[Mapping[str, Any]] = None) -> None:
        self._epoch = epoch
        self._batches = self.params.get('steps') or self._batches

    def on_train_batch_end(self, batch: int, logs: Optional[Mapping[str, Any]] = None) -> None:
        self._seen = batch + 1
        if self._reporter.is_due():
            self._reporter.add(logs)
            self._report(self._epochs())
        if self._reporter.should_stop():
            self._report(self._epochs(), force=True)
            self._reporter.save(self._save, self.model, self._epoch)
            leave()

    def on_epoch_end(self, epoch: int, logs: Optional[Mapping[str, Any]] = None) -> None:
        self._batches = self._batches or self._seen
        self._reporter.add(logs)
        self._report(epoch + 1, force=True)
        if self._save is not None and (epoch + 1) % self._save_every == 0:
            self._reporter.save(self._save, self.model, epoch + 1)

    def on_train_end(self, logs: Optional[Mapping[str, Any]] = None) -> None:
        self._report(self._epoch + 1, force=True)

    def _epochs(self) -> float:
        return self._epoch + self._seen / self._batches if self._batches else self._epoch

    def _report(self, epochs: float, force: bool = False) -> None:
        self._reporter.add({'epoch': int(epochs)})
        self._reporter.report_percent(100 * epochs / self.params['epochs'] if self.params.get('epochs') else None, force)


def _has_peers() -> bool:
    return 'TF_CONFIG' in os.environ or os.environ.get('WORLD_SIZE', '1') not in ('', '1')
