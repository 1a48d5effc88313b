"""Progress, metrics and checkpoints of a training script, reported to whoever runs the job: the Trainyard operator, `trainyard dev` or `trainyard run`.

Copy this file beside your script; it needs nothing but Python. Without a job around it, every function does nothing. None of them ever fails the training:
what cannot be reported is left out, and said once on standard error.

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
"""
import json
import os
import shutil
import signal
import ssl
import sys
import time
import urllib.error
import urllib.request
from datetime import datetime, timezone

INTERVAL = 5.0  # seconds between two reports of progress; more often would only be merged
PAUSE = 60.0  # seconds without reports after one that failed, so that a server that is away does not slow the training down
TIMEOUT = 5.0  # seconds for a request
TRIES = 3  # for a checkpoint, which should not be lost
TERMINATED = 128 + signal.SIGTERM  # exit code of a run that saved its work because it was told to stop; it is restarted from there

_next_report = 0.0
_retry_after = 0.0  # seconds that the last answer asked for
_warned = False


def report(percent=None, metrics=None, remaining_seconds=None, force=False):
    """Tells how far the training is, at most every few seconds unless `force`d. True when it was sent and accepted."""
    global _next_report
    now = time.monotonic()
    if not _is_reporter() or (now < _next_report and not force):
        return False
    sent = _send(lambda: {'trainerStatus': _status(percent, metrics, remaining_seconds)})
    _next_report = time.monotonic() + (INTERVAL if sent else max(INTERVAL, _retry_after) if _retry_after else PAUSE)
    return sent


def checkpoint(path, step=None):
    """Tells of a checkpoint that is complete; the next attempt finds it in RESUME_FROM. True means that it is remembered, whatever happens next."""
    if not _is_reporter():
        return False
    for tries in range(TRIES):
        if _send(lambda: {'checkpoint': {'path': str(path), **({} if step is None else {'step': int(step)})}}):
            return True
        if tries + 1 < TRIES and _url():
            time.sleep(max(1, _retry_after))
    return False


def keep_last(default=None):
    """How many checkpoints the job wants to keep (spec.checkpoint.keepLast)."""
    text = os.environ.get('CHECKPOINT_KEEP_LAST', '')
    return int(text) if text.isdigit() and int(text) > 0 else default


def prune(paths, keep=None):
    """Deletes all but the last of `paths` (files or folders, oldest first). How many stay: `keep`, else what the job says, else all."""
    keep = keep or keep_last()
    for path in list(paths)[:-keep] if keep and _is_reporter() else []:
        try:
            shutil.rmtree(path) if os.path.isdir(path) else os.unlink(path)
        except OSError as error:
            _warn(f'{path} could not be deleted: {error}')


class StopSignal:
    """Remembers SIGTERM, after which there is the job's grace period to save; look at `requested` after each step."""

    def __init__(self):
        self.requested = False
        signal.signal(signal.SIGTERM, self._on_signal)

    def _on_signal(self, _signal, _frame):
        self.requested = True


def _url():
    return os.environ.get('TRAINYARD_PROGRESS_URL') or os.environ.get('KUBEFLOW_TRAINER_SERVER_URL')


def _is_reporter():
    """One process speaks for all: that of rank 0. Roles without a rank, such as parameter servers, say nothing."""
    rank = os.environ.get('RANK') or os.environ.get('OMPI_COMM_WORLD_RANK')
    return rank == '0' if rank else os.environ.get('ROLE', 'launcher') == 'launcher'


def _status(percent, metrics, remaining_seconds):
    status = {'lastUpdatedTime': datetime.now(timezone.utc).isoformat()}
    if percent is not None:
        status['progressPercentage'] = max(0, min(100, int(percent)))
    if remaining_seconds is not None:
        status['estimatedRemainingSeconds'] = max(0, int(remaining_seconds))
    if metrics:
        status['metrics'] = [{'name': str(name)[:64], 'value': str(value)[:64]} for name, value in list(metrics.items())[:256]]
    return status


def _send(body):
    global _retry_after
    _retry_after = 0.0
    url = _url()
    if not url:
        return False
    try:
        token_file = os.environ.get('TRAINYARD_PROGRESS_TOKEN_FILE') or os.environ['KUBEFLOW_TRAINER_SERVER_TOKEN']
        with open(token_file) as file:  # read anew each time: it is replaced before it expires
            token = file.read().strip()
        authorities = os.environ.get('TRAINYARD_PROGRESS_CA_FILE') or os.environ.get('KUBEFLOW_TRAINER_SERVER_CA_CERT')
        handlers = [urllib.request.ProxyHandler({})]  # the server is near: no proxy leads to it
        if url.startswith('https:'):
            handlers.append(urllib.request.HTTPSHandler(context=ssl.create_default_context(cafile=authorities)))
        headers = {'Authorization': f'Bearer {token}', 'Content-Type': 'application/json'}
        request = urllib.request.Request(url, data=json.dumps(body()).encode(), headers=headers, method='POST')
        with urllib.request.build_opener(*handlers).open(request, timeout=TIMEOUT) as answer:
            return answer.status == 200
    except urllib.error.HTTPError as error:
        seconds = error.headers.get('Retry-After', '')
        _retry_after = min(float(seconds), PAUSE) if seconds.isdigit() else 0.0
        if not _retry_after:
            _warn(f'progress could not be reported: {error} {_reason(error)}')
        return False
    except Exception as error:  # whatever it is: the training is more important
        _warn(f'progress could not be reported: {error}')
        return False


def _reason(error):
    try:
        return json.load(error)['message']
    except Exception:
        return ''


def _warn(message):
    global _warned
    if not _warned:
        _warned = True
        print(f'trainyard_progress: {message}', file=sys.stderr, flush=True)
