"""Errors of this package. A message says what was being done, where, why it failed, and what to do."""
from __future__ import annotations

from typing import Optional


class TrainyardError(RuntimeError):
    """Base class of all errors that this package raises."""


class InvalidArgument(TrainyardError, ValueError):
    """An argument cannot be used, or the cluster rejects the job as written."""


class ClusterError(TrainyardError):
    """The API server refused a request, or did not answer.

    `status` is the HTTP status, None if there was no answer.
    """

    def __init__(self, message: str, status: Optional[int] = None):
        super().__init__(message)
        self.status = status


class NotFound(ClusterError):
    """The object, or the definition of its kind, does not exist."""


class AlreadyExists(ClusterError):
    """An object with the name exists. Nothing was changed."""


class Forbidden(ClusterError):
    """The user lacks a permission, or the namespace's rules reject the request."""


class Expired(ClusterError):
    """The resource version of a watch or a list is too old (HTTP 410)."""


class Unreachable(ClusterError):
    """There was no answer: network, address, certificate or time-out."""


class JobFailed(TrainyardError):
    """The job has failed, or cannot reach the phase that was waited for."""


class WaitTimeout(TrainyardError, TimeoutError):
    """The phase was not reached in time. The job continues."""
