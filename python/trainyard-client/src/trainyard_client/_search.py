"""Search spaces in Python, as `spec.autoTuning` has them (docs/jobs/auto-tuning.md)."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any, List, Mapping, Optional, Sequence, Tuple, Union, cast

from ._json import Json, record
from ._spec import Search
from .errors import InvalidArgument


@dataclass(frozen=True)
class Float:
    """A range of numbers. `log` searches evenly in their logarithms, as learning rates should be; `step` is the distance between two values."""

    min: float
    max: float
    log: bool = False
    step: Optional[float] = None


@dataclass(frozen=True)
class Int:
    """A range of whole numbers, with both ends. `log` and `step` as of Float."""

    min: int
    max: int
    log: bool = False
    step: Optional[int] = None


Space = Mapping[str, Union[Float, Int, Sequence[Union[int, float, str]]]]


def search_of(
    objective: str, space: Space, algorithm: str, trials: int, parallel: int, goal: str, target: Optional[float], seed: Optional[int],
    options: Optional[Mapping[str, Any]],
) -> Search:
    """The block of the spec. Rules across fields are the cluster's to check."""
    if not space:
        raise InvalidArgument("space= is empty. Name at least one hyperparameter, such as space={'lr': Float(1e-4, 1e-1, log=True)}.")
    parameters: Json = {}
    kinds: Json = {}
    for name, values in space.items():
        if isinstance(values, (Float, Int)):
            parameters[name], kinds[name] = _range(values)
        else:
            parameters[name], kinds[name] = _choice(name, values)
    block: Json = {'objective': objective, 'parameters': parameters, 'algorithm': algorithm, 'maxTrials': trials, 'parallelTrials': parallel, 'goal': goal}
    block.update({key: value for key, value in (('target', target), ('seed', seed)) if value is not None})
    block.update(options or {})
    budget = record(block, 'budget').get('parameter')
    if budget is not None:
        # Hyperband gives it like a value of the space.
        kinds[str(budget)] = 'int'
    return Search(block, kinds)


def _range(values: Union[Float, Int]) -> Tuple[Json, str]:
    kind = 'float' if isinstance(values, Float) else 'int'
    found: Json = {'type': kind, 'min': values.min, 'max': values.max}
    if values.step is not None:
        found['step'] = values.step
    if values.log:
        found['scale'] = 'log'
    return found, kind


def _choice(name: str, values: Any) -> Tuple[Json, Any]:
    listed: List[Any] = [] if isinstance(values, str) or not isinstance(values, Sequence) else list(cast(Sequence[Any], values))
    if not listed or not all(type(each) in (int, float, str) for each in listed):
        raise InvalidArgument(f'space[{name!r}] must be Float(min, max), Int(min, max), or a list of numbers or texts, and is {values!r}.')
    if all(type(each) is int for each in listed):
        return {'type': 'int', 'values': listed}, 'int'
    if all(type(each) in (int, float) for each in listed):
        return {'type': 'float', 'values': listed}, 'float'
    return {'type': 'categorical', 'values': listed}, listed
