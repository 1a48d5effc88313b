"""Logs of a job's replicas as one log: read once, or followed through restarts and lost connections until the job has ended."""
from __future__ import annotations

import queue
import threading
from typing import Callable, Dict, Iterator, List, Optional, Set, Tuple

from ._api import GROUP, PODS, Api
from ._json import Json, record, records
from .errors import ClusterError, InvalidArgument, NotFound, Unreachable

# Container of the training script, as the operator names it.
TRAINING = 'training'
_RANK = f'{GROUP}/rank'
_INDEX = f'{GROUP}/replica-index'

# Seconds until a lost connection is made again, and between two looks for new pods.
_AGAIN = 1.0

# Looks without an answer before it gives up, about five minutes.
_MAX_SILENT = 300

# Attempts at a log of a job that has ended whose node does not answer.
_MOST_UNANSWERED = 5


class LogLine(str):
    """A line of a log. It is the text; attributes say where it is from. `time` is RFC 3339, empty if the kubelet wrote none."""

    rank: Optional[int]
    role: str
    pod: str
    time: str

    @staticmethod
    def of(text: str, pod: str, role: str, rank: Optional[int], time: str) -> LogLine:
        line = LogLine(text)
        line.pod, line.role, line.rank, line.time = pod, role, rank, time
        return line


def pods_of(api: Api, job: Json) -> List[Json]:
    """Pods of a job by rank. The label is a common word, so the owner counts."""
    uid = job['metadata']['uid']
    pods = [pod for pod in api.list(PODS, labels=f"job={job['metadata']['name']}")
            if any(owner.get('uid') == uid for owner in records(pod['metadata'], 'ownerReferences'))]
    last = 1 << 40

    def order(pod: Json) -> Tuple[int, str, int, str]:
        rank = rank_of(pod)
        labels = record(pod['metadata'], 'labels')
        return last if rank is None else rank, labels.get('role', ''), int(labels.get(_INDEX) or 0), pod['metadata'].get('creationTimestamp') or ''
    return sorted(pods, key=order)


def rank_of(pod: Json) -> Optional[int]:
    text = record(pod['metadata'], 'annotations').get(_RANK, '')
    return int(text) if text.isdigit() else None


def role_of(pod: Json) -> str:
    return record(pod['metadata'], 'labels').get('role', '')


def container_of(pod: Json) -> str:
    names = [each['name'] for each in pod['spec']['containers']]
    return TRAINING if TRAINING in names else names[0]


def chosen(pods: List[Json], rank: Optional[int]) -> List[Json]:
    """Raises InvalidArgument when there are pods, and none of the rank."""
    found = [pod for pod in pods if rank is None or rank_of(pod) == rank]
    if pods and not found:
        ranks = sorted({each for each in map(rank_of, pods) if each is not None})
        raise InvalidArgument(f'rank={rank}: ' + (f'there are pods of the ranks {ranks[0]} to {ranks[-1]}.' if ranks else 'no pod of the job has a rank.'))
    return found


def _container_status(pod: Json) -> Json:
    container = container_of(pod)
    for each in records(record(pod, 'status'), 'containerStatuses'):
        if each.get('name') == container:
            return each
    return {}


def has_started(pod: Json) -> bool:
    """A container that waits for its image has no log."""
    status = _container_status(pod)
    state = record(status, 'state')
    return 'running' in state or 'terminated' in state or bool(record(status, 'lastState').get('terminated'))


def is_over(pod: Json) -> bool:
    """Whether the container writes no more lines."""
    if record(pod, 'status').get('phase') in ('Succeeded', 'Failed'):
        return True
    state = record(_container_status(pod), 'state')
    policy = pod['spec'].get('restartPolicy', 'Always')
    return 'terminated' in state and (policy == 'Never' or (policy == 'OnFailure' and record(state, 'terminated').get('exitCode') == 0))


def read_logs(api: Api, pods: List[Json], tail: Optional[int]) -> Iterator[LogLine]:
    """What was written so far, in the order of time. A pod that is deleted after it was listed has no log, like one that was deleted before."""
    lines: List[LogLine] = []
    for pod in pods:
        if has_started(pod):
            try:
                lines += _Log(api, pod, tail).read(False)
            except NotFound:
                continue
    # Stable: lines of one pod stay in their order. The kubelet's times are all in UTC.
    lines.sort(key=lambda line: _sortable(line.time))
    yield from lines


class _Seen:
    """What the last look at a job has shown."""

    def __init__(self) -> None:
        self.running: Set[str] = set()
        self.ended = False

    def take(self, pods: List[Json], ended: bool) -> None:
        # Those that are not found again are over.
        self.running = {pod['metadata']['uid'] for pod in pods if not is_over(pod)}
        self.ended = ended


def follow_logs(api: Api, look: Callable[[], Tuple[List[Json], bool]], tail: Optional[int]) -> Iterator[LogLine]:
    """The same, and what is written from now on. `look` gives the pods as they are now, and whether the job has ended.

    While the cluster does not answer it tries again, for five minutes.
    """
    lines: queue.Queue[LogLine | BaseException] = queue.Queue(maxsize=10_000)
    readers: Dict[str, threading.Thread] = {}
    stop = threading.Event()
    seen = _Seen()
    silent = 0
    try:
        while True:
            try:
                pods, ended = look()
                silent = 0
            except ClusterError as error:
                silent += 1
                if not _may_answer_later(error) or silent > _MAX_SILENT:
                    raise
                pods, ended = None, False
            if pods is not None:
                seen.take(pods, ended)
            for pod in pods or []:
                uid = pod['metadata']['uid']
                if uid not in readers and has_started(pod):
                    readers[uid] = threading.Thread(target=_follow, args=(api, pod, tail, lines, seen, stop), daemon=True)
                    readers[uid].start()
            alive = any(reader.is_alive() for reader in readers.values())
            if ended and not alive:
                yield from _drain(lines)
                return
            try:
                yield _line(lines.get(timeout=_AGAIN))
                yield from _drain(lines)
            except queue.Empty:
                pass
    finally:
        stop.set()


def _may_answer_later(error: ClusterError) -> bool:
    """Whether the cluster, or the node of a container, may answer when it is asked again."""
    return isinstance(error, Unreachable) or error.status in (408, 429) or (error.status or 0) >= 500


def _drain(lines: queue.Queue[LogLine | BaseException]) -> Iterator[LogLine]:
    while True:
        try:
            found = lines.get_nowait()
        except queue.Empty:
            return
        yield _line(found)


def _line(found: LogLine | BaseException) -> LogLine:
    if isinstance(found, BaseException):
        raise found
    return found


def _follow(api: Api, pod: Json, tail: Optional[int], lines: queue.Queue[LogLine | BaseException], seen: _Seen, stop: threading.Event) -> None:
    """One container's log, until one that has ended was read to its end.

    A stream ends early when the connection to the kubelet does, or the container restarts: it is opened again from the last line on.
    """
    log = _Log(api, pod, tail)
    unanswered = 0
    while not stop.is_set():
        was_over, ended = pod['metadata']['uid'] not in seen.running, seen.ended
        try:
            for line in log.read(True, was_over):
                while not stop.is_set():
                    try:
                        lines.put(line, timeout=_AGAIN)
                        break
                    except queue.Full:
                        continue
                if stop.is_set():
                    return
            if was_over:
                return
        except NotFound:
            return
        except InvalidArgument as error:
            # A container that restarts waits to start.
            if was_over:
                lines.put(error)
                return
        except ClusterError as error:
            unanswered += 1 if ended else 0
            if not _may_answer_later(error) or unanswered >= _MOST_UNANSWERED:
                lines.put(error)
                return
        stop.wait(_AGAIN)


class _Log:
    def __init__(self, api: Api, pod: Json, tail: Optional[int]):
        self.api, self.pod, self.tail = api, pod, tail
        # Time of the last line, and how many of that time were read.
        self.last = ''
        self.same = 0

    def read(self, follow: bool, to_end: bool = True) -> Iterator[LogLine]:
        """With `to_end` the last line counts although it has no end: more of it will not come."""
        # The server's times have whole seconds: what was read already is left out here.
        start, repeated = self.last, self.same if self.last else 0
        query = {'timestamps': 'true'}
        if start:
            query['sinceTime'] = start
        elif self.tail is not None:
            query['tailLines'] = str(self.tail)
        name, role, rank = self.pod['metadata']['name'], role_of(self.pod), rank_of(self.pod)
        for written in self.api.log(name, container_of(self.pod), query, follow, to_end):
            time, text = _split(written)
            if start and _sortable(time) < _sortable(start):
                continue
            if start and time == start and repeated > 0:
                repeated -= 1
                continue
            self.same = self.same + 1 if time == self.last else 1
            self.last = time or self.last
            yield LogLine.of(text, name, role, rank, time)


def _split(written: str) -> Tuple[str, str]:
    """Takes apart what timestamps=true gives."""
    time, _, text = written.partition(' ')
    is_time = len(time) >= 20 and time[4:5] == '-' and time[10:11] == 'T' and (time.endswith('Z') or time[-6:-5] in '+-')
    return (time, text) if is_time else ('', written)


def _sortable(time: str) -> str:
    """Digits behind the point may be fewer."""
    whole, _, digits = time.rstrip('Z').partition('.')
    return f'{whole}.{digits:0<9}'
