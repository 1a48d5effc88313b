"""Types of Kubeflow's Python API: facts of its interface, in our own words."""
from __future__ import annotations

import os
from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum
from typing import Any, Callable, Dict, List, Optional, Tuple, Union

UNKNOWN = 'Unknown'


def default_index_urls() -> List[str]:
    """DEFAULT_PIP_INDEX_URLS, separated by commas, else PyPI."""
    return os.environ.get('DEFAULT_PIP_INDEX_URLS', 'https://pypi.org/simple').split(',')


@dataclass
class CustomTrainer:
    """A function that trains, with its keyword arguments and what it needs.

    `resources_per_node` has cpu, memory, gpu, storage, `mig-1g.5gb` or any extended resource. Without `image` it runs in that of the runtime.
    """

    func: Callable[..., Any]
    func_args: Optional[Dict[str, Any]] = None
    image: Optional[str] = None
    packages_to_install: Optional[List[str]] = None
    pip_index_urls: List[str] = field(default_factory=default_index_urls)
    num_nodes: Optional[int] = None
    resources_per_node: Optional[Dict[str, Any]] = None
    env: Optional[Dict[str, str]] = None


@dataclass
class CustomTrainerContainer:
    """An image that trains, by its entry point or the options TrainerCommand and TrainerArgs."""

    image: str
    num_nodes: Optional[int] = None
    resources_per_node: Optional[Dict[str, Any]] = None
    env: Optional[Dict[str, str]] = None


class RuntimeKind(Enum):
    """`BUILT_IN` are runtimes of this package; the others are objects of Kubeflow Trainer in the cluster."""

    CLUSTER_TRAINING_RUNTIME = 'ClusterTrainingRuntime'
    TRAINING_RUNTIME = 'TrainingRuntime'
    BUILT_IN = 'BuiltIn'


class TrainerType(Enum):
    CUSTOM_TRAINER = 'CustomTrainer'


@dataclass
class RuntimeTrainer:
    """What a runtime trains with. `framework` is spelled as Kubeflow does: torch, jax, deepspeed, xgboost."""

    trainer_type: TrainerType
    framework: str
    image: str
    num_nodes: int = 1
    device: str = UNKNOWN
    device_count: str = UNKNOWN

    @property
    def command(self) -> Tuple[str, ...]:
        return ('python3', 'trainyard_start.py')


@dataclass
class Runtime:
    name: str
    trainer: RuntimeTrainer
    kind: RuntimeKind = RuntimeKind.BUILT_IN
    pretrained_model: Optional[str] = None


@dataclass
class Step:
    """A replica: `node-RANK`, with the phase of its pod."""

    name: str
    status: Optional[str]
    pod_name: str
    device: str = UNKNOWN
    device_count: str = UNKNOWN


@dataclass
class TrainJob:
    """A job. `status` is Created, Running, Complete or Failed."""

    name: str
    runtime: Runtime
    steps: List[Step]
    num_nodes: int
    creation_timestamp: datetime
    status: str = UNKNOWN


@dataclass
class Event:
    """An event of a job or of one of its pods."""

    involved_object_kind: str
    involved_object_name: str
    message: str
    reason: str
    event_time: datetime


@dataclass
class TrainJobTemplate:
    """Arguments of `TrainerClient.train`, to use more than once: `client.train(**template)`."""

    trainer: CustomTrainer
    runtime: Optional[Union[str, Runtime]] = None
    initializer: None = None

    def keys(self) -> List[str]:
        return ['trainer', 'runtime', 'initializer']

    def __getitem__(self, key: str) -> Any:
        return getattr(self, key)
