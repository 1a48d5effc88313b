"""TensorFlow's ParameterServerStrategy from TF_CONFIG: the chief coordinates, workers compute, parameter servers hold the variables.

Workers and parameter servers serve until they are ended from outside when the chief is done, as the operators do. The evaluator says which
task it is and ends.
"""
import json
import os
import sys

os.environ.setdefault('TF_CPP_MIN_LOG_LEVEL', '2')

import tensorflow as tf  # noqa: E402  (the log level must be set first)


def coordinate(resolver: tf.distribute.cluster_resolver.ClusterResolver, who: dict) -> int:
    workers = resolver.cluster_spec().num_tasks('worker')
    servers = resolver.cluster_spec().num_tasks('ps')
    strategy = tf.distribute.ParameterServerStrategy(resolver)
    coordinator = tf.distribute.coordinator.ClusterCoordinator(strategy)
    with strategy.scope():
        variables = [tf.Variable(0.0) for _ in range(servers)]

    @tf.function
    def push(value):
        for variable in variables:
            variable.assign_add(value)
        return value

    rounds = 10 * workers
    for number in range(rounds):
        coordinator.schedule(push, args=(float(number + 1),))
    coordinator.join()
    places = sorted({variable.device.split('/task:')[0] + '/task:' + variable.device.split('/task:')[1][0] for variable in variables})
    sums = [float(coordinator.fetch(variable.read_value())) for variable in variables]
    right = all(total == rounds * (rounds + 1) / 2 for total in sums) and len(places) == servers and all('job:ps' in place for place in places)
    print(json.dumps({**who, 'world': workers, 'servers': servers, 'sum': sums[0], 'places': places}), flush=True)
    return 0 if right else 1


def main() -> int:
    config = json.loads(os.environ['TF_CONFIG'])
    task = config['task']
    who = {'framework': 'tensorflow', 'mode': 'ps', 'task': f"{task['type']}-{task['index']}"}
    if task['type'] == 'evaluator':
        print(json.dumps({**who, 'cluster': sorted(config['cluster'])}), flush=True)
        return 0
    cluster = {job: hosts for job, hosts in config['cluster'].items() if job != 'evaluator'}
    resolver = tf.distribute.cluster_resolver.SimpleClusterResolver(
        tf.train.ClusterSpec(cluster), task_type=task['type'], task_id=task['index'], rpc_layer='grpc',
    )
    if task['type'] in ('worker', 'ps'):
        server = tf.distribute.Server(
            resolver.cluster_spec(), job_name=task['type'], task_index=task['index'], protocol='grpc', start=True,
        )
        print(json.dumps({**who, 'serving': cluster[task['type']][task['index']]}), flush=True)
        server.join()
        return 0
    return coordinate(resolver, who)


if __name__ == '__main__':
    sys.exit(main())
