/**
 * TensorFlow: `TF_CONFIG` with the addresses of every role and the replica's own place among them. The `master` of the blog's short
 * form is TensorFlow's `chief`.
 * @see https://www.tensorflow.org/guide/distributed_training#TF_CONFIG
 * @see https://www.kubeflow.org/docs/components/trainer/legacy-v1/user-guides/tensorflow/
 */
import type { AddressBook } from './address-book';
import { framework, variable, type ResolvedTrainingJob } from './contract';

/** Port of every replica's gRPC server; training-operator v1's `tfjob-port`. */
export const TENSORFLOW_PORT = 2222;

const PORT_NAME = 'tfjob-port';

/** Built once a job and address book: for n replicas the cluster is asked n times and has n entries. */
const clusters = new WeakMap<ResolvedTrainingJob, { readonly addresses: AddressBook; readonly cluster: Cluster }>();

type Cluster = { readonly [task: string]: readonly string[] };

// It succeeds with the chief or master, else with worker 0: the first replica by rank, as in v1.
export const TENSORFLOW = framework({
  name: 'tensorflow',
  title: 'TensorFlow',
  roles: [
    { name: 'chief', singleton: true },
    { name: 'master', singleton: true },
    { name: 'worker' },
    { name: 'ps', ranked: false, devices: false },
    { name: 'evaluator', ranked: false },
  ],
  // Parameter servers and workers come and go on their own; collective strategies fail as one, and then every replica is restarted anyway.
  restartScope: 'replica',
  ports: [{ name: PORT_NAME, port: TENSORFLOW_PORT }],

  environment({ job, replica, addresses }) {
    // As v1: one replica alone trains without a cluster, and TF_CONFIG would make it wait for one.
    if (job.replicas.length === 1) {
      return [];
    }
    const config = {
      cluster: clusterOf(job, addresses),
      task: { type: taskType(replica.role), index: replica.index },
      environment: 'cloud',
    };
    return [variable('TF_CONFIG', JSON.stringify(config))];
  },

  validate(job) {
    const names = job.roles.map((role) => role.name);
    if (names.includes('chief') && names.includes('master')) {
      return [{ path: 'spec.roles', value: names, message: 'a TensorFlow job has a chief or a master, not both: they are the same task. Remove one.' }];
    }
    return [];
  },
});

function taskType(role: string): string {
  return role === 'master' ? 'chief' : role;
}

function clusterOf(job: ResolvedTrainingJob, addresses: AddressBook): Cluster {
  const known = clusters.get(job);
  if (known?.addresses === addresses) {
    return known.cluster;
  }
  const cluster: { [task: string]: string[] } = {};
  for (const peer of job.replicas) {
    const address = `${addresses.host(peer)}:${addresses.port(peer, PORT_NAME, TENSORFLOW_PORT)}`;
    (cluster[taskType(peer.role)] ??= []).push(address);
  }
  clusters.set(job, { addresses, cluster });
  return cluster;
}
