"""A job as processes of this machine: one for each replica, with the variables that the operator gives them.

There is no cluster, no image and no progress endpoint, and nothing is installed or restarted. `trainyard run` does more (docs/jobs/local-runner.md).
"""
from __future__ import annotations

import atexit
import importlib.metadata
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import weakref
from pathlib import Path
from typing import Dict, Iterator, List, Optional, Sequence

from ._bar import Bar
from ._bundle import Bundle
from ._json import Json, record, records
from ._logs import LogLine
from .errors import InvalidArgument
from .job import PHASES, Failure, Job, reached, remaining

FRAMEWORKS = ('plain', 'pytorch', 'jax')
# Lines of a log that are kept for the message of a failure.
_TAIL = 20
# Seconds between SIGTERM and SIGKILL.
_GRACE = 10.0
# Variables of launchers around this program, which are not the job's.
_LAUNCHERS = re.compile(r'(RANK|WORLD_SIZE|LOCAL_RANK|LOCAL_WORLD_SIZE|GROUP_RANK|MASTER_ADDR|MASTER_PORT|JAX_(COORDINATOR_ADDRESS|NUM_PROCESSES|PROCESS_ID)'
                        r'|(PET|TORCHELASTIC|OMPI|PMI|SLURM|KUBEFLOW_TRAINER|TRAINYARD)_\w+)')


class LocalJob(Job):
    """Runs from the start: see `Job`. Its processes end with this program."""

    def __init__(self, name: str, bundle: Bundle, spec: Json, packages: Sequence[str]):
        if spec['framework'] not in FRAMEWORKS:
            raise InvalidArgument(f"local=True runs the frameworks {', '.join(FRAMEWORKS)}, and not '{spec['framework']}'. "
                                  'Use trainyard run (docs/jobs/local-runner.md).')
        _check_packages(packages)
        self.name = name
        self.namespace = 'local'
        self.folder = Path(tempfile.mkdtemp(prefix=f'trainyard-{name}-'))
        self._lines: List[LogLine] = []
        self._changed = threading.Condition()
        self._failure: Optional[Failure] = None
        self._deleted = False
        bundle.write(self.folder)
        replicas = int(spec['replicas'])
        port = _free_port()
        self._processes = [_start(self.folder, _environment(spec, name, rank, replicas, port)) for rank in range(replicas)]
        _RUNNING.add(self)
        self._readers = [threading.Thread(target=self._read, args=(rank, process), daemon=True) for rank, process in enumerate(self._processes)]
        for reader in self._readers:
            reader.start()

    def __repr__(self) -> str:
        return f"Job('local/{self.name}', phase='{self.phase}')"

    @property
    def phase(self) -> str:
        if self._failure is not None:
            return 'Failed'
        return 'Running' if any(reader.is_alive() for reader in self._readers) else 'Completed'

    @property
    def ready(self) -> str:
        good = [process for process in self._processes if process.poll() in (None, 0)]
        return f'{len(good)}/{len(self._processes)}'

    @property
    def failure(self) -> Optional[Failure]:
        return self._failure

    def refresh(self) -> LocalJob:
        return self

    def logs(self, follow: bool = False, rank: Optional[int] = None, tail: Optional[int] = None) -> Iterator[LogLine]:
        at = 0
        if tail is not None:
            ranks = range(len(self._processes)) if rank is None else [rank]
            kept = [line for each in ranks for line in [line for line in self._lines if line.rank == each][-tail:]] if tail > 0 else []
            at = len(self._lines)
            yield from kept
        while True:
            with self._changed:
                ended = not any(reader.is_alive() for reader in self._readers)
                found = self._lines[at:]
                if not found and follow and not ended:
                    self._changed.wait(0.2)
                    continue
            at += len(found)
            yield from (line for line in found if rank is None or line.rank == rank)
            if not follow or (ended and at == len(self._lines)):
                return

    def wait(self, phase: str = 'Completed', timeout: Optional[float] = None, progress: Optional[bool] = None) -> LocalJob:
        if phase not in PHASES:
            raise InvalidArgument(f"phase={phase!r} is not a phase. Choose one of {', '.join(PHASES)}.")
        started = time.monotonic()
        bar = Bar(self, progress)
        try:
            while not reached(self, phase):
                bar.show(self)
                left = remaining(self, phase, started, timeout)
                with self._changed:
                    self._changed.wait(0.2 if left is None else min(left, 0.2))
            bar.show(self)
            return self
        finally:
            bar.close()

    def delete(self) -> None:
        """Ends its processes and removes its files."""
        self._deleted = True
        self._stop()
        for reader in self._readers:
            reader.join()
        _RUNNING.discard(self)
        shutil.rmtree(self.folder, ignore_errors=True)

    def _read(self, rank: int, process: 'subprocess.Popen[bytes]') -> None:
        assert process.stdout is not None and process.stdin is not None
        with process.stdout, process.stdin:
            for written in process.stdout:
                text = written.decode('utf-8', 'replace').rstrip('\r\n')
                with self._changed:
                    self._lines.append(LogLine.of(text, f'{self.name}-worker-{rank}', 'worker', rank, ''))
                    self._changed.notify_all()
            code = process.wait()
        first = False
        with self._changed:
            if code != 0 and self._failure is None:
                first = True
                tail = [line for line in self._lines if line.rank == rank][-_TAIL:]
                said = 'Deleted' if self._deleted else 'Error'
                self._failure = Failure(said, '', f'{self.name}-worker-{rank}', rank, '', code if code > 0 else 128 - code, '\n'.join(tail))
            self._changed.notify_all()
        if first:
            # The others would wait for it for ever.
            self._stop()

    def _stop(self) -> None:
        _signal(self._processes, signal.SIGTERM)
        deadline = time.monotonic() + _GRACE
        while time.monotonic() < deadline and any(process.poll() is None for process in self._processes):
            time.sleep(0.02)
        _signal(self._processes, signal.SIGKILL)


_RUNNING: 'weakref.WeakSet[LocalJob]' = weakref.WeakSet()


@atexit.register
def _end_all() -> None:
    for job in list(_RUNNING):
        job.delete()


def _start(folder: Path, environment: Dict[str, str]) -> 'subprocess.Popen[bytes]':
    # The pipe to its standard input breaks when this program is gone, even by SIGKILL: trainyard_start.py then ends.
    return subprocess.Popen([sys.executable, '-u', 'trainyard_start.py'], cwd=folder, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, start_new_session=True)


def _signal(processes: 'List[subprocess.Popen[bytes]]', number: int) -> None:
    for process in processes:
        if process.poll() is None:
            try:
                os.killpg(process.pid, number)
            except ProcessLookupError:
                continue


def _environment(spec: Json, name: str, rank: int, replicas: int, port: int) -> Dict[str, str]:
    found = {key: value for key, value in os.environ.items() if not _LAUNCHERS.fullmatch(key)}
    address = '127.0.0.1'
    found.update({
        'ROLE': 'worker', 'RANK': str(rank), 'WORLD_SIZE': str(replicas), 'MASTER_ADDR': address, 'MASTER_PORT': str(port), 'PYTHONUNBUFFERED': '1',
        'TRAINYARD_JOB_NAME': name, 'TRAINYARD_REPLICA_INDEX': str(rank), 'TRAINYARD_ATTEMPT': '0', 'TRAINYARD_CLIENT_LOCAL': '1',
    })
    if spec['framework'] == 'pytorch':
        # As torchrun numbers its processes on one machine.
        found.update({'LOCAL_RANK': str(rank), 'LOCAL_WORLD_SIZE': str(replicas)})
    if spec['framework'] == 'jax':
        found.update({'JAX_COORDINATOR_ADDRESS': f'{address}:{port}', 'JAX_NUM_PROCESSES': str(replicas), 'JAX_PROCESS_ID': str(rank)})
    hyperparameters: Dict[str, str] = record(spec, 'hyperparameters')
    if hyperparameters:
        found.update({**hyperparameters, 'TRAINYARD_HYPERPARAMETERS': json.dumps(hyperparameters)})
    for entry in records(spec, 'env'):
        if 'value' not in entry:
            raise InvalidArgument(f"env[{entry['name']!r}] comes from a Secret, which this machine does not have. Pass its value, or leave local=True out.")
        found[entry['name']] = entry['value'].replace('$$', '$')
    return found


def _check_packages(packages: Sequence[str]) -> None:
    missing: List[str] = []
    for package in packages:
        name = re.split(r'[\[<>=!~;@ ]', package.strip(), maxsplit=1)[0]
        try:
            importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            missing.append(package)
    if missing:
        raise InvalidArgument(f"local=True installs nothing on this machine, and these packages are missing: {', '.join(missing)}. "
                              f"Install them: pip install {' '.join(missing)}")


def _free_port() -> int:
    with socket.socket() as opened:
        opened.bind(('127.0.0.1', 0))
        return int(opened.getsockname()[1])

