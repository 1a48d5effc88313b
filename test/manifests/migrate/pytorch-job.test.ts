import { errorOf, migrated, migratedUnchecked, noteAt, notesOf, pytorchJob } from './migrating';

test('a master and workers that are alike are the short form', () => {
  const job = migrated(pytorchJob({ workers: 3, metadata: 'namespace: ml, labels: { team: vision }, annotations: { owner: me }' }));
  expect(job).toMatchObject({ kind: 'PyTorchJob', name: 'mnist', namespace: 'ml', labels: { team: 'vision' }, annotations: { owner: 'me' } });
  expect(job.spec).toEqual({
    framework: 'pytorch', image: 'train:1', replicas: 4, command: ['python', 'train.py'], runPolicy: { restartPolicy: 'OnFailure', cleanPodPolicy: 'None' },
  });
});

test('defaults that differ are written out or told', () => {
  expect(notesOf(migrated(pytorchJob()))).toEqual([
    'changed spec.runPolicy.cleanPodPolicy',
    'changed spec.pytorchReplicaSpecs.Master.template.spec.containers[0].name',
    'changed spec.pytorchReplicaSpecs.Worker.template.spec.containers[0].name',
    'changed spec.pytorchReplicaSpecs',
    'differs spec.pytorchReplicaSpecs.Master.restartPolicy',
    'differs spec.runPolicy.backoffLimit',
  ]);
});

test('a master and workers that differ are roles, and what they share is the job\'s', () => {
  const { spec } = migrated(`
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: { name: mnist }
spec:
  runPolicy: { cleanPodPolicy: Running }
  pytorchReplicaSpecs:
    Worker:
      replicas: 4
      restartPolicy: ExitCode
      template:
        spec:
          priorityClassName: low
          containers: [{ name: pytorch, image: train:1, args: [--worker], env: [{ name: A, value: "1" }, { name: B, value: "2" }], resources: { limits: { nvidia.com/gpu: 8 } } }]
    Master:
      template:
        spec:
          priorityClassName: low
          containers: [{ name: pytorch, image: train:2, env: [{ name: A, value: "1" }], resources: { limits: { cpu: 4, memory: 8Gi } } }]
`);
  expect(spec).toEqual({
    framework: 'pytorch',
    image: 'train:2',
    roles: [
      { name: 'master', resources: { cpu: '4', memory: '8Gi' }, restartPolicy: 'OnFailure' },
      {
        name: 'worker', replicas: 4, image: 'train:1', args: ['--worker'], env: [{ name: 'B', value: '2' }], resources: { gpu: 8 }, restartPolicy: 'ExitCode',
      },
    ],
    env: [{ name: 'A', value: '1' }],
    runPolicy: { cleanPodPolicy: 'Running' },
    scheduling: { priorityClassName: 'low' },
  });
});

test('workers without a master stay workers', () => {
  const { spec } = migrated(`
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: { name: mnist }
spec:
  pytorchReplicaSpecs:
    worker: { replicas: 2, template: { spec: { containers: [{ name: pytorch, image: i }] } } }
`);
  expect(spec).toMatchObject({ roles: [{ name: 'worker', replicas: 2 }] });
  expect(spec.replicas).toBeUndefined();
});

describe('elasticPolicy', () => {
  const elastic = (policy: string, worker = '') => `
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: { name: mnist, namespace: ml }
spec:
  elasticPolicy: ${policy}
  pytorchReplicaSpecs:
    Worker: { replicas: 2, template: { spec: { containers: [{ name: pytorch, image: i, command: [torchrun, t.py]${worker}, resources: { limits: { nvidia.com/gpu: 1 } } }] } } }
`;

  test('is elastic, with worker 0 as the master', () => {
    const job = migrated(elastic('{ minReplicas: 1, maxReplicas: 4, maxRestarts: 100, rdzvBackend: c10d, rdzvPort: 29400, nProcPerNode: 1 }'));
    expect(job.spec).toMatchObject({ replicas: 2, elastic: { minReplicas: 1, maxReplicas: 4, maxRestarts: 100 }, port: 29400, nprocPerNode: 1 });
    expect(noteAt(job, 'changed', 'spec.pytorchReplicaSpecs.Worker').message).toContain('worker 0 is the master');
    expect(notesOf(job)).not.toContain('changed spec.pytorchReplicaSpecs');
  });

  test('loses a rendezvous on a server of its own', () => {
    const job = migrated(elastic('{ minReplicas: 1, maxReplicas: 2, rdzvBackend: etcd-v2, rdzvHost: etcd, rdzvPort: 2379, rdzvId: x, standalone: true }'));
    expect(job.spec.port).toBeUndefined();
    expect(noteAt(job, 'differs', 'spec.elasticPolicy.rdzvBackend')).toMatchObject({ value: 'etcd-v2' });
    ['rdzvHost', 'rdzvPort', 'rdzvId', 'standalone'].forEach((field) => noteAt(job, 'lost', `spec.elasticPolicy.${field}`));
  });

  test('keeps the settings of the rendezvous in their variable', () => {
    const { spec } = migrated(elastic('{ minReplicas: 1, maxReplicas: 2, rdzvConf: [{ key: timeout, value: "60" }, { key: a, value: b }] }', ', env: [{ name: X, value: "1" }]'));
    expect(spec.env).toEqual([{ name: 'X', value: '1' }, { name: 'PET_RDZV_CONF', value: 'timeout=60,a=b' }]);
  });

  test('has its autoscaler as an object beside the job', () => {
    const metrics = '[{ type: Resource, resource: { name: cpu, target: { type: Utilization, averageUtilization: 80 } } }]';
    const job = migrated(elastic(`{ minReplicas: 1, maxReplicas: 4, metrics: ${metrics} }`));
    expect(job.companions).toEqual([{
      apiVersion: 'autoscaling/v2',
      kind: 'HorizontalPodAutoscaler',
      metadata: { name: 'mnist', namespace: 'ml' },
      spec: {
        scaleTargetRef: { apiVersion: 'ml.collabnix.io/v1alpha1', kind: 'MLTrainingJob', name: 'mnist' },
        minReplicas: 1,
        maxReplicas: 4,
        metrics: [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } }],
      },
    }]);
    expect(noteAt(job, 'changed', 'spec.elasticPolicy.metrics').message).toContain('HorizontalPodAutoscaler');
  });

  test('with a master that differs from the workers breaks a rule, and says so', () => {
    const job = migratedUnchecked(`
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: { name: mnist }
spec:
  elasticPolicy: { minReplicas: 1, maxReplicas: 4 }
  pytorchReplicaSpecs:
    Master: { template: { spec: { containers: [{ name: pytorch, image: a }] } } }
    Worker: { template: { spec: { containers: [{ name: pytorch, image: b }] } } }
`);
    expect(job.spec.roles).toHaveLength(2);
    expect(noteAt(job, 'lost', 'spec.pytorchReplicaSpecs.Master').message).toContain('cannot differ');
  });
});

test.each([['"4"', 4], ['auto', 'auto'], ['gpu', 'gpu'], ['2', 2]])('nprocPerNode %s is %j', (written, expected) => {
  expect(migrated(pytorchJob({ spec: `nprocPerNode: ${written}` })).spec.nprocPerNode).toBe(expected);
});

test('torchrun without GPUs and without a number of processes counts other CPUs, and the report says so', () => {
  const job = migrated(pytorchJob().replaceAll('command: [python, train.py]', 'command: [torchrun, train.py]'));
  expect(noteAt(job, 'differs', 'spec.nprocPerNode').message).toContain('each CPU of the node there');
});

describe('restart policies', () => {
  test('ExitCode stays ExitCode', () => {
    expect(migrated(pytorchJob().replaceAll('OnFailure', 'ExitCode')).spec.runPolicy).toMatchObject({ restartPolicy: 'ExitCode' });
  });

  test('Never goes without saying, and without a word about restarts', () => {
    const job = migrated(pytorchJob().replaceAll('OnFailure', 'Never'));
    expect(job.spec.runPolicy).toEqual({ cleanPodPolicy: 'None' });
    expect(notesOf(job).filter((note) => note.startsWith('differs'))).toEqual([]);
  });

  test('Always would never let the job end, and becomes OnFailure', () => {
    const job = migrated(pytorchJob().replaceAll('OnFailure', 'Always'));
    expect(job.spec.runPolicy).toMatchObject({ restartPolicy: 'OnFailure' });
    expect(job.notes.filter(({ value }) => value === 'Always').map(({ level }) => level)).toEqual(['differs', 'differs']);
  });

  test('that of the pod was overruled, and is left out', () => {
    const job = migrated(pytorchJob({ pod: 'restartPolicy: Always', workers: 0 }));
    expect(job.spec.template).toBeUndefined();
    expect(noteAt(job, 'changed', 'spec.pytorchReplicaSpecs.Master.template.spec.restartPolicy').message).toContain('OnFailure');
  });
});

test('the run policy is kept word for word, and a backoff limit is told to count otherwise', () => {
  const job = migrated(pytorchJob({ spec: 'runPolicy: { cleanPodPolicy: All, ttlSecondsAfterFinished: 60, activeDeadlineSeconds: 3600, backoffLimit: 3, suspend: true }' }));
  expect(job.spec.runPolicy).toEqual({ restartPolicy: 'OnFailure', cleanPodPolicy: 'All', ttlSecondsAfterFinished: 60, activeDeadlineSeconds: 3600, backoffLimit: 3 });
  expect(job.spec.suspend).toBe(true);
  expect(noteAt(job, 'differs', 'spec.runPolicy.backoffLimit').value).toBe(3);
  expect(notesOf(job)).not.toContain('changed spec.runPolicy.cleanPodPolicy');
});

describe('a queued job', () => {
  const queued = 'labels: { kueue.x-k8s.io/queue-name: gpus, kueue.x-k8s.io/priority-class: high, team: a }';

  test('has its queue in a field, and no suspend', () => {
    const job = migrated(pytorchJob({ metadata: queued, spec: 'runPolicy: { suspend: true }' }));
    expect(job.labels).toEqual({ team: 'a' });
    expect(job.spec.scheduling).toEqual({ queueName: 'gpus', queuePriorityClassName: 'high' });
    expect(job.spec.suspend).toBeUndefined();
    expect(noteAt(job, 'changed', 'spec.runPolicy.suspend').message).toContain('Kueue set it');
  });

  test('keeps its topology', () => {
    const annotated = pytorchJob({ metadata: queued }).replaceAll('template:\n', 'template:\n        metadata: { annotations: { kueue.x-k8s.io/podset-preferred-topology: rack } }\n');
    const job = migrated(annotated);
    expect(job.spec.scheduling?.topology).toEqual({ key: 'rack', mode: 'Preferred' });
    expect(job.spec.template).toBeUndefined();
  });

  test('loses what Kueue alone could do', () => {
    const job = migrated(pytorchJob({ metadata: 'labels: { kueue.x-k8s.io/queue-name: gpus, kueue.x-k8s.io/max-exec-time-seconds: "60" }' }));
    expect(noteAt(job, 'lost', 'metadata.labels[\'kueue.x-k8s.io/max-exec-time-seconds\']')).toMatchObject({ value: '60', message: expect.stringContaining('activeDeadlineSeconds') });
  });
});

describe('schedulingPolicy', () => {
  const policy = (text: string) => `runPolicy: { schedulingPolicy: ${text} }`;

  test('without a word on the scheduler is lost, with what to do', () => {
    const job = migrated(pytorchJob({ spec: policy('{ minAvailable: 3 }') }));
    expect(job.spec.scheduling).toBeUndefined();
    expect(noteAt(job, 'lost', 'spec.runPolicy.schedulingPolicy')).toMatchObject({ value: { minAvailable: 3 }, message: expect.stringContaining('--gang-scheduler') });
  });

  test('with a queue is a gang of Volcano', () => {
    const job = migrated(pytorchJob({ spec: policy('{ minAvailable: 3, queue: research, priorityClass: high, scheduleTimeoutSeconds: 90, minResources: { cpu: 3 } }') }));
    expect(job.spec.scheduling).toEqual({ gang: { scheduler: 'Volcano', queue: 'research', minAvailable: 3, scheduleTimeoutSeconds: 90 }, priorityClassName: 'high' });
    expect(noteAt(job, 'changed', 'spec.runPolicy.schedulingPolicy.minResources').value).toEqual({ cpu: 3 });
  });

  test('takes the scheduler of the pods', () => {
    const { spec } = migrated(pytorchJob({ spec: policy('{ minAvailable: 3 }'), pod: 'schedulerName: scheduler-plugins-scheduler' }));
    expect(spec.scheduling).toEqual({ gang: { scheduler: 'Coscheduling', minAvailable: 3 }, schedulerName: 'scheduler-plugins-scheduler' });
  });

  test('an operator with gangs makes a gang of every job', () => {
    expect(migrated(pytorchJob(), { gangScheduler: 'Coscheduling' }).spec.scheduling).toEqual({ gang: { scheduler: 'Coscheduling' } });
  });
});

describe('managedBy', () => {
  test('of MultiKueue stays', () => {
    expect(migrated(pytorchJob({ spec: 'runPolicy: { managedBy: kueue.x-k8s.io/multikueue }' })).spec.managedBy).toBe('kueue.x-k8s.io/multikueue');
  });

  test('of the old operator is left out', () => {
    const job = migrated(pytorchJob({ spec: 'runPolicy: { managedBy: kubeflow.org/training-operator }' }));
    expect(job.spec.managedBy).toBeUndefined();
    noteAt(job, 'changed', 'spec.runPolicy.managedBy');
  });
});

describe('the port', () => {
  test('that a container names is the job\'s', () => {
    const { spec } = migrated(pytorchJob({ container: 'ports: [{ name: pytorchjob-port, containerPort: 23456 }, { name: metrics, containerPort: 9090 }]' }));
    expect(spec.port).toBe(23456);
    expect(spec.template).toEqual({ spec: { containers: [{ name: 'training', ports: [{ name: 'metrics', containerPort: 9090 }] }] } });
  });

  test('that a command has written down is the job\'s', () => {
    expect(migrated(pytorchJob({ container: 'args: [--master_port=23456]' })).spec.port).toBe(23456);
  });
});

describe('errors name the place and the rule', () => {
  test.each([
    ['no spec', 'apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nmetadata: { name: a }', 'PyTorchJob a: spec: is required.'],
    ['no name', 'apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nmetadata: {}\nspec: {}', 'PyTorchJob: metadata.name: is missing. Set a name.'],
    ['no replicas', 'apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nmetadata: { name: a }\nspec: { pytorchReplicaSpecs: {} }',
      'PyTorchJob a: spec.pytorchReplicaSpecs: {}: has no replicas. Add Master or Worker.'],
    ['an unknown replica type', pytorchJob().replace('Worker:', 'Wroker:'),
      'PyTorchJob mnist: spec.pytorchReplicaSpecs.Wroker: "Wroker": is not a replica type of PyTorchJob: Master, Worker. Did you mean \'Worker\'?'],
    ['no container pytorch among several', pytorchJob({ workers: 0 }).replace('{ name: pytorch,', '{ name: a, image: x }, { name: b,'),
      'PyTorchJob mnist: spec.pytorchReplicaSpecs.Master.template.spec.containers: ["a","b"]: has no container pytorch, which is the training container of a PyTorchJob. Rename it, or remove the others.'],
    ['no image', pytorchJob({ workers: 0 }).replace('image: train:1, ', ''),
      'PyTorchJob mnist: spec.pytorchReplicaSpecs.Master.template.spec.containers[0].image: is required: the image of the training container.'],
    ['a number that is none', pytorchJob().replace('replicas: 2', 'replicas: two'),
      'PyTorchJob mnist: spec.pytorchReplicaSpecs.Worker.replicas: "two": must be a whole number, 0 or more.'],
    ['a restart policy that is none', pytorchJob().replace('restartPolicy: OnFailure', 'restartPolicy: Sometimes'),
      'PyTorchJob mnist: spec.pytorchReplicaSpecs.Master.restartPolicy: "Sometimes": must be one of Never, OnFailure, Always, ExitCode.'],
  ])('%s', (_what, yaml, message) => {
    expect(errorOf(yaml)).toBe(message);
  });
});
