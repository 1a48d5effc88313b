"""What there is to train with."""

from kubeflow.trainer import TrainerClient


def main(config):
    client = TrainerClient(backend_config=config)
    names = [runtime.name for runtime in client.list_runtimes()]
    print('has', sorted(name for name in names if name in ('torch-distributed', 'team-torch')))
    runtime = client.get_runtime('team-torch')
    print(
        'runtime',
        runtime.name,
        runtime.kind.value,
        runtime.trainer.framework,
        runtime.trainer.image,
        runtime.trainer.num_nodes,
        runtime.trainer.trainer_type.value,
    )
    try:
        client.get_runtime('nothing')
    except RuntimeError:
        print('no such runtime')
