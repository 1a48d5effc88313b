"""A job again: its object without what the cluster added. The same rules as `trainyard rerun`."""
from __future__ import annotations

import re
from typing import Iterator, Mapping, Optional, Tuple

from ._api import GROUP
from ._json import Json, record
from ._spec import merged

# Labels and annotations that controllers and other tools write, by the starts of their names.
_NOT_COPIED = (
    'kubectl.kubernetes.io/', 'argocd.argoproj.io/', 'app.kubernetes.io/instance', 'batch.kubernetes.io/', 'controller-uid', 'job-name', 'trainyard.dev/',
    'kueue.x-k8s.io/job-', f'{GROUP}/resume', f'{GROUP}/run-id', f'{GROUP}/parent-run',
)


def numbered_names(name: str) -> Iterator[str]:
    """NAME-2, NAME-3 and so on; of NAME-2 the next is NAME-3."""
    found = re.fullmatch(r'(.{1,250}?)-(\d{1,4})', name)
    base, number = (found.group(1), int(found.group(2))) if found else (name, 1)
    while True:
        number += 1
        yield f'{base}-{number}'


def copy_of(job: Json, name: str, from_checkpoint: bool) -> Json:
    metadata = job['metadata']
    labels = _kept(metadata.get('labels'))
    run = record(metadata, 'labels').get(f'{GROUP}/run-id')
    if run is not None:
        labels[f'{GROUP}/parent-run'] = run
    spec = {field: value for field, value in job['spec'].items() if field != 'suspend'}
    return {
        'apiVersion': job['apiVersion'], 'kind': job['kind'],
        'metadata': {'name': name, 'namespace': metadata['namespace'], 'labels': labels, 'annotations': _kept(metadata.get('annotations'))},
        'spec': spec if from_checkpoint else _with_own_checkpoints(spec, metadata['name'], name),
    }


def _kept(values: Optional[Mapping[str, str]]) -> Json:
    return {name: value for name, value in (values or {}).items() if not name.startswith(_NOT_COPIED)}


def _with_own_checkpoints(spec: Json, old: str, new: str) -> Json:
    """The spec with the new name in the place of its checkpoints, where the old one is a folder of it."""
    places: Tuple[Tuple[str, ...], ...] = (('checkpointPath',), ('checkpoint', 'subPath'))
    for path in places:
        block = spec if len(path) == 1 else spec.get(path[0]) or {}
        place = block.get(path[-1])
        if isinstance(place, str):
            renamed = '/'.join(new if part == old else part for part in place.split('/'))
            spec = merged(spec, {path[0]: renamed} if len(path) == 1 else {path[0]: {path[1]: renamed}})
    return spec
