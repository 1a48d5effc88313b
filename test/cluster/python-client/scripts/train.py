"""A function with its imports, helpers and hostile arguments; lists, gets, waits, reads logs and metrics."""
import json
import os

import trainyard_progress

import trainyard_client as trainyard

SCALE = 2
HOSTILE = {'quotes': '\'"`"""', 'shell': '$(touch hacked); `touch hacked` && $HOME $$', 'lines': 'a\nEOF\n\0b', 'unicode': '日本 \ud800', 'deep': [[{'a': [1.5, None, True]}]]}


def double(value):
    return value * SCALE


def train(value, hostile):
    trainyard_progress.report(percent=100, metrics={'loss': 0.25, 'doubled': double(value)})
    print('rank', os.environ['RANK'], 'of', os.environ['WORLD_SIZE'], double(value), os.environ['NOTE'])
    print(json.dumps(hostile))
    with open('written-here', 'w') as file:
        file.write(os.getcwd())


job = trainyard.train(train, {'value': 21, 'hostile': HOSTILE}, name='digits', replicas=2, env={'NOTE': '$(RANK) $$'})
said = list(job.logs(follow=True))
job.wait(timeout=120)
print(json.dumps({
    'phase': job.phase, 'ready': job.ready, 'ranks': sorted(line for line in said if line.startswith('rank')),
    'hostile': [json.loads(line) == HOSTILE for line in said if line.startswith('{')],
    'again': sorted(job.logs()) == sorted(said), 'of rank 1': [line.rank for line in job.logs(rank=1)],
    'listed': [each.name for each in trainyard.list()], 'got': trainyard.get('digits').phase, 'metrics': trainyard.metrics('digits'), 'progress': job.progress,
    'code': job.spec['code']['configMap'],
}))
