import { migrated, noteAt, notesOf } from './migrating';

interface Mpi {
  readonly version?: string;
  readonly spec?: string;
  readonly launcher?: string;
  readonly worker?: string;
}

function mpiJob({ version = 'v1', spec = '', launcher = 'command: [mpirun, python, t.py]', worker = '' }: Mpi = {}): string {
  const replica = (type: string, container: string) =>
    `    ${type}: { replicas: ${type === 'Worker' ? 2 : 1}, template: { spec: { containers: [{ name: mpi, image: i${container && `, ${container}`} }] } } }`;
  return `
apiVersion: kubeflow.org/${version}
kind: MPIJob
metadata: { name: pi }
spec:
${spec.split('\n').map((line) => `  ${line}`).join('\n')}
  mpiReplicaSpecs:
${replica('Launcher', launcher)}
${replica('Worker', worker)}
`;
}

test('v1 is mpi in the short form: the launcher\'s command, and ssh instead of kubectl exec', () => {
  const job = migrated(mpiJob());
  expect(job.spec).toEqual({ framework: 'mpi', image: 'i', replicas: 2, command: ['mpirun', 'python', 't.py'], runPolicy: { cleanPodPolicy: 'None' } });
  expect(noteAt(job, 'differs', 'spec.mpiReplicaSpecs').message).toContain('sshd');
});

test('cleanPodPolicy of the spec holds, and that of the run policy before it', () => {
  expect(migrated(mpiJob({ spec: 'cleanPodPolicy: All' })).spec.runPolicy).toEqual({ cleanPodPolicy: 'All' });
  expect(migrated(mpiJob({ spec: 'cleanPodPolicy: All\nrunPolicy: { cleanPodPolicy: Running }' })).spec.runPolicy).toEqual({ cleanPodPolicy: 'Running' });
});

test('a queue of v1, which Kueue passed over, queues the job here and is told', () => {
  const queued = mpiJob().replace('{ name: pi }', '{ name: pi, labels: { kueue.x-k8s.io/queue-name: research } }');
  const job = migrated(queued);
  expect(job.spec.scheduling).toEqual({ queueName: 'research' });
  expect(noteAt(job, 'differs', "metadata.labels['kueue.x-k8s.io/queue-name']").message).toContain('did not count against a quota');
  const v2 = migrated(queued.replace('kubeflow.org/v1', 'kubeflow.org/v2beta1'));
  expect(notesOf(v2)).toContain("changed metadata.labels['kueue.x-k8s.io/queue-name']");
  expect(notesOf(v2)).not.toContain("differs metadata.labels['kueue.x-k8s.io/queue-name']");
});

describe('slotsPerWorker', () => {
  const gpus = 'resources: { limits: { nvidia.com/gpu: 4 } }';

  test('that is the number of GPUs goes without saying', () => {
    const job = migrated(mpiJob({ spec: 'slotsPerWorker: 4', worker: gpus }));
    expect(job.spec.nprocPerNode).toBeUndefined();
    expect(job.spec.roles).toEqual([{ name: 'launcher' }, { name: 'worker', replicas: 2, resources: { gpu: 4 } }]);
  });

  test('that is not given is 1, and written out beside GPUs', () => {
    const job = migrated(mpiJob({ worker: gpus }));
    expect(job.spec.nprocPerNode).toBe(1);
    expect(noteAt(job, 'changed', 'spec.slotsPerWorker').message).toContain('number of GPUs (4)');
  });

  test('that is another number is kept', () => {
    expect(migrated(mpiJob({ spec: 'slotsPerWorker: 3' })).spec.nprocPerNode).toBe(3);
  });
});

test.each([
  ['[/usr/sbin/sshd]', 'args: [-De, -f, /home/mpiuser/.sshd_config]'], ['[sleep]', 'args: [365d]'], ['[bash, -c]', 'args: ["sleep infinity"]'], ['[tail, -f, /dev/null]', 'args: []'],
])('workers that only wait (%s) run the operator\'s ssh server', (command, args) => {
  const job = migrated(mpiJob({ worker: `command: ${command}, ${args}` }));
  expect(job.spec.replicas).toBe(2);
  noteAt(job, 'changed', 'spec.mpiReplicaSpecs.Worker.template.spec.containers[0].command');
});

test('workers that do something keep their command', () => {
  const job = migrated(mpiJob({ worker: 'command: [start-my-sshd]' }));
  expect(job.spec.roles).toEqual([{ name: 'launcher' }, { name: 'worker', replicas: 2, command: ['start-my-sshd'] }]);
  expect(job.spec.command).toEqual(['mpirun', 'python', 't.py']);
  expect(noteAt(job, 'differs', 'spec.mpiReplicaSpecs.Worker.template.spec.containers[0].command').message).toContain('2222');
});

test.each([
  ['command: [horovodrun, -np, "2", python, t.py]', 'horovod'], ['command: [bash, -c, "deepspeed --hostfile /job/hostfile t.py"]', 'deepspeed'],
  ['command: [mpirun, python, deepspeed.py]', 'mpi'],
])('a launcher with %s is of the framework %s', (launcher, framework) => {
  expect(migrated(mpiJob({ launcher })).spec.framework).toBe(framework);
});

test('a launcher that discovers hosts needs an elastic job', () => {
  const job = migrated(mpiJob({ launcher: 'command: [horovodrun, --host-discovery-script, /etc/mpi/discover_hosts.sh, python, t.py]' }));
  expect(noteAt(job, 'lost', 'spec.mpiReplicaSpecs.Launcher.template.spec.containers[0].command').message).toContain('HOROVOD_HOST_DISCOVERY_SCRIPT');
});

test('mainContainer names the container that trains', () => {
  const yaml = mpiJob({ spec: 'mainContainer: main' }).replaceAll('{ name: mpi, image: i', '{ name: mpi, image: sidecar }, { name: main, image: i');
  const { spec } = migrated(yaml);
  expect(spec).toMatchObject({ image: 'i', template: { spec: { containers: [{ name: 'mpi', image: 'sidecar' }] } } });
});

test('v2beta1 has a launcher that is started again, the first container, and its keys elsewhere', () => {
  const job = migrated(mpiJob({
    version: 'v2beta1', spec: 'slotsPerWorker: 1\nsshAuthMountPath: /home/mpiuser/.ssh\nmpiImplementation: OpenMPI\nrunPolicy: { cleanPodPolicy: Running, backoffLimit: 4 }',
  }).replaceAll('name: mpi,', 'name: any,'));
  expect(job.spec).toEqual({
    framework: 'mpi', image: 'i', roles: [{ name: 'launcher', restartPolicy: 'OnFailure' }, { name: 'worker', replicas: 2 }], command: ['mpirun', 'python', 't.py'],
    runPolicy: { cleanPodPolicy: 'Running', backoffLimit: 4 },
  });
  expect(noteAt(job, 'changed', 'spec.sshAuthMountPath').message).toContain('/etc/mpi-ssh');
  // Its backoffLimit is a Job's, which is counted as here.
  expect(notesOf(job)).not.toContain('differs spec.runPolicy.backoffLimit');
});

test('v2beta1 tells what only Open MPI and a launcher of its own have', () => {
  const job = migrated(mpiJob({ version: 'v2beta1', spec: 'mpiImplementation: Intel\nrunLauncherAsWorker: true\nlauncherCreationPolicy: WaitForWorkersReady' }));
  expect(noteAt(job, 'lost', 'spec.mpiImplementation')).toMatchObject({ value: 'Intel', message: expect.stringContaining('I_MPI_HYDRA_HOST_FILE') });
  noteAt(job, 'lost', 'spec.runLauncherAsWorker');
  noteAt(job, 'differs', 'spec.launcherCreationPolicy');
});

test('hosts of workers are told by their new names, where those are others', () => {
  const hosts = (version: string, list: string) => migrated(mpiJob({ version, launcher: `command: [mpirun, --host, "${list}", t]` })).notes
    .filter(({ path }) => path.endsWith('command[2]')).map(({ value, message }) => `${String(value)} ${/: (\S+) with/.exec(message)?.[1]}`);
  expect(hosts('v1', 'pi-worker-0:1,pi-worker-1.default.svc:1,other-pi-worker-0')).toEqual(['pi-worker-0 pi-worker-0.pi', 'pi-worker-1.default.svc pi-worker-1.pi']);
  // The MPI operator's are those of ours.
  expect(hosts('v2beta1', 'pi-worker-0.pi:1,pi-worker-1.pi.default.svc:1')).toEqual([]);
});
