/** What the engine for Kubeflow Trainer renders, as a real API server with the upstream definitions and strict field validation sees it. */
import { accepted, remove } from './support/upstream';
import { upstreamCrds } from '../../support/upstream-definitions';
import { installCrds } from '../support/crds';
import { createNamespace, deleteNamespace } from '../support/namespace';
import { PRINT_ENVIRONMENT } from '../../manifests/engines/indexed/support/container-view';
import { variablesInPod, variablesSaid, type Variables } from '../../manifests/engines/support/environments';
import { trainerPods, upstreamRuntime } from '../../manifests/engines/support/trainer-pods';
import { trainerEngine, type TrainerOptions } from '../../../src/manifests/engines/trainer';
import { validateForEngine } from '../../../src/manifests/engines/validation';
import type { Manifest } from '../../../src/manifests/kubernetes';
import { FRAMEWORK_NAMES, type FrameworkName, type TrainingJobSpec } from '../../../src/model/training-job/spec';

/** What the first and the last replica of a job of three read, by framework. */
const CONTRACTS: { readonly [framework in FrameworkName]: readonly [first: Variables, last: Variables] } = {
  pytorch: [
    { PET_NNODES: '3', PET_NODE_RANK: '0', PET_NPROC_PER_NODE: '1', PET_MASTER_ADDR: 'net-node-0-0.net', PET_MASTER_PORT: '29500', RANK: '0', WORLD_SIZE: '3' },
    { PET_NNODES: '3', PET_NODE_RANK: '2', MASTER_ADDR: 'net-node-0-0.net', MASTER_PORT: '29500', RANK: '2', WORLD_SIZE: '3' },
  ],
  tensorflow: [
    { TF_CONFIG: expect.stringContaining('"task":{"type":"chief","index":0}'), RANK: '0', ROLE: 'master' },
    { TF_CONFIG: expect.stringContaining('"task":{"type":"worker","index":1}'), RANK: '2', ROLE: 'worker' },
  ],
  mxnet: [
    { DMLC_ROLE: 'worker', DMLC_PS_ROOT_URI: 'net-master-0-0.net', DMLC_NUM_WORKER: '3', RANK: '0' },
    { DMLC_ROLE: 'worker', DMLC_PS_ROOT_PORT: '9091', DMLC_NUM_SERVER: '1', RANK: '2' },
  ],
  jax: [
    { JAX_NUM_PROCESSES: '3', JAX_PROCESS_ID: '0', JAX_COORDINATOR_ADDRESS: 'net-node-0-0.net:29500', COORDINATOR_ADDRESS: 'net-node-0-0.net', ROLE: 'worker' },
    { JAX_NUM_PROCESSES: '3', JAX_PROCESS_ID: '2', PROCESS_ID: '2', NUM_PROCESSES: '3', RANK: '2', TRAINYARD_REPLICA_INDEX: '2' },
  ],
  xgboost: [
    { DMLC_TRACKER_URI: 'net-node-0-0.net', DMLC_TRACKER_PORT: '29500', DMLC_TASK_ID: '0', DMLC_NUM_WORKER: '3', RANK: '0' },
    { DMLC_TASK_ID: '2', WORKER_ADDRS: 'net-node-0-1.net,net-node-0-2.net', WORKER_PORT: '29500', RANK: '2', WORLD_SIZE: '3' },
  ],
  lightgbm: [
    { LIGHTGBM_MACHINES: 'net-master-0-0.net:29500,net-worker-0-0.net:29500,net-worker-1-0.net:29500', RANK: '0', ROLE: 'master' },
    { LIGHTGBM_LISTEN_PORT: '29500', RANK: '2', ROLE: 'worker' },
  ],
  mpi: [
    { OMPI_MCA_orte_default_hostfile: '/etc/mpi/hostfile', OMPI_MCA_orte_set_default_slots: '1', OMPI_MCA_plm_rsh_agent: 'ssh -F /etc/trainyard/mpi/ssh_config' },
    { ROLE: 'worker', TRAINYARD_REPLICA_INDEX: '2' },
  ],
  horovod: [{ OMPI_MCA_orte_keep_fqdn_hostnames: 'true', ROLE: 'launcher' }, { ROLE: 'worker', TRAINYARD_REPLICA_INDEX: '2' }],
  deepspeed: [{ PDSH_RCMD_TYPE: 'ssh', OMPI_MCA_plm_rsh_args: '-o ConnectionAttempts=10' }, { ROLE: 'worker', TRAINYARD_REPLICA_INDEX: '2' }],
  paddle: [
    { PADDLE_RANK: '0', PADDLE_NNODES: '3', PADDLE_MASTER: '127.0.0.1:29500' },
    { PADDLE_RANK: '2', PADDLE_MASTER: 'net-worker-coordinator-0-0.net:29500', RANK: '2' },
  ],
  plain: [{ RANK: '0', WORLD_SIZE: '3', MASTER_ADDR: 'net-node-0-0.net' }, { RANK: '2', TRAINYARD_REPLICA_INDEX: '2', ROLE: 'worker' }],
};

/** Everything that the engine can say beside a framework. */
const RICH: Partial<TrainingJobSpec> = {
  command: ['python'], args: ['--epochs', '$(EPOCHS)'], workingDir: '/work', hyperparameters: { EPOCHS: '3' },
  env: [{ name: 'TOKEN', valueFrom: { secretKeyRef: { name: 's3', key: 'token' } } }],
  resources: { gpu: 2, gpuResourceName: 'nvidia.com/mig-1g.5gb', cpu: '500m', memory: '4Gi', sharedMemory: '1Gi', extended: { 'rdma/hca': '1' } },
  checkpointPath: '/checkpoints', checkpoint: { claimName: 'data', subPath: 'run/1', gracePeriodSeconds: 90, keepLast: 2 },
  runPolicy: { restartPolicy: 'ExitCode', backoffLimit: 3, exitCodes: { recover: [42], retry: [3], fail: [4] }, activeDeadlineSeconds: 60, disruptionLimit: 0 },
  scheduling: {
    queueName: 'research', queuePriorityClassName: 'urgent', gang: { scheduler: 'Coscheduling', scheduleTimeoutSeconds: 30 }, nodeSelector: { disk: 'fast' },
    tolerations: [{ key: 'spot', operator: 'Exists' }], topology: { key: 'rack' },
  },
  security: { restricted: true, runAsUser: 1000, fsGroup: 1000, networkPolicy: { egress: 'Limited', toCidrs: ['10.8.0.0/16'] } },
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

interface RuntimeSpec {
  readonly template: {
    readonly spec: { readonly replicatedJobs: readonly { readonly name: string; readonly template: { readonly spec: object } }[] };
  };
}

describe('the engine for Kubeflow Trainer', () => {
  let namespace: string;

  beforeAll(async () => {
    await installCrds(upstreamCrds('kubeflow-trainer', 'coscheduling'));
    namespace = await createNamespace('engine-trainer');
  });

  afterAll(async () => {
    await deleteNamespace(namespace);
    await remove([['podgroups.scheduling.x-k8s.io', 'v1alpha1']]);
  });

  /** The job and its runtime as the API server would keep them, with the Jobs and pods that come of them accepted too. */
  async function submit(spec: TrainingJobSpec, options: TrainerOptions = {}) {
    const engine = trainerEngine(options);
    expect(validateForEngine(engine, 'net', spec, [])).toEqual([]);
    const { job, companions } = engine.render({ name: 'net', namespace, spec });
    const kept = new Map<string, Manifest & { spec?: unknown }>();
    for (const companion of companions) {
      kept.set(companion.kind, await accepted(namespace, companion));
    }
    const trainJob = await accepted(namespace, job);
    const runtime = kept.get('TrainingRuntime') ?? upstreamRuntime('torch');
    const pods = trainerPods(trainJob, runtime);
    for (const { name, template } of (runtime.spec as RuntimeSpec).template.spec.replicatedJobs) {
      await accepted(namespace, childJob(name, template.spec, pods.filter(({ group }) => group === name).map(({ pod }) => pod.spec)));
    }
    return { engine, pods };
  }

  /** What JobSet makes of a replicated job; the first of its pods stands for all. */
  function childJob(name: string, spec: object, pods: readonly object[]): Manifest {
    const { hostname: _hostname, subdomain: _subdomain, ...pod } = pods[0] as { readonly hostname?: string; readonly subdomain?: string };
    return {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: `net-${name}-0` },
      spec: { completionMode: 'Indexed', completions: pods.length, parallelism: pods.length, ...spec, template: { spec: { restartPolicy: 'Never', ...pod } } },
    } as Manifest;
  }

  test.each(FRAMEWORK_NAMES)('%s: the objects are accepted, and the first and the last rank read their contract', async (framework) => {
    const spec: TrainingJobSpec = { framework, image: 'image', replicas: 3, command: PRINT_ENVIRONMENT };
    const { engine, pods } = await submit(spec);
    const said = engine.environments({ name: 'net', namespace, spec });
    const ends = [said[0], said[said.length - 1]];
    for (const [index, environment] of ends.entries()) {
      const pod = pods.find((entry) => `${entry.pod.spec.hostname}-*` === environment.pod)!;
      const variables = await variablesInPod(pod, 'node');
      expect(variables).toMatchObject(CONTRACTS[framework][index]);
      expect(variablesSaid(environment)).toEqual(variables);
    }
  });

  test.each(FRAMEWORK_NAMES)('%s: a job that asks for everything is accepted', async (framework) => {
    await submit({ framework, image: 'image', replicas: 3, ...RICH });
  });

  test.each(FRAMEWORK_NAMES.filter((framework) => !['mpi', 'horovod', 'deepspeed'].includes(framework)))('%s with helpers is accepted, and all find each other', async (framework) => {
    const helpers = [{ name: 'actor', replicas: 2, image: 'actor', command: PRINT_ENVIRONMENT }];
    const spec: TrainingJobSpec = { framework, image: 'image', replicas: 3, command: PRINT_ENVIRONMENT, helpers };
    const { engine, pods } = await submit(spec);
    const said = engine.environments({ name: 'net', namespace, spec });
    for (const environment of [said[0], said[said.length - 1]]) {
      const pod = pods.find((entry) => `${entry.pod.spec.hostname}-*` === environment.pod)!;
      const variables = await variablesInPod(pod, 'node');
      expect(variables).toMatchObject({ TRAINYARD_ACTOR_HOSTS: 'net-actor-0-0.net:29600,net-actor-0-1.net:29600', TRAINYARD_PORT: '29600' });
      expect(variablesSaid(environment)).toEqual(variables);
    }
  });

  test.each<[FrameworkName, readonly string[]]>([
    ['pytorch', ['worker']], ['tensorflow', ['chief', 'worker', 'ps', 'evaluator']], ['tensorflow', ['worker', 'ps']], ['paddle', ['master', 'worker']],
    ['mxnet', ['scheduler', 'server', 'worker']], ['plain', ['actor', 'learner']],
  ])('%s with the roles %j is accepted', async (framework, roles) => {
    await submit({ framework, image: 'image', command: ['python'], roles: roles.map((name) => ({ name, replicas: name === 'worker' ? 3 : 1 })) });
  });

  test.each<[FrameworkName, Partial<TrainingJobSpec>]>([
    ['pytorch', { port: 4000 }], ['pytorch', { preflight: {} }], ['pytorch', { roles: [{ name: 'master', image: 'other' }, { name: 'worker', replicas: 2 }] }],
    ['xgboost', { resources: { gpu: 2, gpuResourceName: 'nvidia.com/mig-1g.5gb' } }],
  ])('%s beyond its plugin, %j, is accepted', async (framework, more) => {
    await submit({ framework, image: 'image', ...(more.roles === undefined && { replicas: 3 }), command: ['python'], ...more });
  });

  test.each(FRAMEWORK_NAMES.filter((framework) => !['mpi', 'horovod', 'deepspeed'].includes(framework)))('%s with hooks is accepted, and its replicas read their contract', async (framework) => {
    const hooks = { before: { command: PRINT_ENVIRONMENT, backoffLimit: 1 }, after: { command: ['register'], image: 'tools' } };
    const spec: TrainingJobSpec = { framework, image: 'image', replicas: 3, command: PRINT_ENVIRONMENT, hooks, runPolicy: { successPolicy: 'AllReplicas' } };
    const { engine, pods } = await submit(spec);
    expect(pods.map(({ group }) => group)).toEqual(expect.arrayContaining(['hook-before', 'hook-after']));
    const said = engine.environments({ name: 'net', namespace, spec });
    for (const environment of [said[0], said[said.length - 1]]) {
      const pod = pods.find((entry) => `${entry.pod.spec.hostname}-*` === environment.pod)!;
      expect(variablesSaid(environment)).toEqual(await variablesInPod(pod, 'node'));
    }
  });

  test.each<[FrameworkName, Partial<TrainingJobSpec>]>([['mpi', { nprocPerNode: 4 }], ['plain', {}]])('%s under Flux is accepted', async (framework, more) => {
    await submit({ framework, image: 'image', replicas: 3, command: ['lmp', '-in', 'in.lj'], ...more }, { flux: true });
  });

  test('patches of a runtime that exists are accepted', async () => {
    const { containers, volumes } = RICH.template!.spec as { containers: object[]; volumes: object[] };
    await submit({
      framework: 'pytorch', image: 'image', replicas: 3, resources: RICH.resources, checkpointPath: '/checkpoints', checkpoint: RICH.checkpoint,
      nprocPerNode: 2, security: { runAsUser: 1000, fsGroup: 1000 }, scheduling: { nodeSelector: { disk: 'fast' }, tolerations: [{ key: 'spot', operator: 'Exists' }] },
      template: { metadata: { labels: { team: 'vision' } }, spec: { containers: containers.slice(0, 1), volumes, serviceAccountName: 'train' } },
    }, { runtime: 'torch-distributed' });
  });
});
