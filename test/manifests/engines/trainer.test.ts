import fc from 'fast-check';
import { variablesInPod, variablesSaid } from './support/environments';
import { jobWith } from './support/refusals';
import { trainerPods, upstreamRuntime } from './support/trainer-pods';
import { PRINT_ENVIRONMENT } from './indexed/support/container-view';
import { trainerEngine, type TrainerOptions } from '../../../src/manifests/engines/trainer';
import { validateForEngine } from '../../../src/manifests/engines/validation';
import type { Container, Manifest, PodSpec } from '../../../src/manifests/kubernetes';
import { PodAddressBook } from '../../../src/model/frameworks/address-book';
import { replicaEnvironment } from '../../../src/model/training-job/environment/environment';
import { resolveTrainingJob } from '../../../src/model/training-job/replicas/resolve';
import { FRAMEWORK_NAMES, type FrameworkName, type TrainingJobSpec } from '../../../src/model/training-job/spec';
import { validSpec } from '../../model/training-job/arbitraries';

interface ReplicatedJob {
  readonly name: string;
  readonly replicas: number;
  readonly template: {
    readonly metadata?: { readonly labels?: { readonly [name: string]: string } };
    readonly spec: {
      readonly successPolicy?: object;
      readonly podFailurePolicy?: object;
      readonly backoffLimit?: number;
      readonly template: { readonly spec: PodSpec };
    };
  };
}

interface Runtime extends Manifest {
  readonly spec: {
    readonly mlPolicy: { readonly numNodes: number; readonly [plugin: string]: unknown };
    readonly podGroupPolicy?: object;
    readonly template: {
      readonly metadata?: object;
      readonly spec: {
        readonly replicatedJobs: readonly ReplicatedJob[];
        readonly failurePolicy?: { readonly maxRestarts: number };
        readonly [field: string]: unknown;
      };
    };
  };
}

interface TrainJob extends Manifest {
  readonly spec: { readonly trainer: { readonly numNodes: number; readonly [field: string]: unknown }; readonly [field: string]: unknown };
}

/** What a valid job becomes. */
function render(spec: Partial<TrainingJobSpec>, options: TrainerOptions = {}) {
  const engine = trainerEngine(options);
  expect(validateForEngine(engine, 'net', jobWith(spec), [])).toEqual([]);
  const { job, companions } = engine.render({ name: 'net', namespace: 'team', spec: jobWith(spec) });
  return { job: job as TrainJob, companions, runtime: companions.find(({ kind }) => kind === 'TrainingRuntime') as Runtime };
}

function podOf({ runtime }: ReturnType<typeof render>, name = 'node'): PodSpec {
  return runtime.spec.template.spec.replicatedJobs.find((entry) => entry.name === name)!.template.spec.template.spec;
}

const ANCESTOR = 'trainer.kubeflow.org/trainjob-ancestor-step';

describe('a job becomes a TrainJob with a TrainingRuntime of its own', () => {
  test('that says what nodes run, and how many there are', () => {
    const { job } = render({ command: ['torchrun'], args: ['train.py'], resources: { gpu: 8 } });
    expect(job).toMatchObject({
      apiVersion: 'trainer.kubeflow.org/v1alpha1',
      kind: 'TrainJob',
      metadata: { name: 'net', namespace: 'team' },
      spec: {
        runtimeRef: { apiGroup: 'trainer.kubeflow.org', kind: 'TrainingRuntime', name: 'net' },
        trainer: { numNodes: 3, image: 'image', command: ['torchrun'], args: ['train.py'], resourcesPerNode: { limits: { 'nvidia.com/gpu': '8' } } },
      },
    });
    expect(job.spec).not.toHaveProperty('runtimePatches');
  });

  test('that has the rest, and stands before the job', () => {
    const { companions, runtime } = render({ resources: { sharedMemory: '1Gi' } });
    expect(companions.at(-1)).toBe(runtime);
    expect(runtime).toMatchObject({
      apiVersion: 'trainer.kubeflow.org/v1alpha1', metadata: { name: 'net', namespace: 'team', labels: { 'trainer.kubeflow.org/framework': 'torch' } },
      spec: { mlPolicy: { numNodes: 3, torch: {} } },
    });
    const [node] = runtime.spec.template.spec.replicatedJobs;
    expect(node).toMatchObject({ name: 'node', replicas: 1, template: { metadata: { labels: { [ANCESTOR]: 'trainer' } } } });
    expect(node.template.spec.template.spec.containers).toEqual([
      { name: 'node', volumeMounts: [{ name: 'trainyard-shared-memory', mountPath: '/dev/shm' }], terminationMessagePolicy: 'FallbackToLogsOnError' },
    ]);
  });

  test.each<[FrameworkName, string, string[]]>([
    ['pytorch', 'torch', ['node']], ['jax', 'jax', ['node']], ['xgboost', 'xgboost', ['node']], ['plain', 'plain', ['node']],
    ['mpi', 'mpi', ['launcher', 'node']], ['horovod', 'mpi', ['launcher', 'node']], ['deepspeed', 'mpi', ['launcher', 'node']],
    ['tensorflow', 'plain', ['master', 'worker']], ['lightgbm', 'plain', ['master', 'worker']], ['mxnet', 'plain', ['master', 'worker']],
    ['paddle', 'plain', ['worker-coordinator', 'worker']],
  ])('of %s with the policy %s and the replicated jobs %j', (framework, policy, names) => {
    const { runtime: { spec } } = render({ framework });
    expect(Object.keys(spec.mlPolicy)).toEqual(policy === 'plain' ? ['numNodes'] : ['numNodes', policy]);
    expect(spec.template.spec.replicatedJobs.map(({ name }) => name)).toEqual(names);
  });

  test('one with all that it asks for', () => {
    const spec = jobWith({
      command: ['python', 'train.py'], args: ['--epochs', '$(EPOCHS)'], workingDir: '/work', hyperparameters: { EPOCHS: '3' }, nprocPerNode: 2,
      resources: { gpu: 2, cpu: '8', memory: '32Gi', sharedMemory: '4Gi' }, checkpointPath: '/checkpoints', checkpoint: { claimName: 'data', gracePeriodSeconds: 90 },
      runPolicy: { restartPolicy: 'ExitCode', backoffLimit: 3, exitCodes: { recover: [42] }, activeDeadlineSeconds: 3600 },
      scheduling: { queueName: 'research', gang: { scheduler: 'Volcano', queue: 'gpu' }, priorityClassName: 'high', nodeSelector: { pool: 'a' } },
      security: { networkPolicy: {} },
      template: { spec: { containers: [{ name: 'training', env: [{ name: 'TOKEN', value: 'x' }] }, { name: 'logs', image: 'logs' }], volumes: [{ name: 'v', emptyDir: {} }] } },
    });
    expect(validateForEngine(trainerEngine(), 'net', spec, [])).toEqual([]);
    expect(trainerEngine().render({ name: 'net', labels: { team: 'vision' }, spec })).toMatchSnapshot();
  });
});

describe('processes of a node', () => {
  test.each<[string, Partial<TrainingJobSpec>, number | undefined]>([
    ['are left to Trainer where all GPUs are meant', { resources: { gpu: 8 } }, undefined],
    ['are those that the job names', { resources: { gpu: 8 }, nprocPerNode: 4 }, 4],
    ['are the CPUs without GPUs', { resources: { cpu: '3500m' } }, 4],
    ['are said where Trainer would not see the GPUs by their name', { resources: { gpu: 7, gpuResourceName: 'nvidia.com/mig-1g.5gb' } }, 7],
    ['are said where Trainer would see two kinds of GPUs', { resources: { gpu: 2, extended: { 'acme.com/gpumem': '40' } } }, 2],
    ['of MPI are the slots', { framework: 'mpi', resources: { gpu: 4 } }, 4],
  ])('%s', (_what, spec, processes) => expect(render(spec).job.spec.trainer.numProcPerNode).toBe(processes));

  test.each<[string, Partial<TrainingJobSpec>]>([
    ['another port', { port: 1234 }],
    ['all CPUs of the machine', { nprocPerNode: 'cpu' }],
    ['checks before training', { preflight: {} }],
    ['roles that differ', { roles: [{ name: 'master', image: 'other' }, { name: 'worker', replicas: 2 }] }],
    ['slices of GPUs for XGBoost', { framework: 'xgboost', resources: { gpu: 2, gpuResourceName: 'nvidia.com/mig-1g.5gb' } }],
  ])('are told without a plugin where it would not heed %s', async (_what, spec) => {
    const { runtime } = render(spec);
    expect(Object.keys(runtime.spec.mlPolicy)).toEqual(['numNodes']);
    await checkEnvironments(jobWith({ ...spec, command: PRINT_ENVIRONMENT }));
  });
});

describe('a TrainJob without a plugin', () => {
  test('says the number of nodes too, and its trainer has the container that Trainer looks for', () => {
    const { job, runtime } = render({ framework: 'tensorflow' });
    expect(job.spec.trainer).toEqual({ numNodes: 1 });
    const labelled = runtime.spec.template.spec.replicatedJobs.filter(({ template }) => template.metadata?.labels?.[ANCESTOR] === 'trainer');
    expect(labelled.map(({ name, replicas }) => [name, replicas])).toEqual([['master', 1]]);
    expect(labelled[0].template.spec.template.spec.containers.map(({ name }) => name)).toEqual(['node']);
  });

  test('says suspension, deadline and manager itself, and not in its JobSet', () => {
    const { job, runtime } = render({ framework: 'lightgbm', suspend: true, runPolicy: { activeDeadlineSeconds: 60 } });
    expect(job.spec).toMatchObject({ suspend: true, activeDeadlineSeconds: 60 });
    expect(JSON.stringify(runtime)).not.toMatch(/suspend|activeDeadlineSeconds|DeadlineExceeded|managedBy|ttlSeconds/);
  });

  test('has further containers of the framework', () => {
    expect(podOf(render({ framework: 'mxnet' }), 'master').initContainers?.map(({ name, restartPolicy }) => [name, restartPolicy]))
      .toEqual([['scheduler', 'Always'], ['server', 'Always']]);
  });
});

describe('failures are what they are under the operator:', () => {
  const policy = (spec: Partial<TrainingJobSpec>) => render(spec).runtime.spec.template.spec.failurePolicy as {
    readonly maxRestarts: number; readonly rules: readonly { readonly name: string; readonly action: string }[];
  };

  test('a disruption starts the nodes again and is not counted', () => {
    expect(policy({})).toMatchObject({ maxRestarts: 0, rules: [{ name: 'disruption', action: 'RestartJobSetAndIgnoreMaxRestarts' }, { name: 'never', action: 'FailJobSet' }] });
  });

  test('a failure is counted where the job restarts', () => {
    expect(policy({ runPolicy: { restartPolicy: 'OnFailure', backoffLimit: 3 } }).maxRestarts).toBe(3);
  });

  test('exit codes are told by the container node', () => {
    const [node] = render({ runPolicy: { exitCodes: { fail: [3] } } }).runtime.spec.template.spec.replicatedJobs;
    expect(JSON.stringify(node.template.spec.podFailurePolicy)).toContain('"onExitCodes":{"containerName":"node","operator":"In","values":[3]}');
    expect(JSON.stringify(node)).not.toContain('"training"');
  });

  test('plain nodes are replaced one by one', () => {
    const { runtime } = render({ framework: 'plain', runPolicy: { restartPolicy: 'OnFailure', backoffLimit: 2 } });
    expect(runtime.spec.template.spec).not.toHaveProperty('failurePolicy');
    expect(runtime.spec.template.spec.replicatedJobs[0].template.spec.backoffLimit).toBe(2);
  });
});

describe('a job ends well', () => {
  const successOf = (spec: Partial<TrainingJobSpec>, options?: TrainerOptions) => {
    const { template } = render(spec, options).runtime.spec;
    return [template.spec.successPolicy, template.spec.replicatedJobs.map((entry) => entry.template.spec.successPolicy)];
  };
  const first = { rules: [{ succeededIndexes: '0' }] };

  test.each<[string, Partial<TrainingJobSpec>, unknown]>([
    ['with its coordinator', {}, [undefined, [first]]],
    ['with all nodes of JAX', { framework: 'jax' }, [undefined, [undefined]]],
    ['with any node, where the job says so', { runPolicy: { successPolicy: 'AnyWorker' } }, [undefined, [{ rules: [{ succeededIndexes: '0-2', succeededCount: 1 }] }]]],
    ['with the launcher of MPI', { framework: 'mpi' }, [{ operator: 'All', targetReplicatedJobs: ['launcher'] }, [undefined, undefined]]],
    ['with the chief of TensorFlow', { framework: 'tensorflow' }, [{ operator: 'All', targetReplicatedJobs: ['master'] }, [undefined, undefined]]],
  ])('%s', (_what, spec, policies) => expect(successOf(spec)).toEqual(policies));

  test('with the first node of Flux, which submits the command', () => {
    expect(successOf({ framework: 'mpi', replicas: 3, command: ['lmp'] }, { flux: true })).toEqual([undefined, [first]]);
  });
});

describe('a gang', () => {
  test('is made by the controller where a plugin is at work', () => {
    const { runtime, companions } = render({ scheduling: { gang: { scheduler: 'Coscheduling', scheduleTimeoutSeconds: 30 } } });
    expect(runtime.spec.podGroupPolicy).toEqual({ coscheduling: { scheduleTimeoutSeconds: 30 } });
    expect(podOf({ runtime } as ReturnType<typeof render>).schedulerName).toBe('scheduler-plugins-scheduler');
    expect(companions.map(({ kind }) => kind)).toEqual(['TrainingRuntime']);
  });

  test('of Volcano says its queue where the controller looks for it', () => {
    const { runtime } = render({ framework: 'mpi', scheduling: { gang: { scheduler: 'Volcano', queue: 'gpu' } } });
    expect(runtime.spec.podGroupPolicy).toEqual({ volcano: {} });
    expect(runtime.spec.template.metadata).toEqual({ annotations: { 'scheduling.volcano.sh/queue-name': 'gpu' } });
    expect(podOf({ runtime } as ReturnType<typeof render>, 'launcher').schedulerName).toBe('volcano');
  });

  test('counts what the templates request, which is everything that they are limited to', () => {
    const gang = { scheduling: { gang: { scheduler: 'Volcano' } }, resources: { gpu: 8, cpu: '4' } } as const;
    const all = { 'cpu': '4', 'nvidia.com/gpu': '8' };
    expect(render(gang).job.spec.trainer.resourcesPerNode).toEqual({ requests: all, limits: all });
    expect(podOf(render({ ...gang, framework: 'mpi', roles: [{ name: 'launcher' }, { name: 'worker', replicas: 2 }] })).containers[0].resources).toEqual({ requests: all, limits: all });
    const sidecar = { name: 'logs', image: 'logs', resources: { limits: { memory: '1Gi' } } };
    expect(podOf(render({ ...gang, template: { spec: { containers: [sidecar] } } })).initContainers![0].resources).toEqual({ requests: { memory: '1Gi' }, limits: { memory: '1Gi' } });
  });

  test('stands beside a job whose replicas are Jobs of their own, which the controller would count once', () => {
    const { runtime, companions } = render({ framework: 'tensorflow', scheduling: { gang: { scheduler: 'Coscheduling', minAvailable: 2 } } });
    expect(runtime.spec).not.toHaveProperty('podGroupPolicy');
    expect(companions.find(({ kind }) => kind === 'PodGroup')).toMatchObject({ metadata: { name: 'net' }, spec: { minMember: 2 } });
  });
});

test('a queue is a label of the TrainJob, and suspension is Kueue\'s', () => {
  const { job } = render({ scheduling: { queueName: 'research', queuePriorityClassName: 'urgent', topology: { key: 'rack' } } });
  expect(job.metadata.labels).toMatchObject({ 'kueue.x-k8s.io/queue-name': 'research', 'kueue.x-k8s.io/priority-class': 'urgent' });
  expect(job.spec).not.toHaveProperty('suspend');
});

test('what is beyond the limits of a TrainJob stands in its runtime', () => {
  const hyperparameters = Object.fromEntries(Array.from({ length: 130 }, (_, index) => [`P${index}`, '1']));
  const { job, runtime } = render({ hyperparameters });
  expect(job.spec.trainer).toEqual({ numNodes: 3, numProcPerNode: 1 });
  expect(podOf({ runtime } as ReturnType<typeof render>).containers[0]).toMatchObject({ image: 'image', env: expect.arrayContaining([{ name: 'P129', value: '1' }]) });
});

/** Variables of the model's contract that neither a template nor a plugin says. */
const LEFT: { readonly [framework in FrameworkName]?: readonly string[] } = {
  pytorch: ['ROLE', 'TRAINYARD_REPLICA_INDEX'],
  xgboost: ['ROLE', 'TRAINYARD_REPLICA_INDEX'],
};

/** Checks each replica of a job against what Trainer and JobSet make of its objects. */
async function checkEnvironments(spec: TrainingJobSpec, options: TrainerOptions = {}, upstream?: { readonly spec: object }): Promise<void> {
  const engine = trainerEngine(options);
  const said = engine.environments({ name: 'net', spec });
  const { job, companions } = engine.render({ name: 'net', spec });
  const runtime = upstream ?? companions.find(({ kind }) => kind === 'TrainingRuntime') as { spec?: unknown };
  const pods = new Map(trainerPods(job, runtime).map((entry) => [`${entry.pod.spec.hostname}-*`, entry]));
  expect([...pods.keys()].sort()).toEqual(said.map(({ pod }) => pod).sort());
  for (const environment of said) {
    expect({ pod: environment.pod, ...variablesSaid(environment) })
      .toEqual({ pod: environment.pod, ...await variablesInPod(pods.get(environment.pod)!, 'node') });
  }
}

describe('replicas see', () => {
  test.each(FRAMEWORK_NAMES)('of %s what the model\'s contract has, but for what one template of all roles cannot say', (framework) => {
    const spec = jobWith({ framework });
    const job = resolveTrainingJob('net', spec);
    const meant = job.replicas.flatMap((replica) => replicaEnvironment({ job, replica, addresses: new PodAddressBook('net') }, 0)).map(({ name }) => name);
    const seen = new Set(trainerEngine().environments({ name: 'net', spec }).flatMap(({ env }) => env.map(({ name }) => name)));
    expect([...new Set(meant)].filter((name) => !seen.has(name))).toEqual(LEFT[framework] ?? []);
  });

  test.each(FRAMEWORK_NAMES.flatMap((framework) => [1, 3].map((replicas) => [framework, replicas] as const)))(
    'of %s with %d replicas what Trainer makes of the objects', async (framework, replicas) => (
      checkEnvironments(jobWith({ framework, replicas, command: PRINT_ENVIRONMENT }))));

  test.each(['torch', 'jax', 'xgboost'] as const)('in an upstream runtime with the plugin %s the same', async (plugin) => {
    const framework = plugin === 'torch' ? 'pytorch' : plugin;
    const spec = jobWith({ framework, resources: { gpu: 2, cpu: '4' }, template: { spec: { volumes: [{ name: 'data', emptyDir: {} }] } } });
    await checkEnvironments(spec, { runtime: `${plugin}-distributed` }, upstreamRuntime(plugin));
  });

  test('the addresses and ranks that Trainer gives', () => {
    const last = variablesSaid(trainerEngine().environments({ name: 'net', spec: jobWith({ resources: { gpu: 8 } }) })[2]);
    expect(last).toMatchObject({
      PET_NNODES: '3', PET_NODE_RANK: '2', PET_NPROC_PER_NODE: 'auto', PET_MASTER_ADDR: 'net-node-0-0.net', PET_MASTER_PORT: '29500',
      RANK: '2', WORLD_SIZE: '3', MASTER_ADDR: 'net-node-0-0.net', MASTER_PORT: '29500', TRAINYARD_ATTEMPT: '0', JOB_COMPLETION_INDEX: '2',
    });
  });
});

describe('MPI', () => {
  const rendered = render({ framework: 'deepspeed', replicas: 2, resources: { gpu: 8 } });
  const training = (name: string): Container => podOf(rendered, name).containers[0];

  test('counts its nodes by the TrainJob, and has one launcher', () => {
    expect(rendered.job.spec.trainer).toEqual({ numNodes: 2, numProcPerNode: 8 });
    expect(rendered.runtime.spec.mlPolicy).toEqual({
      numNodes: 1, mpi: { numProcPerNode: 8, mpiImplementation: 'OpenMPI', sshAuthMountPath: '/etc/mpi-ssh-auth', runLauncherAsNode: false },
    });
  });

  test('brings the ssh server\'s settings to any image, out of the way of the plugin\'s hostfile', () => {
    const config = rendered.companions.find(({ kind }) => kind === 'ConfigMap') as Manifest & { readonly data: { readonly [file: string]: string } };
    expect(config.data.hostfile).toBe('net-node-0-0.net slots=8\nnet-node-0-1.net slots=8\n');
    expect(config.data.ssh_config).toContain('Host net-node-*\n');
    expect(training('node').command).toEqual(['/bin/sh', '/etc/trainyard/mpi/worker.sh']);
    const paths = [training('launcher'), training('node')].flatMap(({ volumeMounts = [] }) => volumeMounts.map(({ mountPath }) => mountPath));
    expect(paths.filter((path) => path === '/etc/mpi' || path === '/etc/mpi-ssh-auth')).toEqual([]);
    expect(JSON.stringify([config.data, training('launcher'), training('node')])).not.toContain('/etc/mpi/');
  });

  test('tells mpirun of them by the program that it calls, because the arguments are the plugin\'s', () => {
    expect(training('launcher').env).toContainEqual({ name: 'OMPI_MCA_plm_rsh_agent', value: 'ssh -F /etc/trainyard/mpi/ssh_config' });
    expect(training('launcher').env).toContainEqual({ name: 'PDSH_SSH_ARGS_APPEND', value: '-F /etc/trainyard/mpi/ssh_config' });
  });

  test('uses the key pair that the plugin makes, in copies that belong to the image\'s user', () => {
    expect(podOf(rendered, 'launcher').volumes).toContainEqual({ name: 'trainyard-mpi-secret', secret: { secretName: 'net-mpi-ssh-auth', defaultMode: 0o444 } });
    expect(podOf(rendered, 'launcher').initContainers).toMatchObject([{ name: 'mpi-prepare', image: 'image', command: ['/bin/sh', '/etc/trainyard/mpi/prepare.sh'] }]);
  });
});

describe('Flux', () => {
  const { job, runtime } = render({ framework: 'mpi', replicas: 2, nprocPerNode: 4, command: ['lmp', '-in', 'in.lj'] }, { flux: true });

  test('starts the program on the workers, without a launcher', () => {
    expect(runtime.spec.mlPolicy).toEqual({ numNodes: 2, flux: { numProcPerNode: 4 } });
    expect(runtime.spec.template.spec.replicatedJobs.map(({ name }) => name)).toEqual(['node']);
    expect(job.spec.trainer).toMatchObject({ numNodes: 2, numProcPerNode: 4, command: ['lmp', '-in', 'in.lj'] });
  });

  test('gives tasks the variables of the first node, so that no index is among them', () => {
    const { job: plain } = render({ framework: 'plain', command: ['run'] }, { flux: true });
    const names = (plain.spec.trainer.env as { readonly name: string }[]).map(({ name }) => name);
    expect(names).toContain('WORLD_SIZE');
    expect(names).not.toContain('RANK');
    expect(names).not.toContain('TRAINYARD_REPLICA_INDEX');
  });
});

test('whatever the job, the number of nodes is said, no variable of a plugin is, and what nodes see is known', async () => {
  await fc.assert(fc.asyncProperty(validSpec, async (written) => {
    const spec = { ...written, command: PRINT_ENVIRONMENT };
    fc.pre(validateForEngine(trainerEngine(), 'net', spec, []).length === 0);
    const { job } = trainerEngine().render({ name: 'net', spec });
    expect((job as TrainJob).spec.trainer.numNodes).toBeGreaterThan(0);
    // The webhook's part of the simulation throws where the TrainJob sets one of them.
    await checkEnvironments(spec);
  }), { numRuns: 60 });
}, 120_000);
