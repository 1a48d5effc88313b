import { errorOf, migrate, migrated, noteAt, notesOf } from './migrating';

function trainJob(spec: string, metadata = ''): string {
  return `
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: { name: tune${metadata && `, ${metadata}`} }
spec:
${spec.split('\n').map((line) => `  ${line}`).join('\n')}
`;
}

interface Runtime {
  readonly name?: string;
  readonly policy?: string;
  readonly spec?: string;
  readonly jobs?: string;
  readonly container?: string;
}

/** A runtime whose nodes run the image `runtime:1`. */
function runtime({ name = 'mine', policy = '{ numNodes: 2, torch: {} }', spec = '', jobs = '', container = '' }: Runtime = {}): string {
  return `
---
apiVersion: trainer.kubeflow.org/v1alpha1
kind: ClusterTrainingRuntime
metadata: { name: ${name} }
spec:
  mlPolicy: ${policy}
${spec.split('\n').map((line) => `  ${line}`).join('\n')}
  template:
    spec:
      replicatedJobs:
${jobs.split('\n').map((line) => `      ${line}`).join('\n')}
      - name: node
        template:
          metadata: { labels: { trainer.kubeflow.org/trainjob-ancestor-step: trainer } }
          spec: { template: { spec: { containers: [{ name: node, image: runtime:1${container && `, ${container}`} }] } } }
`;
}

const REFERENCE = 'runtimeRef: { name: mine }';

test('with its runtime has the runtime\'s pods and the job\'s words over them', () => {
  const results = migrate(trainJob(`${REFERENCE}
trainer: { numNodes: 4, image: mine:2, command: [torchrun], args: [t.py], numProcPerNode: 8, env: [{ name: B, value: "2" }], resourcesPerNode: { limits: { nvidia.com/gpu: 8 } } }`)
    + runtime({ container: 'env: [{ name: A, value: "1" }, { name: B, value: "1" }], resources: { limits: { cpu: 4 } }, securityContext: { runAsUser: 1 }' }));
  expect(results.map(({ outcome }) => outcome)).toEqual(['job', 'part']);
  const [result] = results;
  expect(result).toMatchObject({ job: { spec: {
    framework: 'pytorch', image: 'mine:2', replicas: 4, command: ['torchrun'], args: ['t.py'], nprocPerNode: 8, env: [{ name: 'A', value: '1' }, { name: 'B', value: '2' }],
    resources: { cpu: '4', gpu: 8 }, template: { spec: { containers: [{ name: 'training', securityContext: { runAsUser: 1 } }] } },
    runPolicy: { restartPolicy: 'OnFailure', successPolicy: 'AllWorkers' },
  } } });
});

test('without a trainer is what the runtime says', () => {
  const job = migrated(trainJob(REFERENCE) + runtime({ policy: '{ numNodes: 3, jax: {} }' }));
  expect(job.spec).toEqual({ framework: 'jax', image: 'runtime:1', replicas: 3, runPolicy: { restartPolicy: 'OnFailure' } });
});

test.each([
  ['{ torch: { numProcPerNode: auto } }', 'pytorch', { nprocPerNode: 'auto' }], ['{ jax: {} }', 'jax', {}], ['{ xgboost: {} }', 'xgboost', {}], ['{ numNodes: 1 }', 'plain', {}],
])('the policy %s is the framework %s', (policy, framework, fields) => {
  expect(migrated(trainJob(REFERENCE) + runtime({ policy })).spec).toMatchObject({ framework, ...fields });
});

test('a plain runtime that runs torchrun is PyTorch, and the report says why', () => {
  const job = migrated(trainJob(`${REFERENCE}\ntrainer: { numNodes: 2, command: [torchrun, t.py] }`) + runtime({ policy: '{}' }));
  expect(job.spec).toMatchObject({ framework: 'pytorch', replicas: 2, env: [{ name: 'JOB_COMPLETION_INDEX', value: '$(RANK)' }] });
  expect(job.notes.find(({ path }) => path === 'spec.trainer')?.message).toContain('its command (torchrun)');
});

test('MPI has a launcher with the job\'s command, and nodes that run the operator\'s ssh server', () => {
  const launcher = `- name: launcher
  template:
    metadata: { labels: { trainer.kubeflow.org/trainjob-ancestor-step: trainer } }
    spec: { template: { spec: { containers: [{ name: node, image: runtime:1, securityContext: { runAsUser: 1000 } }] } } }`;
  const job = migrated(trainJob(`${REFERENCE}\ntrainer: { numNodes: 2, command: [mpirun, t], numProcPerNode: 4 }`) + runtime({
    policy: '{ numNodes: 1, mpi: { numProcPerNode: 1, mpiImplementation: OpenMPI, sshAuthMountPath: /home/mpiuser/.ssh, runLauncherAsNode: true } }',
    jobs: launcher, container: 'command: [/usr/sbin/sshd], args: [-De]',
  }));
  expect(job.spec).toEqual({
    framework: 'mpi', image: 'runtime:1', command: ['mpirun', 't'], nprocPerNode: 4, runPolicy: { restartPolicy: 'OnFailure' },
    roles: [
      { name: 'launcher', template: { spec: { containers: [{ name: 'training', securityContext: { runAsUser: 1000 } }] } } }, { name: 'worker', replicas: 2 },
    ],
  });
  expect(noteAt(job, 'differs', 'ClusterTrainingRuntime/mine.spec.mlPolicy.mpi.runLauncherAsNode').message).toContain('only launches');
});

test('a runtime that is not in the input is read by its name, where the job has its image', () => {
  const job = migrated(trainJob('runtimeRef: { name: torch-distributed }\ntrainer: { numNodes: 2, image: mine:1 }'));
  expect(job.spec).toMatchObject({ framework: 'pytorch', image: 'mine:1', replicas: 2 });
  expect(noteAt(job, 'differs', 'spec.runtimeRef.name').message).toContain('kubectl get clustertrainingruntime torch-distributed -o yaml');
});

test.each([
  ['no image', 'runtimeRef: { name: torch-distributed }\ntrainer: { numNodes: 2 }', 'it contains the image'],
  ['a name that says nothing', 'runtimeRef: { name: mine }\ntrainer: { image: i }', 'does not identify a framework'],
  ['no runtime', 'trainer: { image: i }', 'spec.runtimeRef: is required'],
])('is an error with %s', (_what, spec, message) => {
  expect(errorOf(trainJob(spec))).toContain(message);
});

test('Flux has no equivalent, and is an error', () => {
  expect(errorOf(trainJob(REFERENCE) + runtime({ policy: '{ flux: {} }' }).replace(/$/, ''))).toContain('mlPolicy.flux');
});

test('patches change the pods; those of Kueue are left out', () => {
  const job = migrated(trainJob(`${REFERENCE}
runtimePatches:
- manager: acme.io/me
  trainingRuntimeSpec: { template: { spec: { replicatedJobs: [{ name: node, template: { spec: { template: { metadata: { labels: { a: b } }, spec: { nodeSelector: { pool: gpu }, containers: [{ name: node, volumeMounts: [{ name: d, mountPath: /d }] }], volumes: [{ name: d, emptyDir: {} }] } } } } }] } } }
- manager: kueue.x-k8s.io/manager
  trainingRuntimeSpec: { template: { spec: { replicatedJobs: [{ name: node, template: { spec: { template: { spec: { nodeSelector: { flavor: x } } } } } }] } } }`)
    + runtime());
  expect(job.spec.template).toEqual({
    metadata: { labels: { a: 'b' } },
    spec: { volumes: [{ name: 'd', emptyDir: {} }], containers: [{ name: 'training', volumeMounts: [{ name: 'd', mountPath: '/d' }] }] },
  });
  expect(job.spec.scheduling).toEqual({ nodeSelector: { pool: 'gpu' } });
  noteAt(job, 'changed', 'spec.runtimePatches[1]');
});

test('overrides of older releases change the pods too', () => {
  const pod = (field: string, override: string) => migrated(trainJob(`${REFERENCE}\n${field}: [{ targetJobs: [{ name: node }], ${override} }]`) + runtime()).spec;
  expect(pod('podTemplateOverrides', 'spec: { serviceAccountName: me }').template).toEqual({ spec: { serviceAccountName: 'me' } });
  expect(pod('podSpecOverrides', 'nodeSelector: { a: b }').scheduling).toEqual({ nodeSelector: { a: 'b' } });
});

test.each([
  ['the runtime\'s pod', '', (text: string) => text.replace(/spec: \{ containers: .*/, 'spec: a text }')],
  ['its containers', '', (text: string) => text.replace(/containers: \[.*/, 'containers: a text } }')],
  ['a patch', 'podTemplateOverrides: [{ targetJobs: [{ name: node }], spec: a text }]', () => ''],
  ['its metadata', 'podTemplateOverrides: [{ targetJobs: [{ name: node }], metadata: a text }]', () => ''],
])('%s that is a text is an error, and not read letter by letter', (_what, patch, change) => {
  const resources = 'trainer: { image: i, resourcesPerNode: { limits: { cpu: 1 } } }';
  expect(errorOf(trainJob(`${REFERENCE}\n${resources}\n${patch || 'podTemplateOverrides: [{ targetJobs: [{ name: node }], spec: { serviceAccountName: me } }]'}`) + change(runtime())))
    .toMatch(/must be an? (object|list)/);
});

test('initializers are lost, in the job and in the runtime', () => {
  const initializer = '- name: dataset-initializer\n  template: { spec: { template: { spec: { containers: [{ name: dataset-initializer, image: x }] } } } }';
  const job = migrated(trainJob(`${REFERENCE}\ninitializer: { dataset: { storageUri: "hf://a/b" } }`) + runtime({ jobs: initializer }).replace('- name: node\n', '- name: node\n        dependsOn: [{ name: dataset-initializer, status: Complete }]\n'));
  expect(noteAt(job, 'lost', 'spec.initializer.dataset').value).toEqual({ storageUri: 'hf://a/b' });
  noteAt(job, 'lost', 'ClusterTrainingRuntime/mine.spec.template.spec.replicatedJobs[0]');
  expect(notesOf(job).filter((note) => note.includes('dependsOn'))).toEqual([]);
});

test('gangs are kept, with Volcano\'s queue from its annotation', () => {
  const coscheduling = migrated(trainJob(REFERENCE) + runtime({ spec: 'podGroupPolicy: { coscheduling: { scheduleTimeoutSeconds: 100 } }' }));
  expect(coscheduling.spec.scheduling).toEqual({ gang: { scheduler: 'Coscheduling', scheduleTimeoutSeconds: 100 } });
  const volcano = migrated(trainJob(REFERENCE, 'annotations: { scheduling.volcano.sh/queue-name: research, a: b }')
    + runtime({ spec: 'podGroupPolicy: { volcano: { networkTopology: { mode: hard } } }' }));
  expect(volcano.spec.scheduling).toEqual({ gang: { scheduler: 'Volcano', queue: 'research' } });
  expect(volcano.annotations).toEqual({ a: 'b' });
  noteAt(volcano, 'lost', 'ClusterTrainingRuntime/mine.spec.podGroupPolicy.volcano.networkTopology');
});

test('run policies of job and runtime come together', () => {
  const job = migrated(trainJob(`${REFERENCE}\nactiveDeadlineSeconds: 60\nsuspend: true`)
    + runtime().replace('replicatedJobs:', 'ttlSecondsAfterFinished: 30\n      failurePolicy: { maxRestarts: 2 }\n      replicatedJobs:').replace('spec: { template: { spec: { containers', 'spec: { backoffLimit: 0, template: { spec: { containers'));
  expect(job.spec).toMatchObject({ suspend: true, runPolicy: { restartPolicy: 'OnFailure', backoffLimit: 2, ttlSecondsAfterFinished: 30, activeDeadlineSeconds: 60, successPolicy: 'AllWorkers' } });
});

test('a runtime that no job refers to is an error', () => {
  expect(errorOf(runtime({ name: 'alone' }))).toMatch(/^ClusterTrainingRuntime alone: describes no job by itself/);
});

test('of two runtimes of one name the kind and the namespace decide', () => {
  const local = runtime({ policy: '{ jax: {} }' }).replace('kind: ClusterTrainingRuntime\nmetadata: { name: mine }', 'kind: TrainingRuntime\nmetadata: { name: mine, namespace: ml }');
  const yaml = trainJob('runtimeRef: { name: mine, kind: TrainingRuntime }', 'namespace: ml') + runtime() + local;
  const [result] = migrate(yaml);
  expect(result).toMatchObject({ outcome: 'job', job: { spec: { framework: 'jax' } } });
});
