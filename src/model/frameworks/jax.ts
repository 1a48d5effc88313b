/**
 * JAX: `JAX_*` as Trainer v2 sets them and the unprefixed names of training-operator v1's JAXJob.
 * @see https://docs.jax.dev/en/latest/multi_process.html
 * @see https://www.kubeflow.org/docs/components/trainer/user-guides/jax/
 */
import { framework, variable, workersAlone } from './contract';
import { coordinatorAddress } from '../training-job/replicas/replicas';

export const JAX = framework({
  name: 'jax',
  title: 'JAX',
  roles: [{ name: 'worker', required: true }],
  // Worker 0 is the coordinator and is dialled by its own name.
  shortForm: workersAlone,
  successPolicy: () => 'AllWorkers',

  environment({ job, replica, addresses }) {
    const { host, port } = coordinatorAddress({ job, addresses });
    const id = replica.rank ?? 0;
    return [
      variable('JAX_COORDINATOR_ADDRESS', `${host}:${port}`),
      variable('JAX_NUM_PROCESSES', job.trainers),
      variable('JAX_PROCESS_ID', id),
      variable('COORDINATOR_ADDRESS', host),
      variable('COORDINATOR_PORT', port),
      variable('NUM_PROCESSES', job.trainers),
      variable('PROCESS_ID', id),
    ];
  },
});
