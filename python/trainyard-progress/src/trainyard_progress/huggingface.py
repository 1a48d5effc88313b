"""For the Trainer of Hugging Face Transformers:

    trainer = Trainer(..., callbacks=[TrainyardCallback()])
    trainer.train(resume_from_checkpoint=os.environ.get('RESUME_FROM'))
"""
from __future__ import annotations

import os
import sys
from typing import Any, Mapping, Optional

from transformers import TrainerCallback

from trainyard_progress import _core
from trainyard_progress._callbacks import Reporter, leave


class TrainyardCallback(TrainerCallback):
    """Reports steps, logged metrics and saved checkpoints. On SIGTERM, saves a checkpoint, stops the training and exits with `TERMINATED`.

    With `save_on_stop=False`, SIGTERM is left to the script. With `exit_on_stop=False`, `Trainer.train()` returns after the save, and the script
    checks `stopped`.
    """

    def __init__(self, save_on_stop: bool = True, exit_on_stop: bool = True) -> None:
        self._reporter = Reporter(save_on_stop)
        self._exit_on_stop = exit_on_stop

    @property
    def stopped(self) -> bool:
        return self._reporter.stopping

    def on_train_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        self._reporter.start()
        self._report(state, force=True)

    def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        self._report(state)
        if self._reporter.should_stop(lambda wanted: _any_process(wanted, args)):
            control.should_save = True
            control.should_training_stop = True

    def on_log(self, args: Any, state: Any, control: Any, logs: Optional[Mapping[str, Any]] = None, **kwargs: Any) -> None:
        self._reporter.add(logs)
        self._report(state)

    def on_save(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        if state.is_world_process_zero:
            _core.checkpoint(os.path.join(os.path.abspath(args.output_dir), f'checkpoint-{state.global_step}'), state.global_step)

    def on_train_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        self._report(state, force=True)
        if self._reporter.stopping and self._exit_on_stop:
            leave()

    def _report(self, state: Any, force: bool = False) -> None:
        if state.is_world_process_zero:
            self._reporter.report(state.global_step, state.max_steps if state.max_steps > 0 else None, force)


def _any_process(wanted: bool, args: Any) -> bool:
    torch = sys.modules.get('torch')
    if args.world_size < 2 or torch is None or not torch.distributed.is_initialized():
        return wanted
    flag = torch.tensor(float(wanted), device=args.device)
    torch.distributed.all_reduce(flag, torch.distributed.ReduceOp.MAX)
    return bool(flag.item())
