"""Waiting for phases, suspending, resuming, running again, deleting; and what becomes of the code."""
import json
import sys
import time

import trainyard_client as trainyard
from trainyard_client._api import CONFIG_MAPS

marker = sys.argv[1]


def train(marker):
    import os
    import time
    print('started', flush=True)
    while not os.path.exists(marker):
        time.sleep(0.05)
    print('done')


def codes():
    return sorted(each['metadata']['name'] for each in client.api.list(CONFIG_MAPS) if each['metadata']['name'].startswith('stops-code-'))


def until(look):
    while not look():
        time.sleep(0.1)


client = trainyard.Client()
phases = []
job = client.train(train, {'marker': marker}, name='stops')
phases.append(job.wait('Running', timeout=120).phase)
first = next(job.logs(follow=True))
phases.append(job.suspend().wait('Suspended', timeout=120).phase)
until(lambda: list(job.logs()) == [])
phases.append(job.resume().wait('Running', timeout=120).phase)
with open(marker, 'w'):
    pass
phases.append(job.wait(timeout=120).phase)
again = job.rerun()
phases.append(again.wait(timeout=120).phase)
shared = codes()
job.delete()
until(lambda: 'stops' not in [each.name for each in client.list()])
# The code is that of the second run too, so the garbage collector leaves it alone.
third = again.rerun()
phases.append(third.wait(timeout=120).phase)
kept = codes()
again.delete()
third.delete()
until(lambda: codes() == [])
print(json.dumps({'phases': phases, 'first': first, 'again': [again.name, third.name], 'shared': len(shared), 'kept': kept == shared, 'said': list(again.logs())}))
