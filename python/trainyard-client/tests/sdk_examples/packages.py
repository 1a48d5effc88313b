"""A function whose packages are installed first, from two indexes."""
from kubeflow.trainer import CustomTrainer, TrainerClient


def train():
    import evaluate
    print(evaluate)


def main(config):
    client = TrainerClient(backend_config=config)
    runtime = client.get_runtime('torch-distributed')
    name = client.train(
        runtime=runtime,
        trainer=CustomTrainer(
            func=train, packages_to_install=['transformers[torch]==4.57.1', 'evaluate'], pip_index_urls=['https://pypi.org/simple', 'https://example.com/simple'],
        ),
    )
    print('name', name)
    print('jobs', [job.name == name for job in client.list_jobs(runtime=runtime)])
