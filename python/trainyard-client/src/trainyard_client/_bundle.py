"""The files of a job: an archive that depends only on them, in a ConfigMap that the job owns."""
from __future__ import annotations

import base64
import gzip
import hashlib
import io
import os
import stat
import tarfile
from pathlib import Path
from typing import Dict, Iterator, List, Mapping, Optional, Tuple

import pathspec

from ._api import GROUP, VERSION
from ._json import Json
from .errors import InvalidArgument

# As of the library's code bundles: what is larger makes every job heavy for the API server.
MAX_BYTES = 700 * 1024

# Longest folder that is read, so that a home directory is noticed before it is packed.
MAX_READ_BYTES = 64 * 1024 * 1024

# As in the library (docs/jobs/code-bundles.md); ignore files can include something again.
DEFAULT_EXCLUSIONS = (
    'node_modules/', '__pycache__/', '*.pyc', '.venv/', 'venv/', '.ipynb_checkpoints/', '.mypy_cache/', '.pytest_cache/', '.ruff_cache/', '.DS_Store',
    'dist/', '*.k8s.yaml', '.env', '.env.*',
)
_ALWAYS = {'.git', '.trainyard'}
_IGNORE_FILES = ('.gitignore', '.trainyardignore')
# npm's time of all files, which no tool takes for an error.
_TIME = 499_162_500


class Bundle:
    """Files by their paths with slashes. `executable` holds those that may be run."""

    def __init__(self, files: Mapping[str, bytes], executable: Tuple[str, ...] = ()):
        self.files = dict(files)
        self.executable = frozenset(executable)

    def archive(self) -> bytes:
        """A .tar.gz. Raises InvalidArgument when it does not fit into a ConfigMap."""
        raw = io.BytesIO()
        with tarfile.open(fileobj=raw, mode='w', format=tarfile.GNU_FORMAT) as tar:
            for name in sorted(self.files):
                entry = tarfile.TarInfo(name)
                entry.size, entry.mtime, entry.mode = len(self.files[name]), _TIME, 0o755 if name in self.executable else 0o644
                tar.addfile(entry, io.BytesIO(self.files[name]))
        packed = gzip.compress(raw.getvalue(), 9, mtime=0)
        if len(packed) > MAX_BYTES:
            largest = sorted(self.files, key=lambda name: -len(self.files[name]))[:3]
            raise InvalidArgument(
                f'The code has {_size(len(packed))} as an archive ({len(self.files)} files), and a ConfigMap has room for {_size(MAX_BYTES)}. '
                f"The largest: {', '.join(f'{name} ({_size(len(self.files[name]))})' for name in largest)}. "
                'Leave out what training does not need in .trainyardignore, put data into a bucket or a volume, or build the code into the image.')
        return packed

    def write(self, folder: Path) -> None:
        """Writes the files below a folder."""
        for name, content in self.files.items():
            file = folder / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
            if name in self.executable:
                file.chmod(0o755)


def config_map(name: str, archive: bytes) -> Json:
    """The ConfigMap of a job's code, without its owner."""
    return {
        'apiVersion': 'v1', 'kind': 'ConfigMap',
        'metadata': {'name': name, 'labels': {'app.kubernetes.io/managed-by': 'trainyard-client'}},
        'immutable': True,
        'binaryData': {'code.tar.gz': base64.b64encode(archive).decode('ascii')},
    }


def digest_of(archive: bytes) -> str:
    return f'sha256:{hashlib.sha256(archive).hexdigest()}'


def owned_by(job: Json) -> Json:
    """A patch that makes a job an owner: when its last owner is deleted, the object is."""
    metadata = job['metadata']
    return {'metadata': {'ownerReferences': [
        {'apiVersion': f'{GROUP}/{VERSION}', 'kind': 'MLTrainingJob', 'name': metadata['name'], 'uid': metadata['uid']},
    ]}}


def read_folder(folder: Path) -> Bundle:
    """Files of a folder, without what .gitignore and .trainyardignore files in it exclude, nor what is never needed."""
    root = folder.resolve()
    if not root.is_dir():
        raise InvalidArgument(f'code={str(folder)!r} is not a folder. Pass the folder of the program.')
    files: Dict[str, bytes] = {}
    executable: List[str] = []
    size = 0
    for path in _included(root):
        name = path.relative_to(root).as_posix()
        size += path.stat().st_size
        if size > MAX_READ_BYTES:
            raise InvalidArgument(f'code={str(folder)!r} has more than {_size(MAX_READ_BYTES)}. Choose the folder of the program alone, or exclude data '
                                  'in .trainyardignore.')
        files[name] = path.read_bytes()
        if path.stat().st_mode & stat.S_IXUSR:
            executable.append(name)
    return Bundle(files, tuple(executable))


# Patterns of a file or of the defaults: the folder that they are relative to, and whether they are ours, which win over git's.
_Patterns = Tuple[Path, bool, pathspec.GitIgnoreSpec]


def _included(root: Path) -> Iterator[Path]:
    # Patterns of a repository apply below it, unless they exclude the folder itself, which somebody has chosen all the same.
    above = [root, *root.parents]
    top = next((at for at, each in enumerate(above) if (each / '.git').exists()), 0)
    outer = [found for each in reversed(above[1:top + 1]) for found in _patterns_in(each)]
    outer = [] if _is_excluded(root, True, outer) else outer
    yield from _walk(root, [(root, False, pathspec.GitIgnoreSpec.from_lines(DEFAULT_EXCLUSIONS)), *outer], root)


def _walk(folder: Path, patterns: List[_Patterns], root: Path) -> Iterator[Path]:
    # Sorting keeps the order of git's among themselves.
    patterns = sorted([*patterns, *_patterns_in(folder)], key=lambda each: each[1])
    for entry in sorted(os.scandir(folder), key=lambda each: each.name):
        path = Path(entry.path)
        is_folder = entry.is_dir(follow_symlinks=False)
        if entry.name in _ALWAYS or _is_excluded(path, is_folder, patterns):
            continue
        if entry.is_symlink() and root not in path.resolve().parents:
            raise InvalidArgument(f'{entry.path} is a link to {os.readlink(entry.path)!r}, outside the folder that is sent. Remove it, or exclude it '
                                  'in .trainyardignore.')
        if is_folder:
            yield from _walk(path, patterns, root)
        elif path.is_file():
            yield path


def _patterns_in(folder: Path) -> List[_Patterns]:
    return [(folder, name != '.gitignore', pathspec.GitIgnoreSpec.from_lines((folder / name).read_text('utf-8', 'replace').splitlines()))
            for name in _IGNORE_FILES if (folder / name).is_file()]


def _is_excluded(path: Path, is_folder: bool, patterns: List[_Patterns]) -> bool:
    """The last pattern that matches counts, as in git."""
    verdict: Optional[bool] = None
    for folder, _own, spec in patterns:
        name = path.relative_to(folder).as_posix() + ('/' if is_folder else '')
        found = spec.check_file(name).include
        verdict = verdict if found is None else found
    return bool(verdict)


def _size(count: int) -> str:
    return f'{count / 1024:.1f} KiB' if count < 1024 * 1024 else f'{count / 1024 / 1024:.1f} MiB'
