"""An image that trains by itself, with options."""

from kubeflow.trainer import CustomTrainerContainer, TrainerClient
from kubeflow.trainer.options import ActiveDeadlineSeconds, Annotations, Labels, Name, TrainerArgs, TrainerCommand


def main(config):
    client = TrainerClient(backend_config=config)
    name = client.train(
        trainer=CustomTrainerContainer(image='registry.example/digits:1', num_nodes=2, env={'EPOCHS': '3'}),
        options=[
            Name('digits-container'),
            Labels({'team': 'vision'}),
            Annotations({'ticket': '12'}),
            TrainerCommand(['python', 'train.py']),
            TrainerArgs(['--epochs', '3']),
            ActiveDeadlineSeconds(3600),
        ],
    )
    print('given name', name)
    print('status', client.get_job(name).status)
