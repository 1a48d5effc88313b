"""Programs in the shapes of the Kubeflow SDK's examples, with only the import changed, and waiting as they do."""
import contextlib
import importlib.util
import io
import json
import sys
import tempfile
from pathlib import Path

from trainyard_client.trainer import CustomTrainer, KubernetesBackendConfig, TrainerClient

folder = Path(sys.argv[1])


def run(name):
    with tempfile.TemporaryDirectory() as copies:
        file = Path(copies, f'{name}.py')
        file.write_text((folder / f'{name}.py').read_text().replace('kubeflow.trainer', 'trainyard_client.trainer'))
        spec = importlib.util.spec_from_file_location(f'example_{name}', file)
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module
        spec.loader.exec_module(module)
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            module.main(KubernetesBackendConfig())
        return [line for line in said.getvalue().splitlines() if not line.startswith('name ')]


def train(word):
    import os
    print(word, os.environ['RANK'])


client = TrainerClient()
name = client.train(trainer=CustomTrainer(func=train, func_args={'word': 'hi'}, num_nodes=2))
client.wait_for_job_status(name, polling_interval=1)
job = client.get_job(name)
found = {
    'function': run('function'), 'status': job.status,
    # When the first node has succeeded, the job has, and what still runs of the others is ended.
    'step': [job.steps[0].name, job.steps[0].status], 'logs': list(client.get_job_logs(name)),
    'events': sorted({event.involved_object_kind for event in client.get_job_events(name)}),
}
client.get_runtime_packages(client.get_runtime('plain'))
client.delete_job(name)
found['left'] = name in [each.name for each in client.list_jobs()]
print(json.dumps(found))
