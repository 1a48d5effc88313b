"""Kubeflow's Python API for training, on Trainyard's operator: programs change `kubeflow.trainer` to `trainyard_client.trainer`.

The names and their behaviour are those of the Kubeflow SDK 0.2 to 0.5 where the operator has the feature. Names that the SDK has and the
operator does not are import errors that say why.
"""
from .client import KubernetesBackendConfig, LocalProcessBackendConfig, TrainerClient
from .types import (
    CustomTrainer,
    CustomTrainerContainer,
    Event,
    Runtime,
    RuntimeKind,
    RuntimeTrainer,
    Step,
    TrainerType,
    TrainJob,
    TrainJobTemplate,
)

__all__ = [
    'CustomTrainer', 'CustomTrainerContainer', 'Event', 'KubernetesBackendConfig', 'LocalProcessBackendConfig', 'Runtime', 'RuntimeKind', 'RuntimeTrainer',
    'Step', 'TrainJob', 'TrainJobTemplate', 'TrainerClient', 'TrainerType',
]

_INITIALIZERS = ('the operator has no initializers. Download the data at the start of the function, or mount a claim: '
                 'trainyard_client.train(..., spec={"template": ...})')
_BUILTIN = 'the operator has no built-in trainers. Call torchtune in a function, or use CustomTrainerContainer with its image'
_MISSING = {
    'BuiltinTrainer': _BUILTIN, 'DataFormat': _BUILTIN, 'DataType': _BUILTIN, 'LoraConfig': _BUILTIN, 'Loss': _BUILTIN, 'TorchTuneConfig': _BUILTIN,
    'TorchTuneInstructDataset': _BUILTIN,
    'DATASET_PATH': _INITIALIZERS, 'MODEL_PATH': _INITIALIZERS, 'DataCacheInitializer': _INITIALIZERS, 'HuggingFaceDatasetInitializer': _INITIALIZERS,
    'HuggingFaceModelInitializer': _INITIALIZERS, 'Initializer': _INITIALIZERS, 'S3DatasetInitializer': _INITIALIZERS, 'S3ModelInitializer': _INITIALIZERS,
    'ContainerBackendConfig': 'containers of this machine are not supported. Use LocalProcessBackendConfig, or trainyard dev',
    'TrainingRuntimeSource': 'containers of this machine are not supported. Use LocalProcessBackendConfig, or trainyard dev',
    'update_trainjob_status': 'use trainyard_progress.report (docs/jobs/progress.md). In a job, the function of the Kubeflow SDK works too',
    'get_tpu_num_nodes': 'set replicas= and spec={"resources": {"tpu": ...}} of trainyard_client.train',
}


def __getattr__(name: str) -> object:
    if name in _MISSING:
        raise ImportError(f'trainyard_client.trainer has no {name}: {_MISSING[name]}.')
    raise AttributeError(f'module {__name__!r} has no attribute {name!r}')
