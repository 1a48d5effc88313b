"""For `lightgbm.train`:

    lightgbm.train(..., callbacks=[trainyard_progress.lightgbm.callback(save=save)])

where `save(model, rounds)` writes a checkpoint and returns its path.
"""
from __future__ import annotations

from typing import Any, Callable, Optional

from trainyard_progress import _core
from trainyard_progress._callbacks import Reporter, Save, leave


def callback(save: Optional[Save] = None, save_every: int = 10, stop: bool = True) -> Callable[[Any], None]:
    """A callback that reports rounds, metrics of evaluations and checkpoints.

    `save(model, rounds)` is called on rank 0 after every `save_every` rounds, and the callback reports the path that it returns. On SIGTERM, it is
    called once more after the current round, and the process exits with `TERMINATED`. Other ranks continue until rank 0 has left, because it cannot
    finish its round without them. With `stop=False`, SIGTERM is left to the script.
    """
    reporter = Reporter(stop)

    def report(env: Any) -> None:
        rounds = env.iteration + 1
        if env.iteration == env.begin_iteration:
            reporter.start()
        for data, metric, value, *_ in env.evaluation_result_list or []:
            reporter.add({f'{data}-{metric}': value})
        reporter.report(rounds, env.end_iteration, force=rounds == env.end_iteration)
        stopping = reporter.should_stop() and _core.is_first()
        if _core.is_first() and (stopping or rounds % save_every == 0):
            reporter.save(save, env.model, rounds)
        if stopping:
            reporter.report(rounds, env.end_iteration, force=True)
            leave()

    report.order = 5  # type: ignore[attr-defined]  # before LightGBM's early stopping, which raises
    return report
