import { errorOf, migrated, noteAt, notesOf } from './migrating';

interface TaskText {
  readonly replicas?: number;
  readonly container?: string;
  readonly more?: string;
  readonly policy?: string;
}

function task(name: string, { replicas = 1, container = '', more = '', policy = 'Never' }: TaskText = {}): string {
  return `{ name: ${name}, replicas: ${replicas}${more && `, ${more}`}, template: { spec: { restartPolicy: ${policy}, containers: [{ name: c, image: i${container && `, ${container}`} }] } } }`;
}

function job(tasks: readonly string[], spec = ''): string {
  return `
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: { name: net }
spec:
${spec.split('\n').map((line) => `  ${line}`).join('\n')}
  tasks:
${tasks.map((text) => `  - ${text}`).join('\n')}
`;
}

describe('a Job of Volcano', () => {
  test('has a role for each task, and is a gang of all of them', () => {
    const { spec } = migrated(job([task('driver', { container: 'command: [drive]' }), task('worker', { replicas: 3, container: 'command: [work]' })]));
    expect(spec).toEqual({
      framework: 'plain', image: 'i', roles: [{ name: 'driver', command: ['drive'] }, { name: 'worker', replicas: 3, command: ['work'] }],
      scheduling: { gang: { scheduler: 'Volcano' } },
    });
  });

  test('keeps its queue, its minimum, its priority and a scheduler of another name', () => {
    const { spec } = migrated(job([task('w', { replicas: 4 })], 'queue: research\nminAvailable: 2\npriorityClassName: high\nschedulerName: mine\nttlSecondsAfterFinished: 60'));
    expect(spec.scheduling).toEqual({ gang: { scheduler: 'Volcano', queue: 'research', minAvailable: 2 }, priorityClassName: 'high', schedulerName: 'mine' });
    expect(spec.runPolicy).toMatchObject({ ttlSecondsAfterFinished: 60 });
    const plain = migrated(job([task('w', { replicas: 4 })], 'queue: default\nminAvailable: 4\nschedulerName: volcano'));
    expect(plain.spec.scheduling).toEqual({ gang: { scheduler: 'Volcano' } });
  });

  test.each([
    ['minAvailable: 3', ['minAvailable: 1', 'minAvailable: 2'], 'changed'], ['minAvailable: 4', ['minAvailable: 1', 'minAvailable: 2'], 'lost'],
  ] as const)('with %s and minima of its tasks has one minimum', (spec, [driver, worker], level) => {
    const result = migrated(job([task('driver', { replicas: 2, more: driver }), task('worker', { replicas: 4, more: worker })], spec));
    expect(result.spec.scheduling!.gang!.minAvailable).toBe(Number(spec.slice(-1)));
    noteAt(result, level, 'spec.tasks');
  });
});

describe('policies of a Job of Volcano', () => {
  test('say what is started again, and maxRetry how often', () => {
    const result = migrated(job([task('w', { replicas: 2 })], 'maxRetry: 5\npolicies: [{ event: PodFailed, action: RestartPod }, { event: PodEvicted, action: RestartJob }, { exitCode: 3, action: AbortJob }, { exitCode: 4, action: RestartTask }]'));
    expect(result.spec.runPolicy).toMatchObject({ restartPolicy: 'OnFailure', backoffLimit: 4, exitCodes: { fail: [3], retry: [4] } });
    noteAt(result, 'differs', 'spec.maxRetry');
    noteAt(result, 'changed', 'spec.policies[1]');
  });

  test('of a task come before those of the job', () => {
    const policies = (action: string) => `policies: [{ events: [PodFailed], action: ${action} }]`;
    const { spec } = migrated(job([task('driver', { more: policies('TerminateJob') }), task('worker', { replicas: 2 })], policies('RestartTask')));
    expect(spec.roles).toEqual([{ name: 'driver' }, { name: 'worker', replicas: 2, restartPolicy: 'OnFailure' }]);
  });

  test('that never retry leave a limit for what is taken away', () => {
    expect(migrated(job([task('w')], 'maxRetry: 3')).spec.runPolicy).toMatchObject({ disruptionLimit: 2 });
    expect(migrated(job([task('w')])).spec.runPolicy ?? {}).not.toHaveProperty('disruptionLimit');
  });

  test('that are not there leave failures to the kubelet, which had no limit', () => {
    const result = migrated(job([task('w', { policy: 'OnFailure' })]));
    expect(result.spec.runPolicy).toMatchObject({ restartPolicy: 'OnFailure', backoffLimit: 2 });
    noteAt(result, 'differs', 'spec.tasks[0].template.spec.restartPolicy');
  });

  test.each([
    ['the end of the first task, which has one replica', [task('driver', { more: 'policies: [{ event: TaskCompleted, action: CompleteJob }]' }), task('w', { replicas: 2 })], '', 'Coordinator', false],
    ['the end of any pod', [task('driver'), task('w', { replicas: 2 })], 'minSuccess: 1', 'AnyWorker', false],
    ['the end of some pods', [task('driver'), task('w', { replicas: 2 })], 'minSuccess: 2', undefined, true],
    ['the end of a task that comes later', [task('driver'), task('w', { replicas: 2, more: 'policies: [{ event: TaskCompleted, action: CompleteJob }]' })], '', undefined, true],
    ['the end of any task', [task('driver'), task('w', { replicas: 2 })], 'policies: [{ event: TaskCompleted, action: CompleteJob }]', undefined, true],
  ] as const)('that make %s its success', (_what, tasks, spec, successPolicy, isLost) => {
    const result = migrated(job(tasks, spec));
    expect(result.spec.runPolicy?.successPolicy).toBe(successPolicy);
    expect(notesOf(result).some((note) => note.startsWith('lost '))).toBe(isLost);
  });

  test('that wait, or are about something else, are lost', () => {
    const result = migrated(job([task('w')], 'policies: [{ event: PodPending, action: RestartJob, timeout: 1h }, { event: Unknown, action: RestartJob }]'));
    ['spec.policies[0]', 'spec.policies[0].timeout', 'spec.policies[1]'].forEach((path) => noteAt(result, 'lost', path));
  });
});

describe('plugins of a Job of Volcano', () => {
  test('pytorch names the tasks that are master and workers, and their port', () => {
    const result = migrated(job([task('leader', { container: 'command: [python, "net-leader-0.net"]' }), task('follower', { replicas: 3, container: 'command: [python, "net-leader-0.net"]' })],
      'plugins: { pytorch: ["--master=leader", "--worker=follower", "--port=23456"], svc: [] }'));
    expect(result.spec).toMatchObject({ framework: 'pytorch', replicas: 4, port: 23456, command: ['python', '$(MASTER_ADDR)'] });
    noteAt(result, 'changed', 'spec.plugins.pytorch');
    noteAt(result, 'changed', 'spec.plugins.svc');
  });

  test('tensorflow has tasks of its own names', () => {
    expect(migrated(job([task('ps', { replicas: 2 }), task('worker', { replicas: 2 })], 'plugins: { tensorflow: [] }')).spec).toMatchObject({
      framework: 'tensorflow', roles: [{ name: 'ps', replicas: 2 }, { name: 'worker', replicas: 2 }],
    });
  });

  test('mpi, or ssh beside mpirun, is MPI, whose workers run the operator\'s ssh server', () => {
    const tasks = [
      task('mpimaster', { container: 'command: [/bin/sh, -c, "mpiexec -np 3 hello"]' }),
      task('mpiworker', { replicas: 3, container: 'command: [/bin/sh, -c, "mkdir -p /var/run/sshd; /usr/sbin/sshd -D;"]' }),
    ];
    const expected = { framework: 'mpi', replicas: 3, command: ['/bin/sh', '-c', 'mpiexec -np 3 hello'] };
    expect(migrated(job(tasks, 'plugins: { ssh: [], svc: [] }')).spec).toMatchObject(expected);
    expect(migrated(job(tasks, 'plugins: { mpi: ["--master=mpimaster", "--worker=mpiworker"] }')).spec).toMatchObject(expected);
  });

  test('env gave an index, which programs still find', () => {
    const result = migrated(job([task('w', { replicas: 2 })], 'plugins: { env: [] }'));
    expect(result.spec.env).toEqual(['VC_TASK_INDEX', 'VK_TASK_INDEX'].map((name) => ({ name, value: '$(TRAINYARD_REPLICA_INDEX)' })));
  });

  test('files and variables that svc wrote are told where a program reads them', () => {
    const result = migrated(job([task('w', { replicas: 2, container: 'command: [sh, -c, "cat /etc/volcano/w.host; echo $VC_W_HOSTS"]' })], 'plugins: { svc: [] }'));
    expect(noteAt(result, 'lost', 'spec.tasks[0].template.spec.containers[0].command[2]').message).toContain('net-w-0.net');
  });

  test('ray, keys without MPI and unknown ones are lost', () => {
    const result = migrated(job([task('w')], 'plugins: { ray: [--head=w], ssh: [], mine: [] }'));
    expect(notesOf(result)).toEqual(expect.arrayContaining(['lost spec.plugins.ray', 'lost spec.plugins.mine', 'lost spec.plugins']));
  });

  test('of two frameworks, or for tasks that are not there, are an error', () => {
    expect(errorOf(job([task('worker')], 'plugins: { pytorch: [], tensorflow: [] }'))).toContain('spec.plugins: ["pytorch","tensorflow"]: are plugins for several frameworks');
    expect(errorOf(job([task('w')], 'plugins: { pytorch: [] }'))).toContain('spec.tasks[0]: "w": is not one of the tasks of the plugin pytorch: master, worker');
  });
});

test('claims of the job are mounted by all of its pods, and those that it made are lost', () => {
  const result = migrated(job([task('w', { replicas: 2, container: 'volumeMounts: [{ name: d, mountPath: /d }]' })],
    'volumes: [{ mountPath: /runs, volumeClaimName: runs }, { mountPath: /tmp/x, volumeClaim: { accessModes: [ReadWriteOnce] } }]'));
  expect(result.spec.template!.spec).toEqual({
    containers: [{ name: 'training', volumeMounts: [{ name: 'd', mountPath: '/d' }, { name: 'runs', mountPath: '/runs' }] }],
    volumes: [{ name: 'runs', persistentVolumeClaim: { claimName: 'runs' } }],
  });
  noteAt(result, 'lost', 'spec.volumes[1].volumeClaim');
});

test('a Job of Volcano without pods is an error', () => {
  expect(errorOf(job([]))).toContain('spec.tasks');
  expect(errorOf(job([task('w', { replicas: 0 })]))).toContain('has no pods. Add a task with a replica.');
});
