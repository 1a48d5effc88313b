"""For `xgboost.train`:

    xgboost.train(..., num_boost_round=100, callbacks=[TrainyardCallback(total=100, save=save)])

where `save(model, rounds)` writes a checkpoint and returns its path.
"""
from __future__ import annotations

from typing import Any, Optional

from xgboost import collective
from xgboost.callback import TrainingCallback

from trainyard_progress._callbacks import Reporter, Save, leave


class TrainyardCallback(TrainingCallback):
    """Reports rounds, metrics of evaluations and checkpoints.

    `total` is the number of rounds, which XGBoost does not pass to callbacks. `save(model, rounds)` is called on rank 0 after every `save_every`
    rounds, and the callback reports the path that it returns. On SIGTERM, it is called once more after the current round, and all processes exit
    with `TERMINATED`. With `stop=False`, SIGTERM is left to the script.
    """

    def __init__(self, total: Optional[int] = None, save: Optional[Save] = None, save_every: int = 10, stop: bool = True) -> None:
        super().__init__()
        self._reporter = Reporter(stop)
        self._total = total
        self._save = save
        self._save_every = save_every
        self._rounds = 0

    def before_training(self, model: Any) -> Any:
        self._reporter.start()
        return model

    def after_iteration(self, model: Any, epoch: int, evals_log: Any) -> bool:
        self._rounds = model.num_boosted_rounds() if hasattr(model, 'num_boosted_rounds') else epoch + 1
        for data, metrics in evals_log.items():
            for metric, values in metrics.items():
                last = values[-1]
                self._reporter.add({f'{data}-{metric}': last[0] if isinstance(last, (tuple, list)) else last})
        self._reporter.report(self._rounds, self._total)
        stop = self._reporter.should_stop(_any_process)
        if _rank() == 0 and (stop or self._rounds % self._save_every == 0):
            self._reporter.save(self._save, model, self._rounds)
        return stop

    def after_training(self, model: Any) -> Any:
        self._reporter.report(self._rounds, self._total, force=True)
        if self._reporter.stopping:
            leave()
        return model


def _rank() -> int:
    return collective.get_rank() if collective.is_distributed() else 0


def _any_process(wanted: bool) -> bool:
    if not collective.is_distributed():
        return wanted
    import numpy

    return bool(collective.allreduce(numpy.array([float(wanted)]), collective.Op.MAX)[0])
