"""TensorFlow's MultiWorkerMirroredStrategy from TF_CONFIG: chief and workers add up a number and train one variable in step.

An evaluator (also in TF_CONFIG) takes no part in the collective: it says which task it is and ends, as one would that had read the
last checkpoint.
"""
import json
import os
import sys

os.environ.setdefault('TF_CPP_MIN_LOG_LEVEL', '2')

import tensorflow as tf  # noqa: E402  (the log level must be set first)


def main() -> int:
    config = json.loads(os.environ['TF_CONFIG'])
    task = config['task']
    who = {'framework': 'tensorflow', 'mode': 'multiworker', 'task': f"{task['type']}-{task['index']}"}
    if task['type'] == 'evaluator':
        print(json.dumps({**who, 'cluster': sorted(config['cluster'])}), flush=True)
        return 0
    strategy = tf.distribute.MultiWorkerMirroredStrategy()
    world = strategy.num_replicas_in_sync
    rank = strategy.cluster_resolver.task_id
    if 'chief' in config['cluster'] and task['type'] == 'worker':
        rank += len(config['cluster']['chief'])

    with strategy.scope():
        weight = tf.Variable(0.0)

    @tf.function
    def step():
        def replica():
            context = tf.distribute.get_replica_context()
            value = tf.cast(rank + 1, tf.float32)
            # Each rank pulls towards its own number; the mean of the gradients leads all of them to the mean of the numbers.
            gradient = context.all_reduce(tf.distribute.ReduceOp.MEAN, weight - value)
            return gradient, context.all_reduce(tf.distribute.ReduceOp.SUM, value)
        return strategy.run(replica)

    for _ in range(40):
        gradient, total = step()
        weight.assign_sub(0.5 * gradient)
    mean = (world + 1) / 2
    print(json.dumps({**who, 'rank': rank, 'world': world, 'sum': float(total), 'weight': round(float(weight.numpy()), 4)}), flush=True)
    return 0 if float(total) == world * mean and abs(float(weight.numpy()) - mean) < 1e-3 else 1


if __name__ == '__main__':
    sys.exit(main())
