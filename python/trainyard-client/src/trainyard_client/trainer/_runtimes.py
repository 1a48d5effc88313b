"""Runtimes by the names of Kubeflow Trainer: those of the cluster where it is installed, else their frameworks and images."""
from __future__ import annotations

from typing import Dict, List, Mapping, Optional

from .._api import Api
from .._json import Json, record, records
from .._spec import DEFAULT_IMAGES
from ..errors import NotFound
from .types import UNKNOWN, Runtime, RuntimeKind, RuntimeTrainer, TrainerType

_API = '/apis/trainer.kubeflow.org/v1alpha1'
_FRAMEWORK_LABEL = 'trainer.kubeflow.org/framework'

# Kubeflow's names of frameworks, and ours.
FRAMEWORKS: Mapping[str, str] = {
    'torch': 'pytorch', 'jax': 'jax', 'deepspeed': 'deepspeed', 'xgboost': 'xgboost', 'mpi': 'mpi', 'plain': 'plain', 'paddle': 'paddle',
}

# Kubeflow Trainer's own runtimes, with its images where Trainyard has none.
# https://github.com/kubeflow/trainer/tree/master/manifests/base/runtimes
_BUILT_IN = (
    ('torch-distributed', 'torch', DEFAULT_IMAGES['pytorch']),
    ('jax-distributed', 'jax', 'nvcr.io/nvidia/jax:25.10-py3'),
    ('deepspeed-distributed', 'deepspeed', 'ghcr.io/kubeflow/trainer/deepspeed-runtime'),
    ('xgboost-distributed', 'xgboost', 'ghcr.io/kubeflow/trainer/xgboost-runtime:v2.2.5'),
    ('plain', 'plain', DEFAULT_IMAGES['plain']),
)


def list_runtimes(api: Optional[Api]) -> List[Runtime]:
    """Those of the namespace win over those of the cluster, and both over built-in ones. Runtimes of unknown frameworks are left out."""
    found: Dict[str, Runtime] = {name: Runtime(name, RuntimeTrainer(TrainerType.CUSTOM_TRAINER, framework, image)) for name, framework, image in _BUILT_IN}
    if api is not None:
        objects = api.list_cluster(f'{_API}/clustertrainingruntimes') + api.list_cluster(f'{_API}/namespaces/{api.namespace}/trainingruntimes')
        for each in objects:
            runtime = _runtime_of(each)
            if runtime is not None:
                found[runtime.name] = runtime
    return list(found.values())


def get_runtime(api: Optional[Api], name: str) -> Runtime:
    runtimes = list_runtimes(api)
    found = next((each for each in runtimes if each.name == name), None)
    if found is None:
        raise NotFound(f"There is no runtime '{name}'. Choose one of {', '.join(each.name for each in runtimes)}.", 404)
    return found


def _runtime_of(raw: Json) -> Optional[Runtime]:
    metadata, spec = record(raw, 'metadata'), record(raw, 'spec')
    framework = str(record(metadata, 'labels').get(_FRAMEWORK_LABEL))
    policy = record(spec, 'mlPolicy')
    container = _container(spec)
    if framework not in FRAMEWORKS or container is None:
        return None
    limits = record(record(container, 'resources'), 'limits')
    device = next((name for name in ('nvidia.com/gpu', 'google.com/tpu', 'cpu') if name in limits), None)
    nodes = int(policy.get('numNodes') or 1)
    trainer = RuntimeTrainer(
        TrainerType.CUSTOM_TRAINER, framework, str(container['image']), nodes,
        UNKNOWN if device is None else device.split('/')[-1], UNKNOWN if device is None else str(limits[device]),
    )
    kind = RuntimeKind.TRAINING_RUNTIME if metadata.get('namespace') else RuntimeKind.CLUSTER_TRAINING_RUNTIME
    return Runtime(str(metadata['name']), trainer, kind)


def _container(spec: Json) -> Optional[Json]:
    for job in records(record(record(spec, 'template'), 'spec'), 'replicatedJobs'):
        pod = record(record(record(record(job, 'template'), 'spec'), 'template'), 'spec')
        for container in records(pod, 'containers'):
            if container.get('name') == 'node' and container.get('image'):
                return container
    return None
