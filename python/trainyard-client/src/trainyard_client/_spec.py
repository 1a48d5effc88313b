"""What is trained, as `MLTrainingJob.spec` and the files of its bundle."""
from __future__ import annotations

import inspect
import json
import os
import random
import re
import sys
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple, Union, cast

from . import _start
from ._bundle import Bundle, read_folder
from ._json import Json
from ._source import check_arguments, function_source, local_modules, type_name
from .errors import InvalidArgument

FRAMEWORKS = ('pytorch', 'tensorflow', 'mxnet', 'jax', 'xgboost', 'lightgbm', 'mpi', 'horovod', 'deepspeed', 'paddle', 'plain')

# Programs that start a framework's processes on a replica. The others have one process, which is the function.
_LAUNCHERS: Mapping[str, List[str]] = {
    'pytorch': ['torchrun'], 'mpi': ['mpirun', 'python3'], 'horovod': ['mpirun', 'python3'], 'deepspeed': ['mpirun', 'python3'],
}

# Images that a job gets if it has none. The other frameworks have no image that fits most programs.
_PYTHON_IMAGE = f'python:{sys.version_info[0]}.{sys.version_info[1]}-slim'
DEFAULT_IMAGES: Mapping[str, str] = {
    'pytorch': 'pytorch/pytorch:2.7.1-cuda12.8-cudnn9-runtime', 'tensorflow': 'tensorflow/tensorflow:2.19.0', 'plain': _PYTHON_IMAGE,
    'jax': _PYTHON_IMAGE, 'xgboost': _PYTHON_IMAGE, 'lightgbm': _PYTHON_IMAGE,
}

_VARIABLE = re.compile(r'[A-Za-z_][A-Za-z0-9_]{0,62}')
# Longest name from which those of trials and pods still are DNS labels.
_NAME = re.compile(r'[a-z]([-a-z0-9]{0,46}[a-z0-9])?')
_LETTERS = 'bcdfghjklmnpqrstvwxz2456789'


@dataclass(frozen=True)
class Secret:
    """A value of `env` that comes from a key of a Kubernetes Secret."""

    name: str
    key: str


Target = Union[Callable[..., object], str, 'os.PathLike[str]']
EnvValue = Union[str, int, float, Secret]
Arguments = Union[Mapping[str, object], Sequence[str]]


@dataclass(frozen=True)
class Search:
    """A search space and how it is searched: `spec.autoTuning`, and the types of the values."""

    block: Json
    kinds: Json


@dataclass(frozen=True)
class Program:
    """What a replica runs: files, and the name that a job gets without one."""

    bundle: Bundle
    title: str


def program_of(
    target: Target, args: Optional[Arguments], framework: str, packages: Optional[Sequence[str]] = None, index_urls: Optional[Sequence[str]] = None,
    code: Optional[Union[str, 'os.PathLike[str]']] = None, search: Optional[Search] = None,
) -> Program:
    """Files of a job that runs a function or a script."""
    if framework not in FRAMEWORKS:
        raise InvalidArgument(f"framework={framework!r} is not a framework. Choose one of {', '.join(FRAMEWORKS)}.")
    launcher = _LAUNCHERS.get(framework)
    if packages and launcher is not None and launcher[0] == 'mpirun':
        raise InvalidArgument(f"packages= cannot be installed for framework='{framework}': only its launcher runs a program of yours. "
                              'Use an image that has them: image=')
    folder = Bundle({}) if code is None else read_folder(Path(code))
    job: Json = {'packages': _texts('packages', packages), 'indexUrls': _texts('index_urls', index_urls), 'launcher': launcher}
    files: Dict[str, bytes] = {}
    if callable(target):
        title = getattr(target, '__name__', 'function')
        source = function_source(target)
        arguments = _keywords(args)
        check_arguments(target, {**arguments, **(search.kinds if search else {})})
        _warn_of_local_modules(source.local_modules, folder)
        files['trainyard_function.py'] = source.text.encode('utf-8')
        job.update(module='trainyard_function', function=source.name, arguments=arguments)
        text = source.text
        if search is not None:
            job['objective'] = search.block['objective']
    else:
        script, text = _script(target, code)
        title = Path(script).stem
        if code is None:
            files[script] = text.encode('utf-8')
        elif script not in folder.files:
            raise InvalidArgument(f'{script} is excluded from code={os.fspath(code)!r} by an ignore file. Include it again in .trainyardignore: !{script}')
        if isinstance(args, Mapping):
            raise InvalidArgument('args= of a script is a list of words, such as [\'--epochs\', \'3\'].')
        job.update(script=script, arguments=_texts('args', args))
    if search is not None:
        job['search'] = search.kinds
    files.update(_progress_package(text))
    files['trainyard_start.py'] = inspect.getsource(_start).encode('utf-8')
    files['trainyard_job.json'] = json.dumps(job, indent=1, allow_nan=False).encode('utf-8')
    return Program(Bundle({**folder.files, **files}, tuple(folder.executable)), title)


def job_name(name: Optional[str], title: str) -> str:
    """The given name if it can be one, else one of the program's title with something random."""
    if name is not None:
        if not _NAME.fullmatch(name):
            raise InvalidArgument(f"name={name!r} is not a name of a job: at most 48 lower case letters, digits and '-', starting with a letter.")
        return name
    words = re.sub(r'[^a-z0-9]+', '-', title.lower()).strip('-')[:36].strip('-')
    base = words if words[:1].isalpha() else f'job-{words}'.rstrip('-')
    return f'{base}-{random_word()}'


def random_word() -> str:
    """As Kubernetes makes them: no vowels, so no words."""
    return ''.join(random.choice(_LETTERS) for _ in range(5))


def environment(env: Optional[Mapping[str, EnvValue]]) -> List[Json]:
    """`spec.env`. Texts arrive unchanged: a dollar is not a reference to a variable."""
    entries: List[Json] = []
    for name, value in (env or {}).items():
        if not _VARIABLE.fullmatch(name):
            raise InvalidArgument(f"env: {name!r} is not a name of a variable: letters, digits and '_'.")
        if isinstance(value, Secret):
            entries.append({'name': name, 'valueFrom': {'secretKeyRef': {'name': value.name, 'key': value.key}}})
        elif isinstance(value, (str, int, float)) and not isinstance(value, bool):  # pyright: ignore
            entries.append({'name': name, 'value': str(value).replace('$', '$$')})
        else:
            raise InvalidArgument(f'env[{name!r}] must be a text, a number or Secret(name, key), and is {type(value).__name__}.')
    return entries


def compute(gpus: Optional[int], cpus: Optional[Union[int, float, str]], memory: Optional[str]) -> Json:
    """`spec.resources`."""
    found: Json = {}
    if gpus:
        found['gpu'] = gpus
    if cpus is not None:
        found['cpu'] = f'{cpus:g}' if isinstance(cpus, (int, float)) else cpus
    if memory is not None:
        found['memory'] = memory
    return found


def merged(base: Json, more: Mapping[str, Any]) -> Json:
    """Fields of both; objects are merged, and of anything else the second counts."""
    result = dict(base)
    for name, value in more.items():
        old = result.get(name)
        result[name] = merged(cast(Json, old), cast(Mapping[str, Any], value)) if isinstance(old, dict) and isinstance(value, Mapping) else value
    return result


def image_of(framework: str, image: Optional[str]) -> str:
    found = image or DEFAULT_IMAGES.get(framework)
    if found is None:
        raise InvalidArgument(f"framework='{framework}' has no default image. Pass one: image=")
    return found


def check_json(value: object, path: str = 'args', depth: int = 0) -> Any:
    """The value as JSON has it: tuples become lists. Raises InvalidArgument with the path of what is not JSON."""
    if depth > 50:
        raise InvalidArgument(f'{path} is nested more than 50 deep, or contains itself. Arguments are sent as JSON.')
    if value is None or type(value) in (bool, int, str):
        return value
    if type(value) is float:
        if value - value != 0:
            raise InvalidArgument(f'{path} is {value}, which JSON does not have. Pass a text, and convert it in the function.')
        return value
    if isinstance(value, (list, tuple)):
        return [check_json(each, f'{path}[{at}]', depth + 1) for at, each in enumerate(cast(Sequence[object], value))]
    if isinstance(value, dict):
        for key in cast(Mapping[object, object], value):
            if type(key) is not str:
                raise InvalidArgument(f'{path} has the key {key!r}. Keys of arguments are texts, because they are sent as JSON.')
        return {key: check_json(each, f'{path}[{key!r}]', depth + 1) for key, each in cast(Mapping[str, object], value).items()}
    raise InvalidArgument(f'{path} is of the type {type_name(value)}. Arguments are sent as JSON: pass texts, numbers, lists and '
                          'dicts, such as float(x) or str(path).')


def _keywords(args: Optional[Arguments]) -> Dict[str, Any]:
    if args is None:
        return {}
    if not isinstance(args, Mapping):
        raise InvalidArgument("args= of a function is a dict of keyword arguments, such as {'epochs': 3}.")
    return check_json(dict(args))


def _texts(name: str, values: Optional[Sequence[str]]) -> List[str]:
    if isinstance(values, str):
        raise InvalidArgument(f'{name}={values!r} is a text. Pass a list: [{values!r}].')
    found = list(values or [])
    for value in found:
        if not isinstance(value, str) or not value.strip():  # pyright: ignore
            raise InvalidArgument(f'{name}: {value!r} must be a text with something in it.')
    return found


def _script(target: object, code: Optional[Union[str, 'os.PathLike[str]']]) -> Tuple[str, str]:
    path = Path(cast(str, target))
    root = Path(code).resolve() if code is not None else None
    found = next((each for each in ([path] if root is None else [path, root / path]) if each.is_file()), None)
    if found is None:
        raise InvalidArgument(f'{str(target)!r} is neither a function nor a file. Pass a function, or the path of a Python script.')
    if root is None:
        name = found.name
    elif root in found.resolve().parents:
        name = found.resolve().relative_to(root).as_posix()
    else:
        raise InvalidArgument(f'{found} is not in code={os.fspath(cast(str, code))!r}. Pass a folder that contains it.')
    text = found.read_text('utf-8')
    try:
        compile(text, str(found), 'exec')
    except SyntaxError as error:
        raise InvalidArgument(f'{found} is not a Python program: line {error.lineno}: {error.msg}.') from None
    if root is None:
        _warn_of_local_modules(local_modules(text, found.resolve().parent), Bundle({}))
    return name, text


def _warn_of_local_modules(modules: Iterable[Tuple[str, str]], folder: Bundle) -> None:
    for module, file in modules:
        is_sent = f'{module}.py' in folder.files or any(name.startswith(f'{module}/') for name in folder.files)
        if not is_sent and module != 'trainyard_progress':
            warnings.warn(f"'{module}' is imported from {file}, which is not sent with the job. If the image does not have it, pass its folder: code=",
                          stacklevel=4)


def _progress_package(text: str) -> Dict[str, bytes]:
    """`import trainyard_progress` works in the job: the package has no dependencies, and is small."""
    if 'trainyard_progress' not in text:
        return {}
    try:
        import trainyard_progress  # pyright: ignore
    except ImportError:
        return {}
    folder = Path(str(trainyard_progress.__file__)).parent  # pyright: ignore
    if not (folder / '_core.py').is_file():
        return {'trainyard_progress.py': Path(str(trainyard_progress.__file__)).read_bytes()}  # pyright: ignore
    return {f'trainyard_progress/{file.name}': file.read_bytes() for file in sorted(folder.glob('*.py'))}
