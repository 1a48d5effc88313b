"""Jobs of a cluster: train, look, wait, read logs, change, delete."""
from __future__ import annotations

import time
from datetime import datetime, timezone
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Union, cast

from ._again import copy_of, numbered_names
from ._api import CONFIG_MAPS, GROUP, JOBS, VERSION, Api, Resource
from ._bar import Bar
from ._bundle import config_map, digest_of, owned_by
from ._json import Json, record, records
from ._local import LocalJob
from ._logs import LogLine, chosen, follow_logs, pods_of, read_logs
from ._search import Space, search_of
from ._spec import Arguments, EnvValue, Search, Target, compute, environment, image_of, job_name, merged, program_of, random_word
from ._watch import changes
from .errors import AlreadyExists, ClusterError, Forbidden, InvalidArgument, JobFailed, NotFound
from .job import PHASES, ClusterJob, Job, reached, remaining

JobOrName = Union[Job, str]

_TUNED = f'{GROUP}/auto-tuning'
_WORKLOADS = '/apis/kueue.x-k8s.io/v1beta2', 'workloads'
# Names that are tried before it gives up.
_TRIES = 20


class Client:
    """Jobs of one namespace.

    It connects at the first request: with the kubeconfig (`kubeconfig`, else KUBECONFIG, else ~/.kube/config) and its `context`, or, in a
    pod, with its service account. `namespace` is that of the context or of the pod unless it is named.
    """

    def __init__(self, namespace: Optional[str] = None, *, context: Optional[str] = None, kubeconfig: Optional[str] = None, configuration: object = None):
        self._api = Api(kubeconfig, context, namespace, configuration)

    @property
    def namespace(self) -> str:
        return self._api.namespace

    @property
    def api(self) -> Api:
        """Requests for what this class does not offer."""
        return self._api

    def train(
        self,
        target: Target,
        args: Optional[Arguments] = None,
        *,
        name: Optional[str] = None,
        framework: str = 'plain',
        replicas: int = 1,
        gpus: int = 0,
        cpus: Optional[Union[int, float, str]] = None,
        memory: Optional[str] = None,
        image: Optional[str] = None,
        packages: Optional[Sequence[str]] = None,
        index_urls: Optional[Sequence[str]] = None,
        env: Optional[Mapping[str, EnvValue]] = None,
        code: Optional[str] = None,
        hyperparameters: Optional[Mapping[str, object]] = None,
        restarts: int = 0,
        queue: Optional[str] = None,
        labels: Optional[Mapping[str, str]] = None,
        annotations: Optional[Mapping[str, str]] = None,
        spec: Optional[Mapping[str, Any]] = None,
        local: bool = False,
    ) -> Job:
        """Trains a function or a Python script, and returns the job without waiting.

        `target` is a function, which is sent as source text with the imports, functions, classes and constants of its module that it uses, or the path
        of a script. `args` are the keyword arguments of a function (JSON values), or the words of a script's command line.

        `name` is the program's with something random unless given. `gpus`, `cpus` and `memory` are those of each replica. `image` defaults to one of
        the framework, where there is one that fits. `packages` are installed by pip in each replica before it starts. `env` has texts, numbers, and
        Secret(name, key). `code` is a folder that is sent too, and the working directory. `hyperparameters` are variables of the replicas, as well.
        `restarts` is how often a failed job starts again. `queue` is a LocalQueue of Kueue. `spec` has any other field of docs/jobs/training-job.md, and
        wins over the arguments.

        `local` runs the replicas as processes of this machine, without a cluster.

        Raises InvalidArgument for what cannot run, AlreadyExists when the name is taken, and ClusterError for what the cluster refuses.
        """
        return self._submit(
            target, args, None, name, framework, image, packages, index_urls, code, local,
            fields(framework, replicas, gpus, cpus, memory, env, hyperparameters, restarts, queue), spec, labels, annotations,
        )

    def search(
        self,
        target: Target,
        args: Optional[Arguments] = None,
        *,
        objective: str,
        space: Space,
        trials: int = 20,
        parallel: int = 1,
        algorithm: str = 'bayesian',
        goal: str = 'maximize',
        stop_at: Optional[float] = None,
        seed: Optional[int] = None,
        options: Optional[Mapping[str, Any]] = None,
        name: Optional[str] = None,
        framework: str = 'plain',
        replicas: int = 1,
        gpus: int = 0,
        cpus: Optional[Union[int, float, str]] = None,
        memory: Optional[str] = None,
        image: Optional[str] = None,
        packages: Optional[Sequence[str]] = None,
        index_urls: Optional[Sequence[str]] = None,
        env: Optional[Mapping[str, EnvValue]] = None,
        code: Optional[str] = None,
        hyperparameters: Optional[Mapping[str, object]] = None,
        restarts: int = 0,
        queue: Optional[str] = None,
        labels: Optional[Mapping[str, str]] = None,
        annotations: Optional[Mapping[str, str]] = None,
        spec: Optional[Mapping[str, Any]] = None,
    ) -> ClusterJob:
        """Searches for the best hyperparameters: the job is tried with one set of values after another (docs/jobs/auto-tuning.md).

        `objective` is the metric. A function returns it, as a number or in a dict of numbers, or reports or prints it (`objective=0.93`). `space` has
        Float, Int or a list of values for each hyperparameter: a function gets them as arguments of the same names, a script as variables and for
        `$(name)` in its `args`. `algorithm` is bayesian, random, grid or hyperband, `goal` maximize or minimize; the search ends at `stop_at`, or
        after so many `trials`. `options` has any other field of spec.autoTuning. The other arguments are those of `train`, for each trial.

        The result is in `job.best`.
        """
        found = search_of(objective, space, algorithm, trials, parallel, goal, stop_at, seed, options)
        job = self._submit(
            target, args, found, name, framework, image, packages, index_urls, code, False,
            fields(framework, replicas, gpus, cpus, memory, env, hyperparameters, restarts, queue), spec, labels, annotations,
        )
        return cast(ClusterJob, job)

    def get(self, name: str) -> ClusterJob:
        """Raises NotFound."""
        return ClusterJob(self, self._api.get(JOBS, name))

    def list(self, phase: Optional[str] = None, labels: str = '') -> List[ClusterJob]:
        """Jobs of the namespace, the newest last, without the trials of searches and the copies of arrays. `labels` is a label selector."""
        jobs = [ClusterJob(self, raw) for raw in self._api.list(JOBS, labels=labels) if not _is_part(raw)]
        return sorted((job for job in jobs if phase is None or job.phase == phase), key=lambda job: (job.created, job.name))

    def trials(self, name: str) -> List[ClusterJob]:
        """Jobs of a search's trials that the cluster keeps, by number."""
        jobs = [ClusterJob(self, raw) for raw in self._api.list(JOBS, labels=f'{_TUNED}={name}')]
        return sorted(jobs, key=lambda job: int(job.raw['metadata']['labels'].get(f'{GROUP}/trial') or 0))

    def current(self, job: JobOrName) -> ClusterJob:
        """The job as it is now. Raises NotFound when it is gone, or another one has its name."""
        if isinstance(job, str):
            return self.get(job)
        known = _on_cluster(job)
        now = self.get(known.name)
        if now.uid != known.uid:
            raise NotFound(f"The job '{known.namespace}/{known.name}' was deleted, and another one has its name.", 404)
        return now

    def wait(
        self, job: JobOrName, phase: str = 'Completed', timeout: Optional[float] = None, progress: Optional[bool] = None,
        on_change: Optional[Callable[[ClusterJob], None]] = None,
    ) -> ClusterJob:
        """Waits for a phase, at most `timeout` seconds. See `Job.wait`. `on_change` is called with the job after each change."""
        if phase not in PHASES:
            raise InvalidArgument(f"phase={phase!r} is not a phase. Choose one of {', '.join(PHASES)}.")
        started = time.monotonic()
        found = self.get(job) if isinstance(job, str) else _on_cluster(job)
        bar = Bar(found, progress)
        try:
            for raw in changes(self._api, found.name, found.uid, min(timeout, 5.0) if timeout is not None else None):
                if raw is not None:
                    found = ClusterJob(self, raw)
                    bar.show(found)
                    if on_change is not None:
                        on_change(found)
                if reached(found, phase):
                    return found
                remaining(found, phase, started, timeout)
        finally:
            bar.close()
        raise AssertionError('a watch of a job does not end')

    def logs(self, job: JobOrName, follow: bool = False, rank: Optional[int] = None, tail: Optional[int] = None) -> Iterator[LogLine]:
        """Lines that the replicas of a job wrote, in the order of their times; of one rank if named, the last `tail` lines of each.

        `follow` continues through restarts and lost connections until the job has ended. A job without pods has no logs.
        """
        found = self.get(job) if isinstance(job, str) else _on_cluster(job)
        if not follow:
            yield from read_logs(self._api, chosen(pods_of(self._api, found.raw), rank), tail)
            return

        def look() -> 'tuple[List[Json], bool]':
            try:
                now = self.current(found)
            except NotFound:
                return [], True
            pods = pods_of(self._api, now.raw)
            # Before the last rank has a pod, the one that is asked for may not be there yet.
            return chosen(pods, rank) if now.ended else [pod for pod in pods if pod in chosen_or_none(pods, rank)], now.ended
        yield from follow_logs(self._api, look, tail)

    def metrics(self, job: JobOrName) -> Dict[str, float]:
        """The newest numeric metrics that the script reported (docs/jobs/progress.md)."""
        return self.current(job).metrics

    def suspend(self, job: JobOrName) -> ClusterJob:
        """Removes the pods of a job and keeps it."""
        return self._set_suspended(job, True)

    def resume(self, job: JobOrName) -> ClusterJob:
        """Lets a suspended job run again, from its last checkpoint."""
        return self._set_suspended(job, False)

    def rerun(self, job: JobOrName, new_name: Optional[str] = None, spec: Optional[Mapping[str, Any]] = None, from_checkpoint: bool = False) -> ClusterJob:
        """Runs a job again as a new one, with the same spec and code, and returns the new job.

        The new name is the next free one: of digits, digits-2. `spec` has fields to change. Checkpoints go to a folder of their own where the old
        job's name is a folder in their place; with `from_checkpoint` the new job continues from the old one's.
        """
        old = self.current(job)
        names = iter([new_name]) if new_name is not None else numbered_names(old.name)
        for _attempt in range(_TRIES):
            name = next(names, None)
            if name is None:
                break
            raw = copy_of(old.raw, job_name(name, ''), from_checkpoint)
            raw['spec'] = merged(raw['spec'], spec or {})
            try:
                created = self._api.create(JOBS, raw)
            except AlreadyExists:
                if new_name is not None:
                    raise
                continue
            self._share_code(old, created)
            return ClusterJob(self, created)
        raise AlreadyExists(f"The job '{old.namespace}/{old.name}' has run again {_TRIES} times: choose another name with new_name=.", 409)

    def delete(self, job: JobOrName) -> None:
        """Deletes a job, with its pods and the code that was sent with it. Raises NotFound."""
        if isinstance(job, str):
            self._api.delete(JOBS, job)
        else:
            self._api.delete(JOBS, job.name, _on_cluster(job).uid)

    def _submit(
        self, target: Target, args: Optional[Arguments], search: Optional[Search], name: Optional[str], framework: str, image: Optional[str],
        packages: Optional[Sequence[str]], index_urls: Optional[Sequence[str]], code: Optional[str], local: bool,
        base: Json, more: Optional[Mapping[str, Any]], labels: Optional[Mapping[str, str]], annotations: Optional[Mapping[str, str]],
    ) -> Job:
        program = program_of(target, args, framework, packages, index_urls, code, search)
        if search is not None:
            base['autoTuning'] = search.block
        chosen_name = job_name(name, program.title)
        if local:
            return LocalJob(chosen_name, program.bundle, base, packages or [])
        base['image'] = image_of(framework, image)
        base['command'] = ['python3', 'trainyard_start.py']
        return self.submit(chosen_name, merged(base, more or {}), program.bundle.archive(), labels, annotations)

    def submit(
        self, name: str, spec: Json, archive: Optional[bytes] = None, labels: Optional[Mapping[str, str]] = None,
        annotations: Optional[Mapping[str, str]] = None,
    ) -> ClusterJob:
        """Creates a job from a spec, with an archive of code that it owns."""
        raw: Json = {
            'apiVersion': f'{GROUP}/{VERSION}', 'kind': 'MLTrainingJob',
            'metadata': {'name': name, 'namespace': self.namespace, 'labels': dict(labels or {}), 'annotations': dict(annotations or {})}, 'spec': dict(spec),
        }
        if archive is None:
            return ClusterJob(self, self._api.create(JOBS, raw))
        code = config_map(f'{name}-code-{random_word()}', archive)
        raw['spec']['code'] = merged({'digest': digest_of(archive), 'configMap': code['metadata']['name']}, record(raw['spec'], 'code'))
        # The code comes first, so that no pod waits for it; what is left when this program dies in between is a ConfigMap without an owner.
        self._api.create(CONFIG_MAPS, code)
        created: Optional[Json] = None
        try:
            created = self._api.create(JOBS, raw)
            self._api.patch(CONFIG_MAPS, code['metadata']['name'], owned_by(created), strategic=True)
        except BaseException:
            if created is not None:
                self._remove_quietly(JOBS, name)
            self._remove_quietly(CONFIG_MAPS, code['metadata']['name'])
            raise
        return ClusterJob(self, created)

    def _remove_quietly(self, resource: Resource, name: str) -> None:
        try:
            self._api.delete(resource, name)
        except ClusterError:
            # The error that is raised next says more.
            pass

    def _share_code(self, old: ClusterJob, created: Json) -> None:
        """The code of a job that runs again is deleted with the last of its jobs."""
        code = record(old.spec, 'code')
        for name in [*code.get('configMaps', []), *([code['configMap']] if 'configMap' in code else [])]:
            owners = records(self._api.get(CONFIG_MAPS, name)['metadata'], 'ownerReferences')
            if any(owner.get('uid') == old.uid for owner in owners):
                self._api.patch(CONFIG_MAPS, name, owned_by(created), strategic=True)

    def _set_suspended(self, job: JobOrName, suspend: bool) -> ClusterJob:
        found = self.current(job)
        if found.ended:
            verb = 'suspend' if suspend else 'resume'
            raise JobFailed(f"The job '{found.namespace}/{found.name}' is {found.phase}: there is nothing to {verb}. Run it again with rerun.")
        workload = self._workload_of(found)
        if workload is not None:
            self._api.patch(_WORKLOADS, workload, {'spec': {'active': not suspend}})
            return self.current(found)
        patch: Json = {'spec': {'suspend': suspend}}
        if not suspend and record(found.status, 'idle').get('suspended') is not None:
            patch['metadata'] = {'annotations': {f'{GROUP}/resume': datetime.now(timezone.utc).isoformat()}}
        return ClusterJob(self, self._api.patch(JOBS, found.name, patch))

    def _workload_of(self, job: ClusterJob) -> Optional[str]:
        """Kueue's object for a job in a queue. Without it the field of the job itself counts."""
        if not record(job.spec, 'scheduling').get('queueName'):
            return None
        try:
            workloads = self._api.list(_WORKLOADS)
        except (NotFound, Forbidden):
            return None
        return next((each['metadata']['name'] for each in workloads
                     if any(owner.get('uid') == job.uid for owner in records(each['metadata'], 'ownerReferences'))), None)


def fields(
    framework: str, replicas: int, gpus: int, cpus: Optional[Union[int, float, str]], memory: Optional[str], env: Optional[Mapping[str, EnvValue]],
    hyperparameters: Optional[Mapping[str, object]], restarts: int, queue: Optional[str],
) -> Json:
    """Fields of a spec that follow from arguments alone."""
    resources = compute(gpus, cpus, memory)
    variables = environment(env)
    found: Json = {'framework': framework, 'replicas': replicas}
    if framework == 'pytorch':
        # One process for each GPU, as torchrun's users expect; without GPUs one, and not one for each CPU.
        found['nprocPerNode'] = gpus or 1
    if resources:
        found['resources'] = resources
    if variables:
        found['env'] = variables
    if hyperparameters:
        found['hyperparameters'] = {name: str(value) for name, value in hyperparameters.items()}
    if restarts:
        found['runPolicy'] = {'restartPolicy': 'OnFailure', 'backoffLimit': restarts}
    if queue is not None:
        found['scheduling'] = {'queueName': queue}
    return found


def chosen_or_none(pods: List[Json], rank: Optional[int]) -> List[Json]:
    try:
        return chosen(pods, rank)
    except InvalidArgument:
        return []


def _on_cluster(job: Job) -> ClusterJob:
    if not isinstance(job, ClusterJob):
        raise InvalidArgument(f"The job '{job.namespace}/{job.name}' is a process of this machine. Use its own methods, such as job.wait().")
    return job


def _is_part(raw: Json) -> bool:
    return any(owner.get('kind') == 'MLTrainingJob' and str(owner.get('apiVersion', '')).startswith(f'{GROUP}/')
               for owner in records(raw['metadata'], 'ownerReferences'))
