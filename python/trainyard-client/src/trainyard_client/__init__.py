"""Trains Python functions and scripts on Kubernetes, with Trainyard's operator.

    import trainyard_client as trainyard

    job = trainyard.train(train, {'epochs': 3}, replicas=2, gpus=1, framework='pytorch')
    job.wait()

The functions of this module are those of a Client for the current context and namespace; Client(...) chooses others.
"""
from ._logs import LogLine
from ._search import Float, Int
from ._spec import Secret
from ._version import __version__
from .client import Client
from .errors import (
    AlreadyExists,
    ClusterError,
    Expired,
    Forbidden,
    InvalidArgument,
    JobFailed,
    NotFound,
    TrainyardError,
    Unreachable,
    WaitTimeout,
)
from .job import ClusterJob, Failure, Job, ProgressPoint, Trial

_client = Client()

train = _client.train
search = _client.search
get = _client.get
list = _client.list
wait = _client.wait
logs = _client.logs
metrics = _client.metrics
suspend = _client.suspend
resume = _client.resume
rerun = _client.rerun
delete = _client.delete

__all__ = [
    'AlreadyExists', 'Client', 'ClusterError', 'ClusterJob', 'Expired', 'Failure', 'Float', 'Forbidden', 'Int', 'InvalidArgument', 'Job', 'JobFailed',
    'LogLine', 'NotFound', 'ProgressPoint', 'Secret', 'TrainyardError', 'Trial', 'Unreachable', 'WaitTimeout', '__version__',
    'delete', 'get', 'list', 'logs', 'metrics', 'rerun', 'resume', 'search', 'suspend', 'train', 'wait',
]
