"""Arguments that are kept in a template."""
from kubeflow.trainer import CustomTrainer, TrainerClient, TrainJobTemplate


def train(epochs):
    print(epochs)


def main(config):
    client = TrainerClient(backend_config=config)
    template = TrainJobTemplate(trainer=CustomTrainer(func=train, func_args={'epochs': 2}), runtime='torch-distributed')
    names = [client.train(**template), client.train(**template)]
    print('two names', len(set(names)))
    print('statuses', [client.get_job(name).status for name in names])
    for name in names:
        client.delete_job(name)
    print('left', len(client.list_jobs()))
