"""Progress, metrics and checkpoints of a training script, reported to the Trainyard operator, `trainyard dev`, `trainyard run` or Kubeflow Trainer.

    import trainyard_progress as progress

    progress.report(percent=45, metrics={'loss': loss})
    progress.checkpoint('/checkpoints/step-1000', step=1000)

Callbacks of frameworks are in modules of their own: huggingface, lightning, keras, xgboost, lightgbm.
"""
from trainyard_progress._core import (
    EXIT_SECONDS,
    INTERVAL,
    LONGEST_PAUSE,
    TERMINATED,
    TIMEOUT,
    Progress,
    StopSignal,
    checkpoint,
    flush,
    is_due,
    keep_last,
    prune,
    report,
    track,
    wants_save,
)

__version__ = '0.1.0.dev0'

__all__ = [
    'EXIT_SECONDS', 'INTERVAL', 'LONGEST_PAUSE', 'TERMINATED', 'TIMEOUT', 'Progress', 'StopSignal', 'checkpoint', 'flush', 'is_due', 'keep_last',
    'prune', 'report', 'track', 'wants_save',
]
