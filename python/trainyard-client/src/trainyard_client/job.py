"""A job as its user sees it."""
from __future__ import annotations

import time
from abc import ABC, abstractmethod
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Mapping, Optional, Union

from ._json import Json, record, records
from ._logs import LogLine
from .errors import InvalidArgument, JobFailed, WaitTimeout

if TYPE_CHECKING:
    from .client import Client

FINAL = ('Completed', 'Failed')
PHASES = ('Pending', 'Running', 'Restarting', 'Suspended', 'Completed', 'Failed')


@dataclass(frozen=True)
class Failure:
    """Why a replica failed, as `status.lastFailure` says it."""

    reason: str
    message: str = ''
    pod: str = ''
    rank: Optional[int] = None
    node: str = ''
    exit_code: Optional[int] = None
    log_tail: str = ''

    def __str__(self) -> str:
        who = self.pod if self.rank is None else f'rank {self.rank} ({self.pod})'
        where = f' on {self.node}' if self.node else ''
        code = '' if self.exit_code is None else f', exit code {self.exit_code}'
        lines = [f'{who}{where}: {self.reason}{code}' if who else self.reason, self.message, self.log_tail]
        return '\n'.join(line for line in lines if line)


@dataclass(frozen=True)
class ProgressPoint:
    """How the script stood at some time: percent from 0 to 100, and its numeric metrics."""

    time: datetime
    percent: Optional[int]
    metrics: Dict[str, float]


@dataclass(frozen=True)
class Trial:
    """The best trial of a search: its number, the objective, and the hyperparameters with which it was reached."""

    number: int
    value: float
    parameters: Dict[str, Union[int, float, str]]


class Job(ABC):
    """A job on a cluster or on this machine. Properties say how it stood when it was last read: see `refresh`."""

    name: str
    namespace: str

    @property
    @abstractmethod
    def phase(self) -> str:
        """`Pending`, `Running`, `Restarting`, `Suspended`, `Completed` or `Failed`. The last two are final."""

    @property
    @abstractmethod
    def failure(self) -> Optional[Failure]:
        """Why a replica last failed."""

    @abstractmethod
    def refresh(self) -> Job:
        """Reads it again, and returns it."""

    @abstractmethod
    def logs(self, follow: bool = False, rank: Optional[int] = None, tail: Optional[int] = None) -> Iterator[LogLine]:
        """Lines that its replicas wrote, of all ranks unless one is named. `follow` continues until the job has ended."""

    @abstractmethod
    def wait(self, phase: str = 'Completed', timeout: Optional[float] = None, progress: Optional[bool] = None) -> Job:
        """Waits for a phase, at most `timeout` seconds, and returns the job. A progress bar is shown in terminals and notebooks with tqdm.

        Raises JobFailed when the phase cannot be reached any more, WaitTimeout when the time is over.
        """

    @abstractmethod
    def delete(self) -> None:
        """Deletes it with its pods and its code."""

    @property
    def metrics(self) -> Dict[str, float]:
        """The newest numeric metrics that the script reported."""
        return {}

    @property
    def progress(self) -> Optional[int]:
        """Percent, as the script reported it."""
        return None

    @property
    def ready(self) -> str:
        """Running or succeeded replicas of the wanted ones, such as `3/4`; ended trials of all of a search."""
        return ''

    @property
    def restarts(self) -> int:
        """Counted restarts."""
        return 0

    @property
    def message(self) -> str:
        """What the operator says about the phase."""
        return ''

    @property
    def ended(self) -> bool:
        return self.phase in FINAL

    def suspend(self) -> Job:
        """Removes its pods and keeps it. See `resume`."""
        raise self._only_on_clusters('suspended')

    def resume(self) -> Job:
        """Lets it run again."""
        raise self._only_on_clusters('resumed')

    def rerun(self, name: Optional[str] = None, spec: Optional[Mapping[str, Any]] = None) -> Job:
        """Runs it again as a new job, with other fields of its spec if given."""
        raise self._only_on_clusters('run again')

    def _only_on_clusters(self, done: str) -> InvalidArgument:
        return InvalidArgument(f"The job '{self.namespace}/{self.name}' is a process of this machine, and cannot be {done}. Call train again.")


class ClusterJob(Job):
    """An `MLTrainingJob`. `raw` is the object as the cluster has it."""

    def __init__(self, client: Client, raw: Json):
        self._client = client
        self.raw = raw
        self.name = raw['metadata']['name']
        self.namespace = raw['metadata'].get('namespace', client.namespace)

    def __repr__(self) -> str:
        ready = f", ready='{self.ready}'" if self.ready else ''
        return f"Job('{self.namespace}/{self.name}', phase='{self.phase}'{ready})"

    @property
    def spec(self) -> Json:
        """The spec, as docs/jobs/training-job.md of Trainyard describes it."""
        return record(self.raw, 'spec')

    @property
    def status(self) -> Json:
        return record(self.raw, 'status')

    @property
    def uid(self) -> str:
        return self.raw['metadata']['uid']

    @property
    def phase(self) -> str:
        phase = str(self.status.get('phase') or 'Pending')
        return 'Suspended' if phase == 'Pending' and self.spec.get('suspend') is True else phase

    @property
    def ready(self) -> str:
        return str(self.status.get('ready') or '')

    @property
    def restarts(self) -> int:
        return int(self.status.get('restarts') or 0)

    @property
    def message(self) -> str:
        wanted = 'Succeeded' if self.phase == 'Completed' else self.phase
        found = [each for each in records(self.status, 'conditions') if each.get('type') == wanted and each.get('status') == 'True']
        return str(found[0].get('message') or '') if found else ''

    @property
    def failure(self) -> Optional[Failure]:
        last = self.status.get('lastFailure')
        if not last:
            return None
        text, node, tail = (str(last.get(name) or '') for name in ('message', 'node', 'logTail'))
        return Failure(last['reason'], text, last['pod'], last.get('rank'), node, last.get('exitCode'), tail)

    @property
    def progress(self) -> Optional[int]:
        return record(self.status, 'trainerStatus').get('progressPercentage')

    @property
    def remaining_seconds(self) -> Optional[int]:
        return record(self.status, 'trainerStatus').get('estimatedRemainingSeconds')

    @property
    def metrics(self) -> Dict[str, float]:
        return _numbers({each['name']: each['value'] for each in records(record(self.status, 'trainerStatus'), 'metrics')})

    @property
    def history(self) -> List[ProgressPoint]:
        """Earlier reports, the oldest first: a bounded number that spans the whole run."""
        return [ProgressPoint(_time(each['time']), each.get('progressPercentage'), _numbers(record(each, 'metrics')))
                for each in records(self.status, 'progressHistory')]

    @property
    def checkpoint(self) -> Optional[str]:
        """Path or URL of the last checkpoint that the script reported."""
        return record(self.status, 'checkpoint').get('path')

    @property
    def best(self) -> Optional[Trial]:
        """Of a search: the best trial so far."""
        best = record(self.status, 'tuning').get('best')
        if not best:
            return None
        space = record(record(self.spec, 'autoTuning'), 'parameters')
        return Trial(best['trial'], best['value'], {name: _typed(text, space.get(name) or {}) for name, text in best['parameters'].items()})

    @property
    def created(self) -> datetime:
        return _time(self.raw['metadata']['creationTimestamp'])

    def trials(self) -> List[ClusterJob]:
        """Of a search: the jobs of its trials that the cluster keeps."""
        return self._client.trials(self.name)

    def refresh(self) -> ClusterJob:
        self.raw = self._client.current(self).raw
        return self

    def logs(self, follow: bool = False, rank: Optional[int] = None, tail: Optional[int] = None) -> Iterator[LogLine]:
        return self._client.logs(self, follow=follow, rank=rank, tail=tail)

    def wait(self, phase: str = 'Completed', timeout: Optional[float] = None, progress: Optional[bool] = None) -> ClusterJob:
        self.raw = self._client.wait(self, phase=phase, timeout=timeout, progress=progress).raw
        return self

    def suspend(self) -> ClusterJob:
        self.raw = self._client.suspend(self).raw
        return self

    def resume(self) -> ClusterJob:
        self.raw = self._client.resume(self).raw
        return self

    def rerun(self, name: Optional[str] = None, spec: Optional[Mapping[str, Any]] = None) -> ClusterJob:
        return self._client.rerun(self, new_name=name, spec=spec)

    def delete(self) -> None:
        self._client.delete(self)


def reached(job: Job, phase: str) -> bool:
    """Whether a phase was reached. Raises JobFailed when it cannot be any more."""
    # What has succeeded has run.
    if job.phase == phase or (phase == 'Running' and job.phase == 'Completed'):
        return True
    if job.ended:
        failure = f':\n{job.failure}' if job.failure is not None and job.phase == 'Failed' else '.'
        detail = f' ({job.message})' if job.message else ''
        raise JobFailed(f"The job '{job.namespace}/{job.name}' is {job.phase}, and will not be {phase}{detail}{failure}")
    return False


def remaining(job: Job, phase: str, started: float, timeout: Optional[float]) -> Optional[float]:
    """Seconds that are left. Raises WaitTimeout when the time is over."""
    if timeout is None:
        return None
    left = started + timeout - time.monotonic()
    if left <= 0:
        raise WaitTimeout(f"The job '{job.namespace}/{job.name}' is {job.phase}, and was not {phase} after {timeout:g} s. It continues.")
    return left


def _numbers(values: Mapping[str, str]) -> Dict[str, float]:
    found: Dict[str, float] = {}
    for name, text in values.items():
        try:
            found[name] = float(text)
        except ValueError:
            continue
    return found


def _typed(text: str, parameter: Json) -> Union[int, float, str]:
    kind = parameter.get('type')
    if kind == 'int':
        return int(float(text))
    if kind == 'float':
        return float(text)
    values: List[Union[int, float, str]] = parameter.get('values', [])
    return next((value for value in values if str(value) == text), text)


def _time(text: str) -> datetime:
    return datetime.fromisoformat(text.replace('Z', '+00:00'))
