"""A function, with a runtime by its name: the SDK's first steps."""
from kubeflow.trainer import CustomTrainer, TrainerClient


def train_digits():
    import os
    print(f"rank {os.environ['RANK']}")


def main(config):
    client = TrainerClient(backend_config=config)
    name = client.train(runtime='torch-distributed', trainer=CustomTrainer(func=train_digits))
    job = client.wait_for_job_status(name)
    print('name', name)
    print('status', job.status, 'nodes', job.num_nodes, 'runtime', job.runtime.name)
    for line in client.get_job_logs(name):
        print('log', line)
