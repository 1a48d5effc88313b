"""A progress bar while a job is waited for, by tqdm where it is installed and somebody sees it."""
from __future__ import annotations

import sys
from typing import Any, Optional

from .job import Job


class Bar:
    """`wanted` None shows it in terminals and notebooks; True everywhere. Without tqdm nothing is shown."""

    def __init__(self, job: Job, wanted: Optional[bool]):
        self._bar: Any = None
        shown = wanted if wanted is not None else sys.stderr.isatty() or 'ipykernel' in sys.modules
        if shown:
            try:
                from tqdm.auto import tqdm  # pyright: ignore
            except ImportError:
                return
            self._bar = tqdm(total=100, desc=job.name, bar_format='{desc}: {percentage:3.0f}%|{bar}| {elapsed}{postfix}')  # pyright: ignore

    def show(self, job: Job) -> None:
        if self._bar is None:
            return
        self._bar.n = 100 if job.phase == 'Completed' else job.progress or 0
        ready = f' {job.ready}' if job.ready else ''
        self._bar.set_postfix_str(f'{job.phase}{ready}' + ''.join(f' {name}={value:.4g}' for name, value in list(job.metrics.items())[:4]))

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()
