import { describeOperator } from '../support/operator-suite';
import type { TestObject } from '../support/cluster';
import type { TrainingJobSpec } from '../../../src/model/training-job/spec';

/** What a job of one framework has to become. */
interface Expectation {
  readonly spec: Partial<TrainingJobSpec>;
  /** Pods by name, with their ranks. */
  readonly pods: { readonly [name: string]: number | undefined };
  /** Services by name, with the role that they select, if they do. */
  readonly services: { readonly [name: string]: string | undefined };
  readonly ports: readonly number[];
  /** Variables of some pods' training containers, those of rank 0 and of the last rank among them. */
  readonly environment: { readonly [pod: string]: { readonly [variable: string]: string } };
  /** Files of MPI. @default none */
  readonly hostfile?: string;
  readonly succeeds: readonly string[];
}

const rendezvous = (rank: number, size: number, host: string) => ({
  RANK: `${rank}`, WORLD_SIZE: `${size}`, MASTER_ADDR: host, MASTER_PORT: '29500',
});
const torch = (rank: number) => ({
  ...rendezvous(rank, 3, 'net-master'), PET_NNODES: '3', PET_NODE_RANK: `${rank}`, PET_NPROC_PER_NODE: '1', PET_MASTER_ADDR: 'net-master', PET_MASTER_PORT: '29500',
});
const jax = (rank: number, size: number) => ({
  ...rendezvous(rank, size, 'net-worker-0.net'),
  JAX_COORDINATOR_ADDRESS: 'net-worker-0.net:29500', JAX_NUM_PROCESSES: `${size}`, JAX_PROCESS_ID: `${rank}`,
  COORDINATOR_ADDRESS: 'net-worker-0.net', COORDINATOR_PORT: '29500', NUM_PROCESSES: `${size}`, PROCESS_ID: `${rank}`,
});
const trees = { WORKER_ADDRS: 'net-worker-0.net,net-worker-1.net', WORKER_PORT: '29500' };
const xgboost = (rank: number) => ({
  ...rendezvous(rank, 3, 'net-master'), ...trees, DMLC_TRACKER_URI: 'net-master', DMLC_TRACKER_PORT: '29500', DMLC_TASK_ID: `${rank}`, DMLC_NUM_WORKER: '3',
});
const lightgbm = (rank: number) => ({
  ...rendezvous(rank, 3, 'net-master'), ...trees,
  LIGHTGBM_MACHINES: 'net-master:29500,net-worker-0.net:29500,net-worker-1.net:29500', LIGHTGBM_LISTEN_PORT: '29500',
});
const mxnet = (role: string, root: string, workers: number) => ({
  DMLC_ROLE: role, DMLC_PS_ROOT_URI: root, DMLC_PS_ROOT_PORT: '9091', DMLC_NUM_SERVER: '1', DMLC_NUM_WORKER: `${workers}`,
});
const launcher = {
  OMPI_MCA_orte_default_hostfile: '/etc/mpi/hostfile', OMPI_MCA_orte_keep_fqdn_hostnames: 'true', OMPI_MCA_orte_set_default_slots: '1',
  OMPI_MCA_rtc_hwloc_vmhole: 'none',
};
const tfConfig = (cluster: object, type: string, index: number) => ({ TF_CONFIG: JSON.stringify({ cluster, task: { type, index }, environment: 'cloud' }) });
const tfShort = { chief: ['net-master:2222'], worker: ['net-worker-0.net:2222', 'net-worker-1.net:2222'] };
const tfLong = {
  chief: ['net-chief.net:2222'], worker: ['net-worker-0.net:2222', 'net-worker-1.net:2222'], ps: ['net-ps-0.net:2222'], evaluator: ['net-evaluator-0.net:2222'],
};

const MASTER_AND_WORKERS = { 'net-master': 0, 'net-worker-0': 1, 'net-worker-1': 2 };
const LAUNCHER_AND_WORKERS = { 'net-launcher': undefined, 'net-worker-0': 0, 'net-worker-1': 1 };
const WORKERS = { 'net-worker-0': 0, 'net-worker-1': 1, 'net-worker-2': 2 };
const PEERS = { net: undefined };
const MASTER = { 'net-master': 'master' };
const roles = (...names: readonly string[]) => names.map((name) => (name === 'worker' ? { name, replicas: 2 } : { name }));

const mpiJob = (spec: Partial<TrainingJobSpec>, variables: { readonly [name: string]: string } = {}): Expectation => ({
  spec,
  pods: LAUNCHER_AND_WORKERS,
  services: PEERS,
  ports: [2222, 29500],
  environment: { 'net-launcher': { ROLE: 'launcher', ...launcher, ...variables }, 'net-worker-0': { ROLE: 'worker' }, 'net-worker-1': { ROLE: 'worker' } },
  hostfile: 'net-worker-0.net slots=1\nnet-worker-1.net slots=1\n',
  succeeds: ['net-launcher'],
});

const FRAMEWORKS: { readonly [title: string]: Expectation } = {
  'pytorch, short': {
    spec: { framework: 'pytorch', replicas: 3 }, pods: MASTER_AND_WORKERS, services: MASTER, ports: [29500],
    environment: { 'net-master': torch(0), 'net-worker-1': torch(2) }, succeeds: ['net-master'],
  },
  'pytorch, long': {
    // Ranks follow the framework's order, not the order of writing.
    spec: { framework: 'pytorch', roles: roles('worker', 'master') }, pods: MASTER_AND_WORKERS, services: MASTER, ports: [29500],
    environment: { 'net-master': torch(0), 'net-worker-1': torch(2) }, succeeds: ['net-master'],
  },
  'tensorflow, short': {
    spec: { framework: 'tensorflow', replicas: 3 }, pods: MASTER_AND_WORKERS, services: { ...PEERS, ...MASTER }, ports: [2222, 29500],
    environment: { 'net-master': tfConfig(tfShort, 'chief', 0), 'net-worker-1': { ...tfConfig(tfShort, 'worker', 1), RANK: '2', WORLD_SIZE: '3' } },
    succeeds: ['net-master'],
  },
  'tensorflow, long': {
    spec: { framework: 'tensorflow', roles: roles('chief', 'worker', 'ps', 'evaluator') },
    pods: { 'net-chief': 0, 'net-evaluator-0': undefined, 'net-ps-0': undefined, 'net-worker-0': 1, 'net-worker-1': 2 },
    services: PEERS, ports: [2222, 29500],
    environment: {
      'net-chief': tfConfig(tfLong, 'chief', 0), 'net-worker-1': tfConfig(tfLong, 'worker', 1),
      'net-ps-0': tfConfig(tfLong, 'ps', 0), 'net-evaluator-0': tfConfig(tfLong, 'evaluator', 0),
    },
    succeeds: ['net-chief'],
  },
  'jax, short': {
    spec: { framework: 'jax', replicas: 3 }, pods: WORKERS, services: PEERS, ports: [29500],
    environment: { 'net-worker-0': jax(0, 3), 'net-worker-2': jax(2, 3) }, succeeds: Object.keys(WORKERS),
  },
  'jax, long': {
    spec: { framework: 'jax', roles: roles('worker') }, pods: { 'net-worker-0': 0, 'net-worker-1': 1 }, services: PEERS, ports: [29500],
    environment: { 'net-worker-0': jax(0, 2), 'net-worker-1': jax(1, 2) }, succeeds: ['net-worker-0', 'net-worker-1'],
  },
  'xgboost, short': {
    spec: { framework: 'xgboost', replicas: 3 }, pods: MASTER_AND_WORKERS, services: { ...PEERS, ...MASTER }, ports: [29500],
    environment: { 'net-master': xgboost(0), 'net-worker-1': xgboost(2) }, succeeds: ['net-master'],
  },
  'xgboost, long': {
    spec: { framework: 'xgboost', roles: roles('master', 'worker') }, pods: MASTER_AND_WORKERS, services: { ...PEERS, ...MASTER }, ports: [29500],
    environment: { 'net-master': xgboost(0), 'net-worker-1': xgboost(2) }, succeeds: ['net-master'],
  },
  'lightgbm, short': {
    spec: { framework: 'lightgbm', replicas: 3 }, pods: MASTER_AND_WORKERS, services: { ...PEERS, ...MASTER }, ports: [29500],
    environment: { 'net-master': lightgbm(0), 'net-worker-1': lightgbm(2) }, succeeds: ['net-master'],
  },
  'lightgbm, long': {
    spec: { framework: 'lightgbm', roles: roles('master', 'worker') }, pods: MASTER_AND_WORKERS, services: { ...PEERS, ...MASTER }, ports: [29500],
    environment: { 'net-master': lightgbm(0), 'net-worker-1': lightgbm(2) }, succeeds: ['net-master'],
  },
  'mpi, short': mpiJob({ framework: 'mpi', replicas: 2 }),
  'mpi, long': mpiJob({ framework: 'mpi', roles: roles('launcher', 'worker') }),
  'horovod, short': mpiJob({ framework: 'horovod', replicas: 2 }),
  'horovod, long': mpiJob({ framework: 'horovod', roles: roles('launcher', 'worker') }),
  'deepspeed, short': mpiJob({ framework: 'deepspeed', replicas: 2 }, { PDSH_RCMD_TYPE: 'ssh' }),
  'deepspeed, long': mpiJob({ framework: 'deepspeed', roles: roles('launcher', 'worker') }, { PDSH_RCMD_TYPE: 'ssh' }),
  'paddle, short': {
    spec: { framework: 'paddle', replicas: 3 }, pods: WORKERS, services: PEERS, ports: [29500],
    environment: {
      'net-worker-0': { ...rendezvous(0, 3, 'net-worker-0.net'), PADDLE_NNODES: '3', PADDLE_RANK: '0', PADDLE_JOB_ID: 'net' },
      'net-worker-2': { ...rendezvous(2, 3, 'net-worker-0.net'), PADDLE_NNODES: '3', PADDLE_RANK: '2', PADDLE_MASTER: 'net-worker-0.net:29500' },
    },
    succeeds: Object.keys(WORKERS),
  },
  'paddle, long': {
    spec: { framework: 'paddle', roles: roles('master', 'worker') }, pods: MASTER_AND_WORKERS, services: { ...PEERS, ...MASTER }, ports: [29500],
    environment: {
      'net-master': { ...rendezvous(0, 3, 'net-master'), PADDLE_NNODES: '3', PADDLE_RANK: '0' },
      'net-worker-1': { ...rendezvous(2, 3, 'net-master'), PADDLE_NNODES: '3', PADDLE_RANK: '2', PADDLE_MASTER: 'net-master:29500' },
    },
    succeeds: ['net-master'],
  },
  'mxnet, short': {
    spec: { framework: 'mxnet', replicas: 3 }, pods: MASTER_AND_WORKERS, services: { ...PEERS, ...MASTER }, ports: [9091, 29500],
    environment: { 'net-master': { RANK: '0', ...mxnet('worker', 'net-master', 3) }, 'net-worker-1': { RANK: '2', ...mxnet('worker', 'net-master', 3) } },
    succeeds: Object.keys(MASTER_AND_WORKERS),
  },
  'mxnet, long': {
    spec: { framework: 'mxnet', roles: roles('scheduler', 'server', 'worker') },
    pods: { 'net-scheduler': undefined, 'net-server-0': undefined, 'net-worker-0': 0, 'net-worker-1': 1 }, services: PEERS, ports: [9091, 29500],
    environment: {
      'net-scheduler': mxnet('scheduler', 'net-scheduler.net', 2), 'net-server-0': mxnet('server', 'net-scheduler.net', 2),
      'net-worker-0': { RANK: '0', ...mxnet('worker', 'net-scheduler.net', 2) }, 'net-worker-1': { RANK: '1', ...mxnet('worker', 'net-scheduler.net', 2) },
    },
    succeeds: ['net-worker-0', 'net-worker-1'],
  },
  'plain, short': {
    spec: { framework: 'plain', replicas: 3 }, pods: WORKERS, services: PEERS, ports: [29500],
    environment: { 'net-worker-0': rendezvous(0, 3, 'net-worker-0.net'), 'net-worker-2': rendezvous(2, 3, 'net-worker-0.net') }, succeeds: Object.keys(WORKERS),
  },
  'plain, long': {
    spec: { framework: 'plain', roles: roles('head', 'worker') }, pods: { 'net-head-0': 0, 'net-worker-0': 1, 'net-worker-1': 2 }, services: PEERS, ports: [29500],
    environment: { 'net-head-0': rendezvous(0, 3, 'net-head-0.net'), 'net-worker-1': rendezvous(2, 3, 'net-head-0.net') },
    succeeds: ['net-head-0', 'net-worker-0', 'net-worker-1'],
  },
};

const suite = describeOperator();

const environmentOf = (pod: TestObject): { [name: string]: string } => {
  const training = pod.spec.containers.find(({ name }: { name: string }) => name === 'training');
  return Object.fromEntries(training.env.map(({ name, value }: { name: string; value: string }) => [name, value]));
};
const decoded = (secret: TestObject, key: string) => Buffer.from(secret.data[key], 'base64').toString('utf8');

describe('the operator creates what each framework needs, the API server takes it, and the job completes', () => {
  test.each(Object.entries(FRAMEWORKS))('%s form', async (_title, expected) => {
    const { api, jobs, kubelet, namespace } = suite;
    const job = await jobs.create('net', expected.spec);
    const pods = await kubelet.pods('net', Object.keys(expected.pods).length);
    const services = await api.list('services', namespace);
    const configMaps = await api.list('configmaps', namespace, 'job=net');
    const secrets = await api.list('secrets', namespace, 'job=net');

    const annotation = ({ metadata }: TestObject) => (metadata.annotations as { [name: string]: string } | undefined)?.['ml.collabnix.io/rank'];
    const ranks = pods.map((pod) => [pod.metadata.name, annotation(pod) === undefined ? undefined : Number(annotation(pod))]);
    expect(Object.fromEntries(ranks)).toEqual(expected.pods);
    for (const pod of pods) {
      const [, role, index] = /^net-([a-z]+)(?:-(\d+))?$/.exec(pod.metadata.name)!;
      expect(pod.metadata.labels).toEqual({
        'job': 'net', role, 'ml.collabnix.io/replica-index': index ?? '0', 'ml.collabnix.io/attempt': '0',
        'app.kubernetes.io/managed-by': 'trainyard-operator', 'sidecar.istio.io/inject': 'false',
      });
      expect(pod.spec.restartPolicy).toBe('Never');
    }
    for (const [name, variables] of Object.entries(expected.environment)) {
      expect(environmentOf(pods.find(({ metadata }) => metadata.name === name)!)).toMatchObject(variables);
    }

    expect(Object.fromEntries(services.map(({ metadata, spec }) => [metadata.name, spec.selector.role]))).toEqual(expected.services);
    for (const { spec } of services) {
      expect(spec).toMatchObject({ clusterIP: 'None', publishNotReadyAddresses: true, selector: { job: 'net' } });
    }
    const ports = services.flatMap(({ spec }) => spec.ports.map(({ port }: { port: number }) => port) as number[]);
    expect([...new Set(ports)].sort((one, other) => one - other)).toEqual(expected.ports);

    expect(configMaps.map(({ metadata }) => metadata.name)).toEqual(expected.hostfile ? ['net-mpi-config'] : []);
    expect(secrets.map(({ metadata }) => metadata.name)).toEqual(expected.hostfile ? [`net-mpi-ssh-auth-${job.metadata.uid}`] : []);
    if (expected.hostfile) {
      expect(configMaps[0].data.hostfile).toBe(expected.hostfile);
      expect(secrets[0]).toMatchObject({ type: 'kubernetes.io/ssh-auth', immutable: true });
      expect(decoded(secrets[0], 'ssh-privatekey')).toMatch(/^-----BEGIN EC PRIVATE KEY-----/);
      expect(decoded(secrets[0], 'ssh-publickey')).toMatch(/^ecdsa-sha2-nistp521 /);
    }

    const owner = {
      apiVersion: 'ml.collabnix.io/v1alpha1', kind: 'MLTrainingJob', name: 'net', uid: job.metadata.uid, controller: true, blockOwnerDeletion: true,
    };
    for (const child of [...pods, ...services, ...configMaps, ...secrets]) {
      expect(child.metadata.ownerReferences).toEqual([owner]);
    }

    await kubelet.runAll('net', pods.length);
    await jobs.untilCondition('net', 'Running');
    for (const pod of expected.succeeds) {
      await kubelet.end(pod);
    }
    await jobs.untilCondition('net', 'Succeeded');
  });
});

test('helpers of the short form of MXNet run beside its master', async () => {
  const { jobs, kubelet } = suite;
  await jobs.create('net', { framework: 'mxnet', replicas: 1 });
  const [master] = await kubelet.pods('net', 1);
  const roleOf = (container: { name: string; env: { name: string; value: string }[] }) => container.env.find(({ name }) => name === 'DMLC_ROLE')!.value;
  expect(Object.fromEntries(master.spec.containers.map((container: Parameters<typeof roleOf>[0]) => [container.name, roleOf(container)])))
    .toEqual({ training: 'worker', scheduler: 'scheduler', server: 'server' });
});
