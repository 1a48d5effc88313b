"""For the Trainer of Lightning (`lightning` or `pytorch_lightning`):

    trainer = Trainer(..., callbacks=[TrainyardCallback()])
    trainer.fit(model, ckpt_path=os.environ.get('RESUME_FROM'))
"""
from __future__ import annotations

import os
import sys
from typing import Any, Dict, Optional

from trainyard_progress import _core
from trainyard_progress._callbacks import Reporter, leave

if 'pytorch_lightning' in sys.modules and 'lightning.pytorch' not in sys.modules:
    from pytorch_lightning import Callback
else:
    try:
        from lightning.pytorch import Callback
    except ImportError:
        from pytorch_lightning import Callback


class TrainyardCallback(Callback):
    """Reports steps, logged metrics and the checkpoints of `ModelCheckpoint`. On SIGTERM, saves a checkpoint and exits with `TERMINATED`.

    `folder` is where that checkpoint goes: by default the folder of `ModelCheckpoint`, else `CHECKPOINT_PATH`, else `default_root_dir`.
    With `save_on_stop=False`, SIGTERM is left to Lightning. With `exit_on_stop=False`, the training is stopped and `Trainer.fit()` returns, and the
    script checks `stopped`.
    """

    def __init__(self, folder: Optional[str] = None, save_on_stop: bool = True, exit_on_stop: bool = True) -> None:
        super().__init__()
        self._reporter = Reporter(save_on_stop)
        self._folder = folder
        self._exit_on_stop = exit_on_stop
        self._saved: Dict[int, Any] = {}  # what each ModelCheckpoint has saved last

    @property
    def stopped(self) -> bool:
        return self._reporter.stopping

    def on_train_start(self, trainer: Any, pl_module: Any) -> None:
        self._reporter.start()
        self._report(trainer, force=True)

    def on_train_batch_start(self, trainer: Any, pl_module: Any, batch: Any, batch_idx: int) -> None:
        self._report_saved(trainer)

    def on_train_batch_end(self, trainer: Any, pl_module: Any, outputs: Any, batch: Any, batch_idx: int) -> None:
        if self._reporter.is_due():
            self._report(trainer)
        if not self._reporter.stopping and self._reporter.should_stop(lambda wanted: _any_process(wanted, trainer)):
            self._report(trainer, force=True)
            self._report_saved(trainer)
            path = os.path.join(self._stop_folder(trainer), f'stopped-step={trainer.global_step}.ckpt')
            trainer.save_checkpoint(path)  # in all processes
            _core.checkpoint(path, trainer.global_step)
            if self._exit_on_stop:
                leave()
            trainer.should_stop = True

    def on_validation_end(self, trainer: Any, pl_module: Any) -> None:
        if not trainer.sanity_checking:
            self._report(trainer, force=True)

    def on_fit_end(self, trainer: Any, pl_module: Any) -> None:
        self._report_saved(trainer)
        self._report(trainer, force=True)

    def _report(self, trainer: Any, force: bool = False) -> None:
        total = trainer.estimated_stepping_batches
        self._reporter.add({**trainer.callback_metrics, 'epoch': trainer.current_epoch})
        self._reporter.report(trainer.global_step, total if 0 < total < float('inf') else None, force)

    def _report_saved(self, trainer: Any) -> None:
        """ModelCheckpoint comes after all other callbacks, so what it has saved is seen in the next hook."""
        for callback in trainer.checkpoint_callbacks:
            path = getattr(callback, '_last_checkpoint_saved', '') or getattr(callback, 'last_model_path', '')
            step = getattr(callback, '_last_global_step_saved', 0) or trainer.global_step
            if path and self._saved.get(id(callback)) != (path, step):
                self._saved[id(callback)] = (path, step)
                _core.checkpoint(path, step)

    def _stop_folder(self, trainer: Any) -> str:
        folder = self._folder or getattr(trainer.checkpoint_callback, 'dirpath', None) or os.environ.get('CHECKPOINT_PATH') or trainer.default_root_dir
        return os.path.abspath(folder)


def _any_process(wanted: bool, trainer: Any) -> bool:
    return trainer.strategy.reduce_boolean_decision(wanted, all=False) if trainer.world_size > 1 else wanted
