/**
 * XGBoost and LightGBM: a master with rank 0 and workers. Both get training-operator v1's variables (its XGBoostJob served both);
 * XGBoost gets the tracker variables of Trainer v2 on top, LightGBM its list of machines with the port of each.
 * @see https://xgboost.readthedocs.io/en/stable/tutorials/kubernetes.html
 * @see https://lightgbm.readthedocs.io/en/stable/Parallel-Learning-Guide.html
 */
import { COORDINATOR_PORT_NAME } from './address-book';
import { framework, variable, type ReplicaContext, type ResolvedTrainingJob } from './contract';
import { coordinatorAddress, replicasOfRole } from '../training-job/replicas/replicas';
import type { EnvVarSpec } from '../training-job/spec';

/**
 * v1's variables beyond MASTER_ADDR, MASTER_PORT, WORLD_SIZE and RANK. `WORKER_PORT` is one number for all workers, so on one machine, where each
 * worker has its own, it is right for a single worker only; `LIGHTGBM_MACHINES` is right always.
 */
function workerVariables({ job, addresses }: ReplicaContext): EnvVarSpec[] {
  const workers = replicasOfRole(job, 'worker');
  return workers.length === 0 ? [] : [
    variable('WORKER_ADDRS', workers.map((worker) => addresses.host(worker)).join(',')),
    variable('WORKER_PORT', addresses.port(workers[0], COORDINATOR_PORT_NAME, job.port)),
  ];
}

const ROLES = [{ name: 'master', singleton: true, required: true }, { name: 'worker' }];

export const XGBOOST = framework({
  name: 'xgboost',
  title: 'XGBoost',
  roles: ROLES,
  environment(context) {
    const { job, replica } = context;
    const { host, port } = coordinatorAddress(context);
    return [
      ...workerVariables(context),
      variable('DMLC_TRACKER_URI', host),
      variable('DMLC_TRACKER_PORT', port),
      variable('DMLC_TASK_ID', replica.rank ?? 0),
      variable('DMLC_NUM_WORKER', trackerWorkers(job)),
    ];
  },
});

export const LIGHTGBM = framework({
  name: 'lightgbm',
  title: 'LightGBM',
  roles: ROLES,
  environment(context) {
    const { job, replica, addresses } = context;
    const port = (peer: typeof replica) => addresses.port(peer, COORDINATOR_PORT_NAME, job.port);
    return [
      ...workerVariables(context),
      variable('LIGHTGBM_MACHINES', job.replicas.map((peer) => `${addresses.host(peer)}:${port(peer)}`).join(',')),
      variable('LIGHTGBM_LISTEN_PORT', port(replica)),
    ];
  },
});

/** Trainer v2 runs one XGBoost worker a GPU, and one a replica without GPUs. */
function trackerWorkers(job: ResolvedTrainingJob): number {
  return job.roles.reduce((sum, role) => sum + role.replicas * Math.max(1, role.resources.gpu ?? 0), 0);
}
