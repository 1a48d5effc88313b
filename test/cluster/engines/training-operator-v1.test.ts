/** What the engine for training-operator v1 renders, as a real API server with the upstream definitions and strict field validation sees it. */
import { accepted, remove } from './support/upstream';
import { upstreamCrds } from '../../support/upstream-definitions';
import { installCrds } from '../support/crds';
import { createNamespace, deleteNamespace } from '../support/namespace';
import { variablesInPod, variablesSaid, type Variables } from '../../manifests/engines/support/environments';
import { trainingOperatorV1Pods } from '../../manifests/engines/support/training-operator-v1-pods';
import { trainingOperatorV1Engine } from '../../../src/manifests/engines/training-operator-v1';
import { v1Kind } from '../../../src/manifests/engines/training-operator-v1/kinds';
import { validateForEngine } from '../../../src/manifests/engines/validation';
import type { Manifest } from '../../../src/manifests/kubernetes';
import type { FrameworkName, TrainingJobSpec } from '../../../src/model/training-job/spec';

const ENGINE = trainingOperatorV1Engine({ gangScheduler: 'volcano' });

/** What replicas 0 and last of a job of three read, by framework. */
const CONTRACTS: { readonly [framework in FrameworkName]?: readonly [first: Variables, last: Variables] } = {
  pytorch: [
    { MASTER_ADDR: 'net-master-0', MASTER_PORT: '29500', WORLD_SIZE: '3', RANK: '0', PET_NODE_RANK: '0', PET_NNODES: '3', PET_NPROC_PER_NODE: '1', ROLE: 'master' },
    { MASTER_ADDR: 'net-master-0', MASTER_PORT: '29500', WORLD_SIZE: '3', RANK: '2', PET_NODE_RANK: '2', PET_MASTER_ADDR: 'net-master-0', ROLE: 'worker' },
  ],
  tensorflow: [
    { TF_CONFIG: expect.stringContaining('"task":{"type":"chief","index":0}'), ROLE: 'master' },
    { TF_CONFIG: expect.stringContaining('"task":{"type":"worker","index":1}'), TRAINYARD_REPLICA_INDEX: '1', ROLE: 'worker' },
  ],
  jax: [
    { COORDINATOR_ADDRESS: 'net-worker-0', COORDINATOR_PORT: '29500', NUM_PROCESSES: '3', PROCESS_ID: '0', JAX_COORDINATOR_ADDRESS: 'net-worker-0:29500', RANK: '0' },
    { COORDINATOR_ADDRESS: 'net-worker-0', NUM_PROCESSES: '3', PROCESS_ID: '2', JAX_PROCESS_ID: '2', JAX_NUM_PROCESSES: '3', RANK: '2' },
  ],
  xgboost: [
    { MASTER_ADDR: 'net-master-0', RANK: '0', WORLD_SIZE: '3', WORKER_ADDRS: 'net-worker-0,net-worker-1', DMLC_TRACKER_URI: 'net-master-0', DMLC_NUM_WORKER: '3' },
    { MASTER_ADDR: 'net-master-0', RANK: '2', WORLD_SIZE: '3', WORKER_PORT: '29500', DMLC_TRACKER_PORT: '29500' },
  ],
  lightgbm: [
    { RANK: '0', LIGHTGBM_MACHINES: 'net-master-0:29500,net-worker-0:29500,net-worker-1:29500', LIGHTGBM_LISTEN_PORT: '29500' },
    { RANK: '2', WORKER_ADDRS: 'net-worker-0,net-worker-1', WORLD_SIZE: '3' },
  ],
  paddle: [
    { PADDLE_JOB_ID: 'net', PADDLE_NNODES: '3', PADDLE_RANK: '0', PADDLE_MASTER: '127.0.0.1:29500' },
    { PADDLE_JOB_ID: 'net', PADDLE_NNODES: '3', PADDLE_RANK: '2', PADDLE_MASTER: 'net-worker-0:29500' },
  ],
  mpi: [
    { OMPI_MCA_plm_rsh_agent: '/etc/mpi/kubexec.sh', OMPI_MCA_orte_default_hostfile: '/etc/mpi/hostfile', OMPI_ALLOW_RUN_AS_ROOT: '1', ROLE: 'launcher' },
    { ROLE: 'worker', TRAINYARD_REPLICA_INDEX: '2' },
  ],
  horovod: [{ I_MPI_HYDRA_BOOTSTRAP: 'rsh', ROLE: 'launcher' }, { ROLE: 'worker', TRAINYARD_REPLICA_INDEX: '2' }],
  deepspeed: [{ OMPI_MCA_orte_set_default_slots: '1', ROLE: 'launcher' }, { ROLE: 'worker', TRAINYARD_REPLICA_INDEX: '2' }],
};

const FRAMEWORKS = Object.keys(CONTRACTS) as FrameworkName[];

/** Everything that the engine can say beside a framework. */
const RICH: Partial<TrainingJobSpec> = {
  command: ['python'], args: ['--epochs', '$(EPOCHS)'], workingDir: '/work', port: 4000, hyperparameters: { EPOCHS: '3' },
  env: [{ name: 'TOKEN', valueFrom: { secretKeyRef: { name: 's3', key: 'token' } } }],
  resources: { gpu: 2, gpuResourceName: 'nvidia.com/mig-1g.5gb', cpu: '500m', memory: '4Gi', sharedMemory: '1Gi', extended: { 'rdma/hca': '1' } },
  checkpointPath: '/checkpoints', checkpoint: { claimName: 'data', subPath: 'run/1', gracePeriodSeconds: 90, keepLast: 2 },
  runPolicy: { restartPolicy: 'OnFailure', backoffLimit: 3, activeDeadlineSeconds: 60, ttlSecondsAfterFinished: 60, cleanPodPolicy: 'All' },
  scheduling: {
    queueName: 'research', queuePriorityClassName: 'urgent', gang: { scheduler: 'Volcano', queue: 'gpu', minAvailable: 2 }, nodeSelector: { disk: 'fast' },
    tolerations: [{ key: 'spot', operator: 'Exists' }], topology: { key: 'rack' },
  },
  security: { runAsUser: 1000, fsGroup: 1000, networkPolicy: { fromNamespaces: ['monitoring'] } },
  debug: {},
  managedBy: 'kueue.x-k8s.io/multikueue',
  template: {
    metadata: { labels: { team: 'vision' }, annotations: { note: 'x' } },
    spec: {
      containers: [{ name: 'training', volumeMounts: [{ name: 'data', mountPath: '/data' }] }, { name: 'logs', image: 'logs' }],
      initContainers: [{ name: 'fetch', image: 'fetch' }],
      volumes: [{ name: 'data', emptyDir: {} }],
    },
  },
};

describe('the engine for training-operator v1', () => {
  let namespace: string;

  beforeAll(async () => {
    await installCrds(upstreamCrds('kubeflow-training-operator'));
    namespace = await createNamespace('engine-v1');
  });

  afterAll(async () => {
    await deleteNamespace(namespace);
    // The MPI operator's kind has the same name and another version.
    await remove([['mpijobs.kubeflow.org', 'v1']]);
  });

  /** The job as the API server would keep it, with its pods accepted too. */
  async function submit(spec: TrainingJobSpec): Promise<Manifest & { readonly spec: object }> {
    expect(validateForEngine(ENGINE, 'net', spec, [])).toEqual([]);
    const { job, companions } = ENGINE.render({ name: 'net', namespace, spec });
    for (const companion of companions) {
      await accepted(namespace, companion);
    }
    const kept = await accepted(namespace, job);
    for (const { pod } of trainingOperatorV1Pods(kept)) {
      await accepted(namespace, { ...pod, apiVersion: 'v1', kind: 'Pod', metadata: { ...pod.metadata, name: pod.metadata!.name! } });
    }
    return kept;
  }

  test.each(FRAMEWORKS)('%s: the object and its pods are accepted, and the first and the last rank read their contract', async (framework) => {
    const spec: TrainingJobSpec = { framework, image: 'image', replicas: 3 };
    const pods = trainingOperatorV1Pods(await submit(spec));
    const said = ENGINE.environments({ name: 'net', namespace, spec });
    const ends = [said[0], said[said.length - 1]];
    for (const [index, environment] of ends.entries()) {
      const pod = pods.find((entry) => entry.pod.metadata?.name === environment.pod)!;
      const variables = await variablesInPod(pod, v1Kind(framework)!.container);
      expect(variables).toMatchObject(CONTRACTS[framework]![index]);
      expect(variablesSaid(environment)).toEqual(variables);
    }
  });

  test.each(FRAMEWORKS)('%s: a job that asks for everything is accepted', async (framework) => {
    const launcher = framework === 'deepspeed' ? { args: ['--launcher', 'openmpi', '--epochs', '$(EPOCHS)'] } : {};
    // Kueue queues no MPIJobs of this version.
    const { queueName: _queue, queuePriorityClassName: _class, ...scheduling } = RICH.scheduling!;
    const queued = ['mpi', 'horovod', 'deepspeed'].includes(framework) ? { scheduling, managedBy: undefined } : {};
    await submit({ framework, image: 'image', replicas: 3, ...RICH, ...launcher, ...queued });
  });

  test.each<[FrameworkName, readonly string[]]>([
    ['pytorch', ['worker']], ['tensorflow', ['chief', 'worker', 'ps', 'evaluator']], ['tensorflow', ['worker', 'ps']], ['paddle', ['master', 'worker']],
  ])('%s with the roles %j is accepted', async (framework, roles) => {
    await submit({ framework, image: 'image', roles: roles.map((name) => ({ name, restartPolicy: 'ExitCode' })) });
  });

  test.each(['pytorch', 'horovod'] as const)('an elastic job of %s is accepted', async (framework) => {
    const { spec } = await submit({ framework, image: 'image', replicas: 3, elastic: { minReplicas: 2, maxReplicas: 4 } });
    expect(JSON.stringify(spec)).toContain(framework === 'pytorch' ? '"minReplicas":2' : '"HOROVOD_MIN_NP","value":"2"');
  });
});
