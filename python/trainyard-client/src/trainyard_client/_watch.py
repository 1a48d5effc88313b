"""A job whenever it changes: by a watch, which is made again when it is dropped or too old, or by looks where a watch is not permitted."""
from __future__ import annotations

import time
from typing import Iterator, Optional

from ._api import JOBS, Api
from ._json import Json
from .errors import ClusterError, Expired, Forbidden, JobFailed, NotFound, Unreachable

# Seconds of one watch, between two looks, and without an answer before it gives up.
_WATCH = 60
_LOOK = 2.0
_SILENT = 300.0


def changes(api: Api, name: str, uid: str, wake: Optional[float] = None) -> Iterator[Optional[Json]]:
    """The job as it is, and after each change. None comes when nothing has changed for a while, so that a caller can look at the clock.

    `wake` is how many seconds that may take at most. Raises JobFailed when the job is deleted.
    """
    silent_since: Optional[float] = None
    may_watch = True
    while True:
        try:
            job = _current(api, name, uid)
            silent_since = None
            yield job
            if not may_watch:
                time.sleep(min(_LOOK, wake or _LOOK))
                continue
            seconds = max(1, int(min(_WATCH, wake or _WATCH)))
            for event in api.watch(JOBS, name, job['metadata']['resourceVersion'], seconds):
                if event['type'] == 'DELETED':
                    raise _deleted(api, name)
                if event['type'] in ('ADDED', 'MODIFIED') and event['object']['metadata']['uid'] == uid:
                    yield event['object']
            yield None
        except Forbidden:
            if not may_watch:
                raise
            may_watch = False
        except Expired:
            continue
        except (Unreachable, ClusterError) as error:
            # Refusals are final; what a server says that restarts is not.
            if not isinstance(error, Unreachable) and (error.status or 500) < 500 and error.status != 429:
                raise
            silent_since = silent_since or time.monotonic()
            if time.monotonic() - silent_since > _SILENT:
                raise
            time.sleep(min(_LOOK, wake or _LOOK))
            yield None


def _current(api: Api, name: str, uid: str) -> Json:
    try:
        job = api.get(JOBS, name)
    except NotFound:
        raise _deleted(api, name) from None
    if job['metadata']['uid'] != uid:
        raise JobFailed(f"The job '{api.namespace}/{name}' was deleted, and another one has its name.")
    return job


def _deleted(api: Api, name: str) -> JobFailed:
    return JobFailed(f"The job '{api.namespace}/{name}' was deleted.")
