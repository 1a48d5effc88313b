"""Progress, metrics and checkpoints of a training script, reported to the system that runs the job: the Trainyard operator, `trainyard dev`,
`trainyard run` or Kubeflow Trainer.

Copy this file next to your script as trainyard_progress.py, or install the package trainyard-progress, which contains it. It needs only Python 3.8.

    import trainyard_progress as progress

    stop = progress.StopSignal()
    for step in range(first, last):
        ...
        progress.report(100 * step / last, {'loss': loss})
        if step % 100 == 0 or stop.requested:
            path = save(step)
            progress.checkpoint(path, step)
            progress.prune(all_checkpoints_from_the_oldest_to_the_newest)
        if stop.requested:
            sys.exit(progress.TERMINATED)

No function fails or waits unless you ask it to wait: a background thread sends the newest report every five seconds, and each checkpoint in
order. Outside a job and on other ranks than 0, nothing happens. A server that does not respond is retried at growing intervals, and logged once.
"""
from __future__ import annotations

import atexit
import collections
import http.client
import io
import json
import logging
import math
import os
import shutil
import signal
import ssl
import sys
import threading
import time
import urllib.parse
from datetime import datetime, timezone
from typing import Any, Deque, Dict, Iterable, Iterator, Mapping, NamedTuple, Optional, Tuple, TypeVar

INTERVAL = 5.0  # seconds between two reports of progress; the operator would only merge more of them
TIMEOUT = 5.0  # seconds for a request, from the connection to the last byte of the response
LONGEST_PAUSE = 60.0  # seconds between two attempts while the server does not accept reports
EXIT_SECONDS = 5.0  # longest delay of the end of the process, if something was not sent yet
TERMINATED = 128 + 15  # exit code of a run that saved its work because of SIGTERM; the next attempt continues from there

_MAX_METRICS = 256
_MAX_TEXT = 64  # characters of a name and of a value
_MAX_PATH = 4096
_MAX_CHECKPOINTS = 1000  # that wait for the server; beyond, the oldest are dropped, because a job resumes from the newest
_MAX_BODY = 60 * 1024  # the server takes 64 KiB
_MAX_WHOLE = 2**53 - 1
_PLAIN = frozenset((float, int, str, bool))
# The rank of a process, as the program that started it sets it ...
_LAUNCHER_RANKS = ('RANK', 'OMPI_COMM_WORLD_RANK', 'PMIX_RANK', 'PMI_RANK', 'FLUX_TASK_RANK', 'SLURM_PROCID')
# ... and that of a pod, in jobs of other operators than Trainyard's.
_POD_RANKS = ('JAX_PROCESS_ID', 'PADDLE_TRAINER_ID', 'DMLC_TASK_ID', 'PET_NODE_RANK', 'JOB_COMPLETION_INDEX')

_log = logging.getLogger('trainyard_progress')
_Item = TypeVar('_Item')


def report(
    percent: Any = None, metrics: Optional[Mapping[str, Any]] = None, remaining_seconds: Any = None, force: bool = False, *,
    step: Any = None, total: Any = None, checkpoint: Any = None,
) -> bool:
    """Reports how far the training is; of several reports within five seconds, the last one is sent. Returns whether this process reports at all.

    `step` and `total` can replace `percent`. A percentage or metrics that are left out keep their last values. `force` sends the report without a
    delay. Values of metrics are numbers or texts; a tensor is converted in this call, so pass `loss.item()` only as often as you can afford it.
    `checkpoint` is the path of a complete checkpoint, as with `checkpoint()`.
    """
    try:
        sender = _current_sender()
        if sender is None:
            return False
        if percent is None and step is not None and total:
            percent = 100 * _plain(step) / _plain(total)
        sender.report(percent, metrics, remaining_seconds, step, force)
        if checkpoint is not None:
            sender.checkpoint(checkpoint, step)
        return True
    except Exception as error:  # whatever it is: the training is more important
        _warn('report', f'a report was left out: {error!r}')
        return False


def checkpoint(path: Any, step: Any = None, wait: float = 0) -> bool:
    """Reports a complete checkpoint, a file, folder or URL; the next attempt finds it in RESUME_FROM.

    Returns at once by default; the background thread sends the checkpoint, and tries again until the server has accepted it. With `wait`, returns
    when it is accepted, after that many seconds at the latest. True means that the operator has stored it, whatever happens to this process.
    """
    try:
        sender = _current_sender()
        if sender is None:
            return False
        number = sender.checkpoint(path, step)
        return number is not None and sender.is_stored(number, wait)
    except Exception as error:
        _warn('checkpoint', f'a checkpoint was not reported: {error!r}')
        return False


def flush(timeout: float = EXIT_SECONDS) -> bool:
    """Sends what is not sent yet. Returns whether all of it was sent, after `timeout` seconds at the latest. The end of the process does it as well."""
    try:
        return _sender is None or not _reports() or _sender.flush(timeout)
    except Exception as error:
        _warn('flush', f'reports could not be sent: {error!r}')
        return False


def is_due() -> bool:
    """Whether a report would be sent soon. Ask before you compute something for a report only, such as the value of a tensor on a GPU."""
    sender = _sender
    return _reports() and (sender is None or time.monotonic() >= max(sender.next_report, sender.not_before))


def keep_last(default: Optional[int] = None) -> Optional[int]:
    """How many checkpoints the job wants to keep (spec.checkpoint.keepLast)."""
    text = os.environ.get('CHECKPOINT_KEEP_LAST', '')
    return int(text) if text.isdigit() and int(text) > 0 else default


def prune(paths: Iterable[Any], keep: Optional[int] = None) -> None:
    """Deletes all but the last of `paths` (files or folders, oldest first). How many stay: `keep`, else what the job requests, else all.

    The checkpoint that the next attempt would start from stays until the operator has stored a newer one.
    """
    keep = keep or keep_last()
    if not keep or not is_first():
        return
    needed = _sender.needed() if _sender is not None else None
    for path in list(paths)[:-keep]:
        try:
            if needed is not None and os.path.realpath(path) == os.path.realpath(needed):
                continue
            if os.path.isdir(path) and not os.path.islink(path):
                shutil.rmtree(path)
            else:
                os.unlink(path)
        except OSError as error:
            _warn('prune', f'{path} could not be deleted: {error}')


class StopSignal:
    """Remembers SIGTERM, after which the job's grace period remains to save; check `requested` after each step. Create it in the main thread."""

    def __init__(self) -> None:
        _listen()

    @property
    def requested(self) -> bool:
        return _stop_requested


def wants_save() -> bool:
    """Whether the script should save now and exit with `TERMINATED`, because it received SIGTERM. Call it once before the training starts: from the
    first call on, SIGTERM does not end the process."""
    if not _listening:
        _listen()
    return _stop_requested


class Progress:
    """Counts the steps of a loop and reports them:

        with Progress(total=1000) as progress:
            for batch in loader:
                progress.step(loss=train(batch))
    """

    def __init__(self, total: Optional[float] = None, start: float = 0) -> None:
        self.total = total
        self.count = start
        self._metrics: Dict[str, Any] = {}
        self._next = 0.0

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_error: object) -> None:
        self._report(force=True)

    def step(self, count: float = 1, /, **metrics: Any) -> None:
        """After each step, or after `count` of them. Tensors among the metrics are read only when a report is due."""
        self.count += count
        if metrics:
            self._metrics = metrics
        now = time.monotonic()
        if now >= self._next:
            self._next = now + INTERVAL
            self._report()

    def checkpoint(self, path: Any, wait: float = 0) -> bool:
        """As `checkpoint()`, with the current step."""
        return checkpoint(path, self.count, wait)

    def _report(self, force: bool = False) -> None:
        report(metrics=self._metrics or None, step=self.count, total=self.total, force=force)


def track(items: Iterable[_Item], total: Optional[float] = None, start: float = 0) -> Iterator[_Item]:
    """Yields the items of a loop and reports after each how far it is; `total` is the number of items, if `items` does not know it.

        for batch in track(loader):
            ...
            report(metrics={'loss': loss})  # optional
    """
    if total is None:
        try:
            total = start + len(items)  # type: ignore[arg-type]
        except Exception:  # a stream, of which the length is unknown
            total = None
    with Progress(total, start) as progress:
        for item in items:
            yield item
            progress.step()


# What is sent, and by whom


def _url() -> Optional[str]:
    return os.environ.get('TRAINYARD_PROGRESS_URL') or os.environ.get('KUBEFLOW_TRAINER_SERVER_URL')


def _reports() -> bool:
    return not _muted and bool(_url()) and is_first()


def is_first() -> bool:
    """Whether this is the process that reports: that of rank 0. Roles without a rank, such as parameter servers, and workers of data loaders do not."""
    processes = sys.modules.get('multiprocessing.process')
    if processes is not None and processes.current_process().daemon:
        return False
    rank = _first_variable(_LAUNCHER_RANKS)
    if rank is None:
        role = os.environ.get('ROLE')
        if role:
            return role == 'launcher'
        rank = _first_variable(_POD_RANKS)
    try:
        return rank is None or int(rank) == 0
    except ValueError:
        return False


def _first_variable(names: Tuple[str, ...]) -> Optional[str]:
    for name in names:
        value = os.environ.get(name)
        if value:
            return value
    return None


def _plain(value: Any) -> Any:
    """A number or text for a value of any library; None for one that is neither."""
    if type(value) in _PLAIN or value is None:
        return value
    try:
        if callable(getattr(value, 'item', None)):
            value = value.item()  # of NumPy, PyTorch, JAX and others
        return value if type(value) in _PLAIN else str(value)[:_MAX_TEXT]
    except Exception:
        return None


def _plain_metrics(metrics: Mapping[str, Any]) -> Dict[str, Any]:
    if all(type(value) in _PLAIN for value in metrics.values()):
        return dict(metrics)
    return {name: _plain(value) for name, value in metrics.items()}


def _whole(value: Any, most: int, what: str) -> Optional[int]:
    """A whole number from 0 to `most`; None for something else, such as NaN."""
    try:
        number = float(_plain(value))
        if math.isfinite(number):
            return max(0, min(most, int(number)))
    except (TypeError, ValueError):
        pass
    if value is not None and not isinstance(value, float):
        _warn(what, f'{what} must be a number, not {value!r}')
    return None


class _Report(NamedTuple):
    percent: Optional[int]
    metrics: Dict[str, Any]
    step: Optional[int]
    remaining: Optional[int]
    time: float

    def body(self) -> bytes:
        status: Dict[str, Any] = {'lastUpdatedTime': datetime.fromtimestamp(self.time, timezone.utc).isoformat()}
        if self.percent is not None:
            status['progressPercentage'] = self.percent
        if self.remaining is not None:
            status['estimatedRemainingSeconds'] = self.remaining
        texts: Dict[str, str] = {}
        for name, value in [*self.metrics.items(), ('step', self.step)]:
            short, text = str(name)[:_MAX_TEXT], '' if value is None else str(value)[:_MAX_TEXT]
            if short and text and len(texts) < _MAX_METRICS:
                texts.setdefault(short, text)
        metrics = [{'name': name, 'value': text} for name, text in texts.items()]
        while True:
            body = _json({'trainerStatus': {**status, 'metrics': metrics} if metrics else status})
            if len(body) <= _MAX_BODY or not metrics:
                return body
            metrics = metrics[:len(metrics) // 2]


class _Checkpoint(NamedTuple):
    number: int
    path: str
    step: Optional[int]

    def body(self) -> bytes:
        return _json({'checkpoint': {'path': self.path, **({} if self.step is None else {'step': self.step})}})


class _Outcome(NamedTuple):
    accepted: bool
    again: bool = False
    pause: float = 0.0  # seconds that the server asked for


class _Sender:
    """What waits to be sent, and the thread that sends it. The lock is held for moments only, never during a request."""

    def __init__(self) -> None:
        self.changed = threading.Condition()  # its lock is reentrant: a signal handler may report while this thread does
        self.pending: Optional[_Report] = None
        self.forced = False
        self.checkpoints: Deque[_Checkpoint] = collections.deque()
        self.sending = False
        self.flushing = 0
        self.percent: Optional[int] = None
        self.metrics: Dict[str, Any] = {}
        self.step: Optional[int] = None
        self.numbered = 0  # checkpoints so far
        self.settled = 0  # number of the last one that was accepted or refused
        self.stored = 0  # number of the last one that was accepted
        self.stored_path: Optional[str] = os.environ.get('RESUME_FROM')
        self.next_report = 0.0
        self.not_before = 0.0
        self.told_to_wait = False
        self.failures = 0
        self.thread: Optional[threading.Thread] = None

    def report(self, percent: Any, metrics: Optional[Mapping[str, Any]], remaining: Any, step: Any, force: bool) -> None:
        whole = _whole(percent, 100, 'percent')
        plain = None if metrics is None else _plain_metrics(metrics)
        seconds, count = _whole(remaining, 2**31 - 1, 'remaining_seconds'), _whole(step, _MAX_WHOLE, 'step')
        with self.changed:
            self.percent = self.percent if whole is None else whole
            self.metrics = self.metrics if plain is None else plain
            self.step = self.step if count is None else count
            wake = self.pending is None or (force and not self.forced)
            self.pending = _Report(self.percent, self.metrics, self.step, seconds, time.time())
            self.forced = self.forced or force
            if wake:
                self._wake()

    def checkpoint(self, path: Any, step: Any) -> Optional[int]:
        text = os.fsdecode(path) if isinstance(path, (bytes, os.PathLike)) else str(path)
        if not 0 < len(text) <= _MAX_PATH:
            _warn('path', f'the path of a checkpoint must have 1 to {_MAX_PATH} characters, not {len(text)}')
            return None
        count = _whole(step, _MAX_WHOLE, 'step')
        with self.changed:
            self.numbered += 1
            number = self.numbered
            self.checkpoints.append(_Checkpoint(number, text, count))
            if len(self.checkpoints) > _MAX_CHECKPOINTS:
                self.checkpoints.popleft()
            self._wake()
        return number

    def is_stored(self, number: int, seconds: float) -> bool:
        self._wait(lambda: self.settled >= number, seconds)
        return self.stored >= number

    def needed(self) -> Optional[str]:
        """The checkpoint that the operator knows, if this process has reported newer ones."""
        with self.changed:
            return self.stored_path if self.numbered > self.stored else None

    def flush(self, seconds: float) -> bool:
        with self.changed:
            if not self.told_to_wait:
                self.not_before = 0.0  # one more attempt, now
            self.flushing += 1
            self.changed.notify_all()
            try:
                return self._wait(lambda: self.pending is None and not self.checkpoints and not self.sending, seconds)
            finally:
                self.flushing -= 1

    def _wait(self, done: Any, seconds: float) -> bool:
        deadline = time.monotonic() + seconds
        with self.changed:
            while not done():
                left = deadline - time.monotonic()
                hopeless = not self.sending and self.not_before > deadline
                if left <= 0 or hopeless or self.thread is None or not self.thread.is_alive():
                    return False
                self.changed.wait(left)
            return True

    def _wake(self) -> None:
        if self.thread is None or not self.thread.is_alive():
            thread = threading.Thread(target=self._run, name='trainyard-progress', daemon=True)
            thread.start()  # fails while the interpreter ends
            self.thread = thread
        else:
            self.changed.notify_all()

    def _run(self) -> None:
        while True:
            with self.changed:
                delay = self._delay()
                while delay is None or delay > 0:
                    self.changed.wait(delay)
                    delay = self._delay()
                item = self._take()
            outcome = _deliver(item)
            with self.changed:
                self._settle(item, outcome)
                self.changed.notify_all()

    def _delay(self) -> Optional[float]:
        """Seconds until something can be sent; None if there is nothing."""
        start = self.not_before
        if not self.checkpoints:
            if self.pending is None:
                return None
            if not self.forced and not self.flushing:
                start = max(start, self.next_report)
        return start - time.monotonic()

    def _take(self) -> Any:
        self.sending = True
        if self.checkpoints:
            return self.checkpoints.popleft()
        item, self.pending, self.forced = self.pending, None, False
        self.next_report = time.monotonic() + INTERVAL
        return item

    def _settle(self, item: Any, outcome: _Outcome) -> None:
        self.sending = False
        if outcome.again:
            if outcome.pause == 0:
                self.failures += 1
            self.told_to_wait = outcome.pause > 0
            self.not_before = time.monotonic() + (outcome.pause or min(LONGEST_PAUSE, 2.0 ** min(self.failures - 1, 10)))
            if isinstance(item, _Checkpoint):
                self.checkpoints.appendleft(item)
            elif self.pending is None:
                self.pending = item
            return
        self.failures, self.told_to_wait, self.not_before = 0, False, 0.0
        if isinstance(item, _Checkpoint):
            self.settled = item.number
            if outcome.accepted:
                self.stored, self.stored_path = item.number, item.path


def _deliver(item: Any) -> _Outcome:
    try:
        body = item.body()
    except Exception as error:
        _warn('report', f'a report was left out: {error!r}')
        return _Outcome(accepted=False)
    try:
        status, retry_after, reason = _post(body)
    except Exception as error:
        _warn('server', f'progress could not be reported, and is tried again: {error}')
        return _Outcome(accepted=False, again=True)
    if 200 <= status < 300:
        return _Outcome(accepted=True)
    if retry_after.isdigit():
        return _Outcome(accepted=False, again=True, pause=min(LONGEST_PAUSE, max(1.0, float(retry_after))))
    again = status not in (400, 413, 422)  # that is the report's fault
    _warn('server', f'progress could not be reported{", and is tried again" if again else ""}: status {status} {reason}'.rstrip())
    return _Outcome(accepted=False, again=again)


# The request. http.client uses no proxy and follows no redirect, so the token goes nowhere else.


def _post(body: bytes) -> Tuple[int, str, str]:
    """Status, Retry-After and message of the response. Takes TIMEOUT seconds at most, and a name server's time."""
    deadline = time.monotonic() + TIMEOUT
    url = urllib.parse.urlsplit(_url() or '')
    with open(os.environ.get('TRAINYARD_PROGRESS_TOKEN_FILE') or os.environ['KUBEFLOW_TRAINER_SERVER_TOKEN']) as file:
        token = file.read().strip()  # read for each request: it is replaced before it expires
    connection = _connection(url)
    connection.response_class = lambda sock, *args, **kwargs: _timed(http.client.HTTPResponse(sock, *args, **kwargs), sock, deadline)  # type: ignore
    try:
        headers = {'Authorization': f'Bearer {token}', 'Content-Type': 'application/json', 'Connection': 'close'}
        connection.request('POST', url.path + (f'?{url.query}' if url.query else ''), body, headers)
        response = connection.getresponse()
        return response.status, response.getheader('Retry-After') or '', _message(response.read(16 * 1024))
    finally:
        connection.close()


def _connection(url: urllib.parse.SplitResult) -> http.client.HTTPConnection:
    host = url.hostname or ''
    if url.scheme == 'https':
        return http.client.HTTPSConnection(host, url.port, timeout=TIMEOUT, context=_context())
    if url.scheme == 'http' and (host in ('localhost', '::1') or host.startswith('127.')):
        return http.client.HTTPConnection(host, url.port, timeout=TIMEOUT)
    raise ValueError(f'the URL {urllib.parse.urlunsplit(url)} must use https; http is for loopback only, because the request contains a token')


def _context() -> ssl.SSLContext:
    """Trusts the authorities of the job. Kept as long as their file does not change, because reading it takes time."""
    global _known_context
    file = os.environ.get('TRAINYARD_PROGRESS_CA_FILE') or os.environ.get('KUBEFLOW_TRAINER_SERVER_CA_CERT')
    found = os.stat(file) if file else None
    key = (file, found and (found.st_mtime_ns, found.st_size, found.st_ino))
    if _known_context is None or _known_context[0] != key:
        _known_context = (key, ssl.create_default_context(cafile=file))
    return _known_context[1]


class _TimedReader(io.RawIOBase):
    """Reads a response until the deadline, also from a server that sends a byte now and then."""

    def __init__(self, sock: Any, deadline: float) -> None:
        super().__init__()
        self._sock, self._file, self._deadline = sock, sock.makefile('rb', buffering=0), deadline

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> Any:
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError('the response took too long')
        self._sock.settimeout(left)
        return self._file.readinto(buffer)

    def close(self) -> None:
        self._file.close()
        super().close()


def _timed(response: http.client.HTTPResponse, sock: Any, deadline: float) -> http.client.HTTPResponse:
    response.fp.close()
    response.fp = io.BufferedReader(_TimedReader(sock, deadline))
    return response


def _message(body: bytes) -> str:
    try:
        return str(json.loads(body.decode())['message'])[:500]
    except Exception:
        return ''


def _json(content: Any) -> bytes:
    return json.dumps(content, ensure_ascii=False, allow_nan=False).encode('utf-8', 'replace')


# The state of this process

_sender: Optional[_Sender] = None
_creation = threading.RLock()
_muted = False  # a process that was forked from one that reports
_known_context: Any = None
_stop_requested = False
_listening = False
_warned: set = set()


def _current_sender() -> Optional[_Sender]:
    """Of a process that reports; None in others."""
    global _sender
    if _sender is None:  # else it was found out before; asking for variables takes microseconds
        if not _reports():
            return None
        with _creation:
            if _sender is None:
                atexit.register(_flush_at_exit)
                _flush_after_target()
                _sender = _Sender()
    return _sender


def _flush_at_exit() -> None:
    flush(EXIT_SECONDS)


def _flush_after_target() -> None:
    """A child of multiprocessing, as launchers of ranks start them, ends without what atexit has registered."""
    processes, util = sys.modules.get('multiprocessing.process'), sys.modules.get('multiprocessing.util')
    if processes is not None and util is not None and processes.parent_process() is not None:
        util.Finalize(None, _flush_at_exit, exitpriority=10)


def _after_fork() -> None:
    """In the child: the thread is not there, and locks may be held by nobody. A child of a process that reports does not report itself."""
    global _sender, _creation, _muted, _stop_requested, _listening
    _muted = _muted or _sender is not None
    _sender, _creation, _stop_requested = None, threading.RLock(), False
    if _listening:
        _listening = False
        try:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)  # pools end their workers with it
        except ValueError:
            pass


if hasattr(os, 'register_at_fork'):
    os.register_at_fork(after_in_child=_after_fork)


def _listen() -> None:
    global _listening
    if signal.getsignal(signal.SIGTERM) is not _on_sigterm:  # at first, or after a library has replaced it
        try:
            signal.signal(signal.SIGTERM, _on_sigterm)
            _listening = True
        except ValueError:
            _warn('signal', 'SIGTERM is not noticed: call StopSignal() or wants_save() in the main thread first')


def _on_sigterm(_signal: int, _frame: Any) -> None:
    global _stop_requested
    _stop_requested = True


def _warn(kind: str, message: str) -> None:
    """Logs a problem of each kind once; the next ones are for debugging."""
    _log.log(logging.DEBUG if kind in _warned else logging.WARNING, 'trainyard_progress: %s', message)
    _warned.add(kind)
