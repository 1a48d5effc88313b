"""Options of `TrainerClient.train`, with the names of `kubeflow.trainer.options`."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Dict, List, Union


@dataclass
class Name:
    """The name of the job."""

    name: str


@dataclass
class Labels:
    """Labels of the job."""

    labels: Dict[str, str]


@dataclass
class Annotations:
    """Annotations of the job."""

    annotations: Dict[str, str]


@dataclass
class TrainerCommand:
    """Entry point of the training container, for CustomTrainerContainer or without a trainer."""

    command: List[str]


@dataclass
class TrainerArgs:
    """Arguments of the entry point, for CustomTrainerContainer or without a trainer."""

    args: List[str]


@dataclass
class ActiveDeadlineSeconds:
    """Seconds after which a running job fails."""

    seconds: int

    def __post_init__(self) -> None:
        if type(self.seconds) is not int or self.seconds < 1:
            raise ValueError(f'ActiveDeadlineSeconds({self.seconds!r}): the time is a whole number of seconds, 1 or more.')


Option = Union[Name, Labels, Annotations, TrainerCommand, TrainerArgs, ActiveDeadlineSeconds]

_PATCHES = ('ContainerPatch', 'JobSetSpecPatch', 'JobSetTemplatePatch', 'JobSpecPatch', 'JobTemplatePatch', 'PodSpecPatch', 'PodTemplatePatch',
            'ReplicatedJobPatch', 'RuntimePatch', 'TrainingRuntimeSpecPatch')


def __getattr__(name: str) -> object:
    if name in _PATCHES:
        raise ImportError(f'trainyard_client.trainer.options has no {name}: the operator has no JobSets to patch. '
                          'Use trainyard_client.train(..., spec={"template": ...}) for the pods.')
    raise AttributeError(f'module {__name__!r} has no attribute {name!r}')
