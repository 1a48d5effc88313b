"""What the callbacks of frameworks have in common."""
from __future__ import annotations

import sys
import time
from typing import Any, Callable, Dict, Mapping, NoReturn, Optional

from trainyard_progress import _core

Save = Callable[[Any, int], Any]
"""Saves a model, given with the number of the epoch or round, and returns the path of the complete checkpoint."""


class Reporter:
    """Merges the metrics of a run, of which frameworks give some at each step and others at each evaluation, and reports them at a sensible pace."""

    def __init__(self, on_stop: bool) -> None:
        self.metrics: Dict[str, Any] = {}
        self.stopping = False
        self._on_stop = on_stop
        self._stop: Optional[_core.StopSignal] = None
        self._next = 0.0

    def start(self) -> None:
        """When the training starts. A library may have its own handler of SIGTERM until then."""
        if self._on_stop:
            self._stop = _core.StopSignal()

    def is_due(self) -> bool:
        return time.monotonic() >= self._next

    def add(self, metrics: Optional[Mapping[str, Any]]) -> None:
        self.metrics.update(metrics or {})

    def report(self, step: Any, total: Any, force: bool = False) -> None:
        if force or self.is_due():
            self._next = time.monotonic() + _core.INTERVAL
            _core.report(metrics=self.metrics or None, step=step, total=total, force=force)

    def report_percent(self, percent: Optional[float], force: bool = False) -> None:
        if force or self.is_due():
            self._next = time.monotonic() + _core.INTERVAL
            _core.report(percent, self.metrics or None, force=force)

    def should_stop(self, agree: Optional[Callable[[bool], bool]] = None) -> bool:
        """Whether to save and stop. `agree` returns whether any process wants to, since all must leave the loop at the same step."""
        if self._stop is not None:
            wanted = self._stop.requested
            self.stopping = wanted if agree is None else agree(wanted)
        return self.stopping

    def save(self, save: Optional[Save], model: Any, number: int) -> None:
        path = None if save is None else save(model, number)
        if path is not None:
            _core.checkpoint(path, number)


def leave() -> NoReturn:
    """Ends a process that has saved its work, so that the job counts as interrupted and not as completed."""
    _core.flush()
    sys.exit(_core.TERMINATED)
