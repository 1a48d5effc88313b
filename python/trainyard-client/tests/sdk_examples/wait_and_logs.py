"""Waiting with callbacks, logs of a step that are followed, events, deletion."""
from kubeflow.trainer import CustomTrainer, TrainerClient


def train():
    print('training')


def main(config):
    client = TrainerClient(backend_config=config)
    name = client.train(trainer=CustomTrainer(func=train, num_nodes=2))
    seen = []
    client.wait_for_job_status(name, status={'Running', 'Complete'}, timeout=60, polling_interval=1, callbacks=[lambda job: seen.append(job.status)])
    print('name', name)
    print('seen', sorted(set(seen)))
    print('log of node 1', list(client.get_job_logs(name, step='node-1')))
    print('followed', list(client.get_job_logs(name, follow=True)))
    print('events', sorted((event.involved_object_kind, event.reason, event.message) for event in client.get_job_events(name)))
    client.delete_job(name)
    try:
        client.get_job(name)
    except RuntimeError:
        print('deleted')
    for wrong in ({'timeout': 1, 'polling_interval': 2}, {'status': {'Done'}}):
        try:
            client.wait_for_job_status(name, **wrong)
        except ValueError:
            print('wrong value')
