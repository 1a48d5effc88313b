/**
 * The variables that training-operator v1 appends in the training container, computed as its controllers compute them. They are not rendered, because
 * the controller's variable comes last and wins.
 * @see https://github.com/kubeflow/training-operator/tree/v1.9.4/pkg/controller.v1
 */
import { elasticPolicy, processesPerNode, RENDEZVOUS_BACKEND } from './pytorch';
import type { V1Layout } from './kinds';
import type { Cohort } from '../cohorts';
import type { EnvVar } from '../../kubernetes';
import { fieldVariable, variable } from '../../../model/frameworks/contract';

/** Folder with the controller's files for MPI's launcher and workers. */
const V1_MPI_FOLDER = '/etc/mpi';

/** Variables that the controller appends for one replica. */
export type Injection = (cohort: Cohort, position: number) => readonly EnvVar[];

const UNBUFFERED = variable('PYTHONUNBUFFERED', 1);

/**
 * The variables that the controller appends for the replicas of a job.
 * @param namespace namespace of the job, which is part of TensorFlow's host names
 */
export function v1Injection(layout: V1Layout, namespace: string): Injection {
  switch (layout.kind.kind) {
    case 'PyTorchJob': return layout.job.spec.elastic === undefined ? pytorch(layout) : elasticPytorch(layout);
    case 'TFJob': return tensorflow(layout, namespace);
    case 'XGBoostJob': return treeBoosting(layout);
    case 'PaddleJob': return paddle(layout);
    case 'JAXJob': return jax(layout);
    default: return mpi;
  }
}

/** Names of the variables that the controller appends for the replicas of a cohort. */
export function injectedNames(injection: Injection, cohort: Cohort): ReadonlySet<string> {
  // The first and the last replica cover all cases: only PaddlePaddle's first replica differs.
  return new Set([0, cohort.replicas.length - 1].flatMap((position) => injection(cohort, position)).map(({ name }) => name));
}

function pytorch({ job, cohorts }: V1Layout): Injection {
  const processes = processesPerNode(job);
  const master = cohorts.find(({ name }) => name === 'Master');
  const worldSize = job.replicas.length * (/^[0-9]+$/.test(processes) ? Number(processes) : 1);
  const common = [variable('PET_NPROC_PER_NODE', processes), variable('PET_NNODES', job.replicas.length)];
  return (cohort, position) => {
    const rank = position + (cohort === master ? 0 : 1);
    return master === undefined ? [UNBUFFERED, ...common] : [
      UNBUFFERED,
      variable('MASTER_PORT', job.port),
      variable('PET_MASTER_PORT', job.port),
      variable('MASTER_ADDR', master.hostOf(0)),
      variable('PET_MASTER_ADDR', master.hostOf(0)),
      variable('WORLD_SIZE', worldSize),
      variable('RANK', rank),
      variable('PET_NODE_RANK', rank),
      ...common,
    ];
  };
}

function elasticPytorch({ job, cohorts: [workers] }: V1Layout): Injection {
  const { minReplicas, maxReplicas, maxRestarts, rdzvId, rdzvConf } = elasticPolicy(job);
  const all = [
    UNBUFFERED,
    variable('PET_NPROC_PER_NODE', processesPerNode(job)),
    variable('PET_RDZV_ENDPOINT', `${workers.hostOf(0)}:${job.port}`),
    variable('PET_RDZV_BACKEND', RENDEZVOUS_BACKEND),
    variable('PET_NNODES', `${minReplicas}:${maxReplicas}`),
    variable('PET_MAX_RESTARTS', maxRestarts),
    variable('PET_RDZV_ID', rdzvId),
    variable('PET_RDZV_CONF', rdzvConf.map(({ key, value }) => `${key}=${value}`).join(',')),
  ];
  return () => all;
}

function tensorflow({ job, cohorts, kind }: V1Layout, namespace: string): Injection {
  // A single replica trains without a cluster.
  if (job.replicas.length === 1) {
    return () => [];
  }
  const hosts = cohorts.map(({ name, replicas, hostOf }) => [
    name.toLowerCase(), replicas.map((_replica, position) => `${hostOf(position)}.${namespace}.svc:${kind.port}`),
  ] as const);
  // Go sorts the keys of maps.
  const cluster = Object.fromEntries([...hosts].sort(([one], [other]) => (one < other ? -1 : 1)));
  return ({ name }, index) => [
    variable('TF_CONFIG', JSON.stringify({ cluster, task: { type: name.toLowerCase(), index }, environment: 'cloud' })),
  ];
}

function treeBoosting({ job, cohorts }: V1Layout): Injection {
  const [master, workers] = cohorts;
  const common = [variable('MASTER_PORT', job.port), variable('MASTER_ADDR', master.hostOf(0)), variable('WORLD_SIZE', job.replicas.length)];
  const addresses = workers?.replicas.map((_worker, position) => workers.hostOf(position)).join(',');
  const peers = workers === undefined ? [] : [variable('WORKER_PORT', job.port), variable('WORKER_ADDRS', addresses!)];
  return (cohort, position) => [...common, variable('RANK', position + (cohort === master ? 0 : 1)), UNBUFFERED, ...peers];
}

function paddle({ job, cohorts }: V1Layout): Injection {
  const master = cohorts.find(({ name }) => name === 'Master');
  const leader = master ?? cohorts[0];
  const common = [UNBUFFERED, variable('PADDLE_JOB_ID', job.name), variable('PADDLE_NNODES', job.replicas.length)];
  return (cohort, position) => [
    ...common,
    ...(cohort === leader && position === 0
      ? [fieldVariable('POD_IP_DUMMY', 'status.podIP'), variable('PADDLE_MASTER', `$(POD_IP_DUMMY):${job.port}`)]
      : [variable('PADDLE_MASTER', `${leader.hostOf(0)}:${job.port}`)]),
    ...(master === undefined ? [] : [variable(cohort === master ? 'PADDLE_SERVER_NUM' : 'PADDLE_TRAINER_NUM', 1)]),
  ];
}

function jax({ job, cohorts: [workers] }: V1Layout): Injection {
  return (_cohort, position) => [
    UNBUFFERED,
    variable('COORDINATOR_PORT', job.port),
    variable('COORDINATOR_ADDRESS', workers.hostOf(0)),
    variable('NUM_PROCESSES', job.replicas.length),
    variable('PROCESS_ID', position),
  ];
}

/** The launcher starts processes on the workers with `kubectl exec`; the workers only wait. */
const mpi: Injection = ({ name }) => (name !== 'Launcher' ? [] : [
  variable('OMPI_MCA_plm_rsh_agent', `${V1_MPI_FOLDER}/kubexec.sh`),
  variable('OMPI_MCA_orte_default_hostfile', `${V1_MPI_FOLDER}/hostfile`),
  // For a launcher without GPUs; validation.ts rejects one with GPUs.
  variable('NVIDIA_VISIBLE_DEVICES', ''),
  variable('NVIDIA_DRIVER_CAPABILITIES', ''),
  variable('I_MPI_HYDRA_BOOTSTRAP', 'rsh'),
  variable('I_MPI_HYDRA_BOOTSTRAP_EXEC', `${V1_MPI_FOLDER}/kubexec.sh`),
]);

/**
 * Variables of the model's contract for ssh, which v1 does not use: its `kubexec.sh` would take the arguments of ssh as the name of a pod.
 */
export const SSH_VARIABLES: readonly string[] = ['OMPI_MCA_plm_rsh_args', 'PDSH_RCMD_TYPE', 'PDSH_SSH_ARGS_APPEND'];
