"""A search of six trials, two at a time, whose function returns the objective."""
import json

import trainyard_client as trainyard
from trainyard_client import Int


def fit(x, kind, offset):
    return {'score': offset - (x - 2) ** 2 + (1 if kind == 'b' else 0)}


job = trainyard.search(fit, {'offset': 20}, objective='score', space={'x': Int(1, 3, step=1), 'kind': ['a', 'b']}, trials=6, parallel=2, algorithm='grid', name='curve')
job.wait(timeout=170)
best = job.best
print(json.dumps({
    'phase': job.phase, 'best': [best.value, best.parameters], 'trials': [trial.phase for trial in job.trials()], 'listed': [each.name for each in trainyard.list()],
}))
