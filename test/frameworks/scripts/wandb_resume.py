"""Tracks a run with Weights & Biases offline, fails the first time and goes on the second."""
import json
import os
import sys

import wandb

run = wandb.init()
run.log({'loss': 1.0})
begun = os.path.join(os.environ['WANDB_DIR'], 'begun')
resumed = os.path.exists(begun)
open(begun, 'w').close()
print(json.dumps({
    'framework': 'wandb', 'resumed': resumed, 'run': run.id, 'name': run.name, 'project': run.project, 'group': run.group, 'jobType': run.job_type,
    'tags': list(run.tags), 'resume': run.settings.resume, 'baseUrl': run.settings.base_url,
}), flush=True)
run.finish()
sys.exit(0 if resumed else 1)
