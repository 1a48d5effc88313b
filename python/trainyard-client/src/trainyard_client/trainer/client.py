"""Kubeflow's `TrainerClient` on MLTrainingJobs."""
from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Set, Union

from .._api import EVENTS, GROUP
from .._json import Json, record
from .._local import LocalJob
from .._logs import pods_of, rank_of, role_of
from .._spec import environment, job_name, program_of
from ..client import Client
from ..errors import InvalidArgument, JobFailed, NotFound, WaitTimeout
from ..job import ClusterJob
from . import options as options_
from ._runtimes import FRAMEWORKS, get_runtime, list_runtimes
from .types import UNKNOWN, CustomTrainer, CustomTrainerContainer, Event, Runtime, Step, TrainJob

# Runtime that a job was created with.
_RUNTIME = f'{GROUP}/client-runtime'
_DEFAULT_RUNTIME = 'torch-distributed'
_STATUS = {'Pending': 'Created', 'Suspended': 'Created', 'Running': 'Running', 'Restarting': 'Running', 'Completed': 'Complete', 'Failed': 'Failed'}
_STATUSES = {'Created', 'Running', 'Complete', 'Failed'}
_RESOURCES = {'cpu': 'cpu', 'memory': 'memory', 'gpu': 'gpu', 'nvidia.com/gpu': 'gpu', 'google.com/tpu': 'tpu', 'storage': 'ephemeralStorage',
              'ephemeral-storage': 'ephemeralStorage'}
_LAUNCHER = 'launcher'


@dataclass
class KubernetesBackendConfig:
    """Where jobs run: as of `trainyard_client.Client`. `client_configuration` is a kubernetes.client.Configuration."""

    namespace: Optional[str] = None
    config_file: Optional[str] = None
    context: Optional[str] = None
    client_configuration: Any = None


@dataclass
class LocalProcessBackendConfig:
    """Jobs run as processes of this machine. Nothing is installed, so `cleanup_venv` has no effect."""

    cleanup_venv: bool = True


class TrainerClient:
    """Jobs of one namespace, or of this machine. Errors are RuntimeError, ValueError and TimeoutError, as of the SDK."""

    def __init__(self, backend_config: Optional[Union[KubernetesBackendConfig, LocalProcessBackendConfig]] = None):
        config = backend_config or KubernetesBackendConfig()
        self._local: Optional[Dict[str, 'tuple[LocalJob, TrainJob]']] = None
        if isinstance(config, LocalProcessBackendConfig):
            self._local = {}
            self._client = Client(namespace='local')
        else:
            self._client = Client(config.namespace, context=config.context, kubeconfig=config.config_file, configuration=config.client_configuration)

    def list_runtimes(self) -> List[Runtime]:
        """Runtimes that jobs can name."""
        return list_runtimes(None if self._local is not None else self._client.api)

    def get_runtime(self, name: str) -> Runtime:
        """Raises RuntimeError when there is none of the name."""
        return get_runtime(None if self._local is not None else self._client.api, name)

    def get_runtime_packages(self, runtime: Runtime) -> None:
        """Prints the Python packages and the GPUs of a runtime, by a job that is deleted afterwards."""
        name = self.train(runtime=runtime, trainer=CustomTrainer(func=_print_packages, num_nodes=1))
        try:
            self.wait_for_job_status(name)
            print('\n'.join(self.get_job_logs(name)))
        finally:
            self.delete_job(name)

    def train(
        self, runtime: Optional[Union[str, Runtime]] = None, initializer: None = None,
        trainer: Optional[Union[CustomTrainer, CustomTrainerContainer]] = None, options: Optional[Sequence[options_.Option]] = None,
    ) -> str:
        """Creates a job, and returns its name."""
        if initializer is not None:
            raise InvalidArgument('initializer=: the operator has no initializers. Download the data at the start of the function, or mount a claim.')
        chosen = runtime if isinstance(runtime, Runtime) else self.get_runtime(runtime or _DEFAULT_RUNTIME)
        framework = FRAMEWORKS[chosen.trainer.framework]
        picked = {type(each): each for each in options or []}
        name = picked.pop(options_.Name, None)
        labels, annotations = picked.pop(options_.Labels, None), picked.pop(options_.Annotations, None)
        spec: Json = {'framework': framework, 'image': chosen.trainer.image, 'replicas': chosen.trainer.num_nodes}
        for each in picked.values():
            _apply(each, spec, trainer)
        if trainer is not None:
            _apply_trainer(trainer, spec)
        archive = None
        title = 'job'
        if isinstance(trainer, CustomTrainer):
            program = program_of(trainer.func, trainer.func_args, framework, trainer.packages_to_install, trainer.pip_index_urls)
            spec['command'] = ['python3', 'trainyard_start.py']
            title = program.title
            if self._local is not None:
                return self._train_locally(job_name(_text(name, 'name'), title), LocalJob, program.bundle, spec, trainer, chosen)
            archive = program.bundle.archive()
        if self._local is not None:
            raise InvalidArgument('LocalProcessBackendConfig runs functions: pass trainer=CustomTrainer(func=...).')
        noted = {_RUNTIME: chosen.name, **(annotations.annotations if isinstance(annotations, options_.Annotations) else {})}
        made = self._client.submit(
            job_name(_text(name, 'name'), title), spec, archive, labels.labels if isinstance(labels, options_.Labels) else None, noted)
        return made.name

    def list_jobs(self, runtime: Optional[Runtime] = None) -> List[TrainJob]:
        """Jobs, of one runtime if it is named."""
        if self._local is not None:
            jobs = [self.get_job(name) for name in self._local]
        else:
            runtimes = self.list_runtimes()
            jobs = [self._train_job(job, runtimes) for job in self._client.list()]
        return [job for job in jobs if runtime is None or job.runtime.name == runtime.name]

    def get_job(self, name: str) -> TrainJob:
        """Raises RuntimeError when there is none of the name."""
        if self._local is not None:
            job, made = self._local_job(name)
            made.status = _STATUS[job.phase]
            for step in made.steps:
                step.status = made.status
            return made
        return self._train_job(self._client.get(name), self.list_runtimes())

    def get_job_logs(self, name: str, step: str = 'node-0', follow: Optional[bool] = False) -> Iterator[str]:
        """Lines of a step. With `follow`, until the job has ended."""
        rank = step[len('node-'):] if step.startswith('node-') else ''
        if not rank.isdigit():
            raise InvalidArgument(f"step={step!r}: steps are node-0, node-1 and so on.")
        if self._local is not None:
            yield from self._local_job(name)[0].logs(follow=bool(follow), rank=int(rank))
            return
        job = self._client.get(name)
        if not follow and not any(each.name == step and each.status != 'Pending' for each in self._steps(job)):
            return
        # The launcher of MPI is node 0, and has no rank.
        pods = None if _has_launcher(job) else int(rank)
        wanted = {each.pod_name for each in self._steps(job) if each.name == step}
        for line in self._client.logs(job, follow=bool(follow), rank=pods):
            if pods is not None or line.pod in wanted:
                yield line

    def get_job_events(self, name: str) -> List[Event]:
        """Events of a job and of its pods, the oldest first."""
        if self._local is not None:
            raise NotImplementedError('Jobs of this machine have no events.')
        job = self._client.get(name)
        uids = {job.uid, *(pod['metadata']['uid'] for pod in pods_of(self._client.api, job.raw))}
        found: List[Event] = []
        for each in self._client.api.list(EVENTS):
            about = record(each, 'involvedObject')
            at = each.get('firstTimestamp') or each.get('eventTime') or each['metadata'].get('creationTimestamp')
            if at and about.get('uid') in uids:
                time_of = datetime.fromisoformat(str(at).replace('Z', '+00:00'))
                found.append(Event(str(about.get('kind')), str(about.get('name')), str(each.get('message') or ''), str(each.get('reason') or ''), time_of))
        return sorted(found, key=lambda event: event.event_time)

    def wait_for_job_status(
        self, name: str, status: Optional[Set[str]] = None, timeout: int = 600, polling_interval: int = 2,
        callbacks: Optional[Sequence[Callable[[TrainJob], None]]] = None,
    ) -> TrainJob:
        """Waits for one of the statuses (Created, Running, Complete, Failed; Complete by default) for `timeout` seconds."""
        wanted = {'Complete'} if status is None else status
        if not wanted <= _STATUSES:
            raise InvalidArgument(f'status={wanted}: statuses are {", ".join(sorted(_STATUSES))}.')
        if timeout <= 0 or polling_interval <= 0 or polling_interval >= timeout:
            raise InvalidArgument(f'timeout={timeout} and polling_interval={polling_interval} must be more than 0, and the interval less than the time.')
        deadline = time.monotonic() + timeout
        while True:
            job = self.get_job(name)
            for callback in callbacks or []:
                callback(job)
            if job.status in wanted:
                return job
            if job.status == 'Failed':
                failure = self._local[name][0].failure if self._local is not None else self._client.get(name).failure
                raise JobFailed(f"The job '{name}' is Failed" + (f':\n{failure}' if failure else '.'))
            if job.status == 'Complete' and 'Running' not in wanted:
                raise JobFailed(f"The job '{name}' is Complete, and will not be {' or '.join(sorted(wanted))}.")
            if time.monotonic() + polling_interval > deadline:
                raise WaitTimeout(f"The job '{name}' is {job.status} after {timeout} s, and not {' or '.join(sorted(wanted))}. It continues.")
            time.sleep(polling_interval)

    def delete_job(self, name: str) -> None:
        """Deletes a job with its pods and code."""
        if self._local is None:
            self._client.delete(name)
            return
        self._local_job(name)[0].delete()
        del self._local[name]

    def _train_locally(self, name: str, make: Any, bundle: Any, spec: Json, trainer: CustomTrainer, runtime: Runtime) -> str:
        assert self._local is not None
        job: LocalJob = make(name, bundle, spec, trainer.packages_to_install or [])
        nodes = int(spec['replicas'])
        steps = [Step(f'node-{rank}', 'Running', f'{name}-worker-{rank}') for rank in range(nodes)]
        self._local[name] = job, TrainJob(name, runtime, steps, nodes, datetime.now().astimezone())
        return name

    def _local_job(self, name: str) -> 'tuple[LocalJob, TrainJob]':
        assert self._local is not None
        if name not in self._local:
            raise NotFound(f"There is no job '{name}' on this machine.", 404)
        return self._local[name]

    def _train_job(self, job: ClusterJob, runtimes: List[Runtime]) -> TrainJob:
        noted = record(job.raw['metadata'], 'annotations').get(_RUNTIME)
        framework = next((each for each, ours in FRAMEWORKS.items() if ours == job.spec.get('framework')), UNKNOWN)
        fitting = [each for each in runtimes if each.name == noted] + [each for each in runtimes if each.trainer.framework == framework]
        runtime = fitting[0] if fitting else get_runtime(None, 'plain')
        steps = self._steps(job)
        nodes = int(job.status.get('replicas') or job.spec.get('replicas') or len(steps))
        return TrainJob(job.name, runtime, steps, nodes, job.created, _STATUS[job.phase])

    def _steps(self, job: ClusterJob) -> List[Step]:
        """Replicas by rank. Of pods that replaced each other, the newest counts."""
        resources = record(job.spec, 'resources')
        device = next((name for name in ('gpu', 'tpu', 'cpu') if resources.get(name)), None)
        found: Dict[str, Step] = {}
        for pod in pods_of(self._client.api, job.raw):
            rank = rank_of(pod)
            if _has_launcher(job):
                # As in Kubeflow, the launcher is the first node.
                index = int(record(pod['metadata'], 'labels').get(f'{GROUP}/replica-index') or 0)
                rank = 0 if role_of(pod) == _LAUNCHER else index + 1
            if rank is not None:
                found[f'node-{rank}'] = Step(f'node-{rank}', record(pod, 'status').get('phase'), pod['metadata']['name'],
                                             device or UNKNOWN, str(resources[device]) if device else UNKNOWN)
        return [found[name] for name in sorted(found, key=lambda name: int(name[len('node-'):]))]


def _has_launcher(job: ClusterJob) -> bool:
    return job.spec.get('framework') in ('mpi', 'horovod', 'deepspeed')


def _text(option: object, field: str) -> Optional[str]:
    return None if option is None else str(getattr(option, field))


def _apply(option: options_.Option, spec: Json, trainer: object) -> None:
    if isinstance(option, (options_.TrainerCommand, options_.TrainerArgs)) and isinstance(trainer, CustomTrainer):
        raise InvalidArgument(f'{type(option).__name__} is for CustomTrainerContainer: a CustomTrainer runs its function.')
    if isinstance(option, options_.TrainerCommand):
        spec['command'] = list(option.command)
    elif isinstance(option, options_.TrainerArgs):
        spec['args'] = list(option.args)
    elif isinstance(option, options_.ActiveDeadlineSeconds):
        spec['runPolicy'] = {'activeDeadlineSeconds': option.seconds}
    else:
        raise InvalidArgument(f'options: {option!r} is not an option of trainyard_client.trainer.options.')


def _apply_trainer(trainer: Union[CustomTrainer, CustomTrainerContainer], spec: Json) -> None:
    if not isinstance(trainer, (CustomTrainer, CustomTrainerContainer)):  # pyright: ignore
        raise InvalidArgument(f'trainer={trainer!r} must be a CustomTrainer or a CustomTrainerContainer.')
    if trainer.image:
        spec['image'] = trainer.image
    if trainer.num_nodes:
        spec['replicas'] = trainer.num_nodes
    if trainer.resources_per_node:
        spec['resources'] = _resources(trainer.resources_per_node)
    variables = environment(trainer.env)
    if variables:
        spec['env'] = variables


def _resources(wanted: Mapping[str, Any]) -> Json:
    """`spec.resources`. GPUs are whole numbers, everything else is a text."""
    found: Json = {}
    for name, value in wanted.items():
        field = _RESOURCES.get(name.lower())
        if field in ('gpu', 'tpu'):
            found[field] = int(value)
        elif field is not None:
            found[field] = str(value)
        elif name.lower().startswith(('mig-', 'nvidia.com/mig-')):
            found['gpu'], found['gpuResourceName'] = int(value), f"nvidia.com/mig-{name.lower().split('mig-', 1)[1]}"
        else:
            found.setdefault('extended', {})[name] = str(value)
    return found


def _print_packages() -> None:
    import shutil
    import subprocess
    import sys

    print(f'Python: {sys.version}', flush=True)
    subprocess.run([sys.executable, '-m', 'pip', 'list'])
    if shutil.which('nvidia-smi'):
        subprocess.run(['nvidia-smi'])
