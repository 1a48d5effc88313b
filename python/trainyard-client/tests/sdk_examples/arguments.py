"""A function with arguments, on several nodes with resources and variables."""
from kubeflow.trainer import CustomTrainer, TrainerClient


def fine_tune(learning_rate, model, layers):
    print(learning_rate, model, layers)


def main(config):
    client = TrainerClient(backend_config=config)
    name = client.train(
        trainer=CustomTrainer(
            func=fine_tune,
            func_args={'learning_rate': 1e-4, 'model': "it's $(hostile)", 'layers': [1, 2]},
            num_nodes=3,
            resources_per_node={'cpu': 4, 'memory': '16Gi', 'gpu': 2},
            env={'NCCL_DEBUG': 'INFO'},
        ),
    )
    job = client.get_job(name)
    print('name', name)
    print('nodes', job.num_nodes)
    print('steps', sorted((step.name, step.status) for step in job.steps))
