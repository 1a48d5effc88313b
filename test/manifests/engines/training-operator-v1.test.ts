import fc from 'fast-check';
import { variablesInPod, variablesSaid } from './support/environments';
import { trainingOperatorV1Pods } from './support/training-operator-v1-pods';
import { trainingOperatorV1Engine } from '../../../src/manifests/engines/training-operator-v1';
import { validateForEngine } from '../../../src/manifests/engines/validation';
import type { Container, Manifest, PodSpec } from '../../../src/manifests/kubernetes';
import { replicaEnvironment } from '../../../src/model/training-job/environment/environment';
import { PodAddressBook } from '../../../src/model/frameworks/address-book';
import { resolveTrainingJob } from '../../../src/model/training-job/replicas/resolve';
import type { FrameworkName, TrainingJobSpec } from '../../../src/model/training-job/spec';
import { validSpec } from '../../model/training-job/arbitraries';

const ENGINE = trainingOperatorV1Engine();

/** Container of each framework. */
const CONTAINERS: { readonly [framework in FrameworkName]?: string } = {
  pytorch: 'pytorch', tensorflow: 'tensorflow', jax: 'jax', xgboost: 'xgboost', lightgbm: 'xgboost', paddle: 'paddle', mpi: 'mpi', horovod: 'mpi', deepspeed: 'mpi',
};

const FRAMEWORKS = Object.keys(CONTAINERS) as FrameworkName[];

interface ReplicaSpec {
  readonly replicas: number;
  readonly restartPolicy: string;
  readonly template: { readonly metadata: { readonly labels: object }; readonly spec: PodSpec };
}

function job(spec: Partial<TrainingJobSpec>): TrainingJobSpec {
  return { framework: 'pytorch', image: 'image', ...(spec.roles === undefined && { replicas: 3 }), ...spec };
}

/** The object that a valid job becomes. */
function render(spec: Partial<TrainingJobSpec>, engine = ENGINE): Manifest & { readonly spec: { readonly [field: string]: unknown } } {
  expect(validateForEngine(engine, 'net', job(spec), [])).toEqual([]);
  return engine.render({ name: 'net', namespace: 'team', spec: job(spec) }).job as Manifest & { readonly spec: { readonly [field: string]: unknown } };
}

function replicasOf(manifest: ReturnType<typeof render>): { readonly [type: string]: ReplicaSpec } {
  return Object.entries(manifest.spec).find(([field]) => field.endsWith('ReplicaSpecs'))![1] as { [type: string]: ReplicaSpec };
}

function trainingOf(spec: Partial<TrainingJobSpec>, type = 'Worker'): Container {
  return replicasOf(render(spec))[type].template.spec.containers[0];
}

describe('a job becomes', () => {
  test.each<[FrameworkName, string, string[]]>([
    ['pytorch', 'PyTorchJob', ['Master', 'Worker']],
    ['tensorflow', 'TFJob', ['Chief', 'Worker']],
    ['jax', 'JAXJob', ['Worker']],
    ['xgboost', 'XGBoostJob', ['Master', 'Worker']],
    ['lightgbm', 'XGBoostJob', ['Master', 'Worker']],
    ['paddle', 'PaddleJob', ['Worker']],
    ['mpi', 'MPIJob', ['Launcher', 'Worker']],
    ['horovod', 'MPIJob', ['Launcher', 'Worker']],
    ['deepspeed', 'MPIJob', ['Launcher', 'Worker']],
  ])('of %s a %s with the replica types %j', (framework, kind, types) => {
    const manifest = render({ framework });
    expect(manifest).toMatchObject({ apiVersion: 'kubeflow.org/v1', kind, metadata: { name: 'net', namespace: 'team' } });
    expect(Object.keys(replicasOf(manifest))).toEqual(types);
    const containers = Object.values(replicasOf(manifest)).map(({ template }) => template.spec.containers[0].name);
    expect(containers).toEqual(types.map(() => CONTAINERS[framework]));
    expect(ENGINE.kindOf(framework)).toMatchObject({ kind, plural: `${kind.toLowerCase()}s` });
  });

  test('of TensorFlow\'s long form a type for each role', () => {
    const roles = ['chief', 'worker', 'ps', 'evaluator'].map((name) => ({ name }));
    expect(Object.keys(replicasOf(render({ framework: 'tensorflow', roles })))).toEqual(['Chief', 'Worker', 'PS', 'Evaluator']);
  });

  test('one with all that it asks for', () => {
    const engine = trainingOperatorV1Engine({ gangScheduler: 'volcano' });
    const spec = job({
      command: ['python', 'train.py'], args: ['--epochs', '$(EPOCHS)'], workingDir: '/work', port: 23456, hyperparameters: { EPOCHS: '3' },
      resources: { gpu: 2, cpu: '8', memory: '32Gi', sharedMemory: '4Gi' }, nprocPerNode: 2,
      checkpointPath: '/checkpoints', checkpoint: { claimName: 'data', gracePeriodSeconds: 90 },
      runPolicy: { restartPolicy: 'OnFailure', backoffLimit: 3, activeDeadlineSeconds: 3600, ttlSecondsAfterFinished: 60, cleanPodPolicy: 'All' },
      scheduling: { queueName: 'research', gang: { scheduler: 'Volcano', queue: 'gpu', minAvailable: 2 }, priorityClassName: 'high', nodeSelector: { pool: 'a' } },
      security: { networkPolicy: {} },
      template: { spec: { containers: [{ name: 'training', env: [{ name: 'TOKEN', value: 'x' }] }, { name: 'logs', image: 'logs' }], volumes: [{ name: 'v', emptyDir: {} }] } },
    });
    expect(validateForEngine(engine, 'net', spec, [])).toEqual([]);
    expect(engine.render({ name: 'net', labels: { team: 'vision' }, spec })).toMatchSnapshot();
  });
});

test('scripts for the stacks of hung programs stand beside a job that is debugged', () => {
  const { job: manifest, companions } = ENGINE.render({ name: 'net', namespace: 'team', spec: job({ debug: {}, command: ['python'] }) });
  expect(companions.map(({ kind, metadata }) => [kind, metadata.name, metadata.namespace])).toEqual([['ConfigMap', 'net-tools', 'team']]);
  const { spec } = replicasOf(manifest as ReturnType<typeof render>).Worker.template;
  expect(spec.volumes).toContainEqual(expect.objectContaining({ configMap: expect.objectContaining({ name: 'net-tools' }) }));
  expect(spec.containers[0].env).toContainEqual({ name: 'TORCH_DISTRIBUTED_DEBUG', value: 'DETAIL' });
});

test('containers beside the one that trains do not keep a pod from ending', () => {
  const { spec } = replicasOf(render({ framework: 'mpi', template: { spec: { containers: [{ name: 'logs', image: 'logs' }] } } })).Worker.template;
  expect(spec.containers.map(({ name }) => name)).toEqual(['mpi']);
  expect(spec.initContainers).toEqual([{ name: 'logs', image: 'logs', restartPolicy: 'Always' }]);
});

describe('a deadline', () => {
  test.each(FRAMEWORKS)('of %s is also that of each pod, whose end makes the controller look at that of the job', (framework) => {
    const manifest = render({ framework, runPolicy: { activeDeadlineSeconds: 3600 } });
    expect(manifest.spec.runPolicy).toMatchObject({ activeDeadlineSeconds: 3600 });
    for (const { template } of Object.values(replicasOf(manifest))) {
      expect(template.spec.activeDeadlineSeconds).toBe(3600);
    }
  });

  test('of a template stays where it is shorter', () => {
    const deadlineOf = (own: number) => {
      const manifest = render({ runPolicy: { activeDeadlineSeconds: 600 }, template: { spec: { activeDeadlineSeconds: own } } });
      return replicasOf(manifest).Worker.template.spec.activeDeadlineSeconds;
    };
    expect([deadlineOf(60), deadlineOf(6000)]).toEqual([60, 600]);
  });

  test('that nobody asked for is none', () => {
    expect(replicasOf(render({})).Worker.template.spec).not.toHaveProperty('activeDeadlineSeconds');
  });
});

describe('defaults of a job are its own and not the operator\'s:', () => {
  test('nothing restarts, and pods that run at the end are removed', () => {
    const manifest = render({});
    expect(Object.values(replicasOf(manifest)).map(({ restartPolicy }) => restartPolicy)).toEqual(['Never', 'Never']);
    expect(manifest.spec.runPolicy).toEqual({ cleanPodPolicy: 'Running' });
  });

  test('what restarts may do so six times, which is one less than the operator\'s count', () => {
    expect(render({ runPolicy: { restartPolicy: 'OnFailure' } }).spec.runPolicy).toMatchObject({ backoffLimit: 7 });
    expect(render({ runPolicy: { restartPolicy: 'OnFailure', backoffLimit: 0 } }).spec.runPolicy).toMatchObject({ backoffLimit: 0 });
    expect(render({ runPolicy: { backoffLimit: 3 } }).spec.runPolicy).not.toHaveProperty('backoffLimit');
  });

  test('a role can restart where others do not', () => {
    const roles = [{ name: 'chief' }, { name: 'worker', restartPolicy: 'ExitCode' as const }];
    const replicas = replicasOf(render({ framework: 'tensorflow', roles }));
    expect([replicas.Chief.restartPolicy, replicas.Worker.restartPolicy]).toEqual(['Never', 'ExitCode']);
  });

  test('processes of a node are not multiplied into WORLD_SIZE unless the job names their number', () => {
    expect(render({}).spec.nprocPerNode).toBe('1');
    expect(render({ resources: { cpu: '8' } }).spec.nprocPerNode).toBe('1');
    expect(render({ resources: { gpu: 8 } }).spec.nprocPerNode).toBe('auto');
    expect(render({ nprocPerNode: 4 }).spec.nprocPerNode).toBe('4');
    expect(render({ nprocPerNode: 'cpu', resources: { cpu: '6' } }).spec.nprocPerNode).toBe('6');
  });
});

describe('the port of a job', () => {
  test.each<[FrameworkName, object[]]>([
    ['pytorch', [{ name: 'pytorchjob-port', containerPort: 4000, protocol: 'TCP' }]],
    ['jax', [{ name: 'jaxjob-port', containerPort: 4000, protocol: 'TCP' }]],
    ['xgboost', [{ name: 'xgboostjob-port', containerPort: 4000, protocol: 'TCP' }]],
    ['paddle', [{ name: 'master', containerPort: 4000, protocol: 'TCP' }]],
    ['tensorflow', [{ name: 'tfjob-port', containerPort: 2222, protocol: 'TCP' }, { name: 'master', containerPort: 4000, protocol: 'TCP' }]],
  ])('of %s is found by the controller', (framework, ports) => {
    expect(trainingOf({ framework, port: 4000 }).ports).toEqual(ports);
  });

  test('is no port of MPI, where nobody listens', () => {
    expect(trainingOf({ framework: 'mpi' })).not.toHaveProperty('ports');
  });
});

describe('an elastic PyTorchJob', () => {
  const manifest = render({ elastic: { minReplicas: 2, maxReplicas: 5, maxRestarts: 9 }, port: 4000 });

  test('has workers only, because with a master the master alone would decide on success', () => {
    expect(Object.entries(replicasOf(manifest)).map(([type, { replicas }]) => [type, replicas])).toEqual([['Worker', 3]]);
  });

  test('has torchrun\'s own rendezvous with the settings of the operator', () => {
    expect(manifest.spec.elasticPolicy).toEqual({
      minReplicas: 2, maxReplicas: 5, maxRestarts: 9, rdzvBackend: 'c10d', rdzvId: 'net',
      rdzvConf: [{ key: 'join_timeout', value: '86400' }, { key: 'last_call_timeout', value: '15' }, { key: 'read_timeout', value: '600' }],
    });
  });

  test('takes other settings from where the job writes them', () => {
    const { spec } = render({ elastic: { minReplicas: 1, maxReplicas: 4 }, env: [{ name: 'PET_RDZV_CONF', value: 'join_timeout=60,is_host=true' }] });
    expect(spec.elasticPolicy).toMatchObject({ rdzvConf: [{ key: 'join_timeout', value: '60' }] });
  });
});

describe('an MPIJob', () => {
  test('leaves the workers\' command to the controller, which lets them wait for kubectl exec', () => {
    expect(trainingOf({ framework: 'mpi' })).not.toHaveProperty('command');
    expect(trainingOf({ framework: 'mpi', roles: [{ name: 'launcher' }, { name: 'worker', command: ['/start'] }] }).command).toEqual(['/start']);
  });

  test('shows the launcher the token by which it reaches the workers, and nobody else', () => {
    const replicas = replicasOf(render({ framework: 'mpi' }));
    expect(replicas.Launcher.template.spec).not.toHaveProperty('automountServiceAccountToken');
    expect(replicas.Worker.template.spec.automountServiceAccountToken).toBe(false);
  });

  test('counts slots as the operator does', () => {
    expect(render({ framework: 'mpi', nprocPerNode: 2 }).spec.slotsPerWorker).toBe(2);
    expect(render({ framework: 'mpi', resources: { gpu: 8 } }).spec.slotsPerWorker).toBe(8);
  });

  test('of DeepSpeed has the hostfile where DeepSpeed looks for it', () => {
    const launcher = trainingOf({ framework: 'deepspeed' }, 'Launcher');
    expect(launcher.volumeMounts).toContainEqual({ name: 'trainyard-hostfile', mountPath: '/job/hostfile', subPath: 'hostfile', readOnly: true });
  });

  test('is told nothing of ssh, whose arguments kubexec.sh would take for a pod', () => {
    const names = trainingOf({ framework: 'deepspeed' }, 'Launcher').env?.map(({ name }) => name);
    expect(names).toContain('OMPI_ALLOW_RUN_AS_ROOT');
    expect(names).not.toContain('OMPI_MCA_plm_rsh_args');
    expect(names).not.toContain('PDSH_SSH_ARGS_APPEND');
  });
});

test('a TFJob without a chief can wait for all workers', () => {
  const roles = [{ name: 'worker', replicas: 2 }, { name: 'ps' }];
  expect(render({ framework: 'tensorflow', roles, runPolicy: { successPolicy: 'AllWorkers' } }).spec.successPolicy).toBe('AllWorkers');
  expect(render({ framework: 'tensorflow', roles }).spec.successPolicy).toBe('');
});

describe('a queue', () => {
  test('is a label of the job, and suspension is Kueue\'s', () => {
    const { metadata, spec } = render({ scheduling: { queueName: 'research', queuePriorityClassName: 'urgent' } });
    expect(metadata.labels).toMatchObject({ 'kueue.x-k8s.io/queue-name': 'research', 'kueue.x-k8s.io/priority-class': 'urgent' });
    expect(spec.runPolicy).not.toHaveProperty('suspend');
  });

  test('is not needed to suspend a job', () => {
    expect(render({ suspend: true }).spec.runPolicy).toMatchObject({ suspend: true });
  });

  test('in another cluster is MultiKueue\'s', () => {
    expect(render({ managedBy: 'kueue.x-k8s.io/multikueue' }).spec.runPolicy).toMatchObject({ managedBy: 'kueue.x-k8s.io/multikueue' });
    expect(render({ managedBy: 'ml.collabnix.io/trainyard-operator' }).spec.runPolicy).not.toHaveProperty('managedBy');
  });
});

test('a gang is the scheduling policy, where the operator was started for its scheduler', () => {
  const scheduling = { gang: { scheduler: 'Coscheduling' as const, scheduleTimeoutSeconds: 30 } };
  const { spec } = render({ scheduling }, trainingOperatorV1Engine({ gangScheduler: 'scheduler-plugins-scheduler' }));
  expect(spec.runPolicy).toMatchObject({ schedulingPolicy: { minAvailable: 3, scheduleTimeoutSeconds: 30 } });
});

/** Variables of the model's contract that no template of v1 can say and no controller adds. */
const LEFT: { readonly [framework in FrameworkName]?: readonly string[] } = {
  pytorch: ['TRAINYARD_ATTEMPT'],
  tensorflow: ['RANK', 'TRAINYARD_ATTEMPT'],
  jax: ['TRAINYARD_ATTEMPT'],
  xgboost: ['TRAINYARD_ATTEMPT', 'DMLC_TASK_ID'],
  lightgbm: ['TRAINYARD_ATTEMPT'],
  paddle: ['TRAINYARD_ATTEMPT'],
  mpi: ['TRAINYARD_ATTEMPT', 'OMPI_MCA_plm_rsh_args'],
  horovod: ['TRAINYARD_ATTEMPT', 'OMPI_MCA_plm_rsh_args'],
  deepspeed: ['TRAINYARD_ATTEMPT', 'OMPI_MCA_plm_rsh_args', 'PDSH_RCMD_TYPE', 'PDSH_SSH_ARGS_APPEND'],
};

/** Checks each replica of a job against what the controller makes of its object. */
async function checkEnvironments(spec: TrainingJobSpec, engine = ENGINE): Promise<void> {
  const said = engine.environments({ name: 'net', namespace: 'team', spec });
  const { job: manifest } = engine.render({ name: 'net', namespace: 'team', spec });
  const pods = new Map(trainingOperatorV1Pods(manifest).map((entry) => [entry.pod.metadata!.name!, entry]));
  expect([...pods.keys()].sort()).toEqual(said.map(({ pod }) => pod).sort());
  expect(said.map(({ role, index }) => [role, index])).toEqual(resolveTrainingJob('net', spec).replicas.map(({ role, index }) => [role, index]));
  for (const environment of said) {
    expect({ pod: environment.pod, ...variablesSaid(environment) })
      .toEqual({ pod: environment.pod, ...await variablesInPod(pods.get(environment.pod)!, CONTAINERS[spec.framework]!) });
  }
}

describe('replicas see', () => {
  test.each(FRAMEWORKS)('of %s what the model\'s contract has, but for what v1 cannot say', (framework) => {
    const spec = job({ framework });
    const resolved = resolveTrainingJob('net', spec);
    const addresses = new PodAddressBook('net');
    const meant = resolved.replicas.flatMap((replica) => replicaEnvironment({ job: resolved, replica, addresses }, 0)).map(({ name }) => name);
    const seen = new Set(ENGINE.environments({ name: 'net', spec }).flatMap(({ env }) => env.map(({ name }) => name)));
    expect([...new Set(meant)].filter((name) => !seen.has(name))).toEqual(LEFT[framework]);
  });

  test.each(FRAMEWORKS.flatMap((framework) => [1, 3].map((replicas) => [framework, replicas] as const)))(
    'of %s with %d replicas what the controller makes of the object', async (framework, replicas) => checkEnvironments(job({ framework, replicas })));

  test('in an elastic job the range and the rendezvous', async () => {
    const spec = job({ elastic: { minReplicas: 2, maxReplicas: 5 }, nprocPerNode: 4, port: 4000 });
    await checkEnvironments(spec);
    expect(variablesSaid(ENGINE.environments({ name: 'net', spec })[2])).toMatchObject({
      PET_NNODES: '2:5', PET_NPROC_PER_NODE: '4', PET_RDZV_BACKEND: 'c10d', PET_RDZV_ENDPOINT: 'net-worker-0:4000', PET_RDZV_ID: 'net', PET_MAX_RESTARTS: '100',
    });
  });

  test('in a PyTorchJob without a master what the controller leaves out there', async () => {
    const spec = job({ roles: [{ name: 'worker', replicas: 3 }] });
    await checkEnvironments(spec);
    expect(variablesSaid(ENGINE.environments({ name: 'net', spec })[2])).toMatchObject({
      MASTER_ADDR: 'net-worker-0', PET_MASTER_ADDR: 'net-worker-0', MASTER_PORT: '29500', RANK: '2', PET_NODE_RANK: '2', WORLD_SIZE: '3', PET_NNODES: '3',
    });
  });

  test('their rank as it is in the model', () => {
    const ranks = (framework: FrameworkName, name: string) => (
      ENGINE.environments({ name: 'net', spec: job({ framework }) }).map((environment) => variablesSaid(environment)[name]));
    expect(ranks('pytorch', 'RANK')).toEqual(['0', '1', '2']);
    expect(ranks('jax', 'JAX_PROCESS_ID')).toEqual(['0', '1', '2']);
    expect(ranks('xgboost', 'RANK')).toEqual(['0', '1', '2']);
    expect(ranks('paddle', 'PADDLE_RANK')).toEqual(['0', '1', '2']);
  });
});

test('whatever the job, no variable of the controller is rendered, and what it adds is known', async () => {
  await fc.assert(fc.asyncProperty(validSpec, async (spec) => {
    fc.pre(validateForEngine(ENGINE, 'net', spec, []).length === 0);
    await checkEnvironments(spec);
    const { job: manifest } = ENGINE.render({ name: 'net', spec });
    const container = CONTAINERS[spec.framework]!;
    const rendered = Object.values(replicasOf(manifest as ReturnType<typeof render>)).flatMap(({ template }) => (
      template.spec.containers.find(({ name }) => name === container)!.env ?? []).map(({ name }) => name));
    const all = trainingOperatorV1Pods(manifest).map(({ pod }) => pod.spec.containers.find(({ name }) => name === container)!.env ?? []);
    // Of two variables of one name the controller's would win, and the rendered one would be a lie.
    all.forEach((env) => expect(new Set(env.map(({ name }) => name)).size).toBe(env.length));
    expect(rendered.filter((name) => name.startsWith('KUBEFLOW'))).toEqual([]);
  }), { numRuns: 60 });
});
