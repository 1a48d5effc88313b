import { constructJobObjects } from '../../../src/manifests/job/job-objects';
import { withMpiSshKeys } from '../../../src/manifests/job/mpi-files';
import { constructReplicaPod } from '../../../src/manifests/pod/replica-pod';
import { MPI_WORKER_COMMAND } from '../../../src/model/frameworks/mpi';
import { FRAMEWORK_NAMES, type FrameworkName } from '../../../src/model/training-job/spec';
import { longForm, replicaNamed, resolved, shortForm } from '../../model/jobs';

const MPI_FRAMEWORKS: readonly FrameworkName[] = ['mpi', 'horovod', 'deepspeed'];
const KEYS = { client: { privateKey: 'CLIENT', publicKey: 'type client' }, host: { privateKey: 'HOST', publicKey: 'type host' } };

describe('objects that a job owns beside its pods', () => {
  test.each(FRAMEWORK_NAMES)('%s has files only if its launcher reads some', (framework) => {
    const { services, configMaps, generatedSecrets } = constructJobObjects({ job: resolved(shortForm(framework, 2)), namespace: 'ml' });
    const mpi = MPI_FRAMEWORKS.includes(framework);
    expect(services.length).toBeGreaterThan(0);
    expect(configMaps.map(({ metadata }) => metadata.name)).toEqual(mpi ? ['net-mpi-config'] : []);
    expect(generatedSecrets.map(({ generator, secret }) => [generator, secret.metadata.name])).toEqual(mpi ? [['MpiSshKeys', 'net-mpi-ssh-auth']] : []);
  });

  test('the hostfile has a line for each worker, with its slots', () => {
    const job = resolved(shortForm('mpi', 3, { nprocPerNode: 4 }));
    expect(constructJobObjects({ job, namespace: 'ml' }).configMaps[0].data!.hostfile)
      .toBe('net-worker-0.net slots=4\nnet-worker-1.net slots=4\nnet-worker-2.net slots=4\n');
  });

  test('ssh settings are for the job\'s workers alone, on the port and with the keys that the workers serve', () => {
    const { data } = constructJobObjects({ job: resolved(shortForm('mpi', 1)), namespace: 'ml' }).configMaps[0];
    expect(data!.ssh_config).toMatch(/^Host net-worker-\*\n/);
    for (const file of [data!.ssh_config, data!.sshd_config]) {
      expect(file).toMatch(/^ *Port 2222$/m);
    }
    expect(data!.ssh_config).toContain('StrictHostKeyChecking yes');
    expect(data!.sshd_config).toContain('UsePAM no');
  });

  test('the Secret is filled with the keys it is given, the host key as a known host', () => {
    const [{ secret }] = constructJobObjects({ job: resolved(shortForm('mpi', 1)), namespace: 'ml' }).generatedSecrets;
    expect(secret).not.toHaveProperty('stringData');
    expect(withMpiSshKeys(secret, KEYS)).toMatchObject({
      type: 'kubernetes.io/ssh-auth',
      immutable: true,
      stringData: { 'ssh-privatekey': 'CLIENT', 'ssh-publickey': 'type client\n', 'ssh-hostkey': 'HOST', 'known_hosts': 'mpi-worker type host\n' },
    });
  });
});

describe('pods of an MPI job', () => {
  const pod = (framework: FrameworkName, name: string, fields: object = {}) => {
    const job = resolved(shortForm(framework, 2, { command: ['mpirun', 'train'], ...fields }));
    return constructReplicaPod({ job, replica: replicaNamed(job, name), namespace: 'ml', attempt: 0 });
  };

  test('the launcher runs the job\'s command without its GPUs, the workers serve ssh with them', () => {
    const [launcher, worker] = ['net-launcher', 'net-worker-0'].map((name) => pod('mpi', name, { resources: { gpu: 2, cpu: '1' } }).spec!.containers[0]);
    expect(launcher).toMatchObject({ command: ['mpirun', 'train'], resources: { limits: { cpu: '1' } } });
    expect(launcher.resources!.limits).not.toHaveProperty('nvidia.com/gpu');
    expect(worker).toMatchObject({ command: MPI_WORKER_COMMAND, resources: { limits: { 'cpu': '1', 'nvidia.com/gpu': '2' } } });
    expect(worker).not.toHaveProperty('args');
  });

  test('a worker\'s own command is kept', () => {
    const job = resolved(longForm('mpi', { launcher: 1, worker: { command: ['my-sshd'], args: ['-v'] } }, { command: ['mpirun'] }));
    const worker = constructReplicaPod({ job, replica: replicaNamed(job, 'net-worker-0'), namespace: 'ml', attempt: 0 });
    expect(worker.spec!.containers[0]).toMatchObject({ command: ['my-sshd'], args: ['-v'] });
  });

  test('an init container with the user of the training container takes the keys over', () => {
    const { spec } = pod('mpi', 'net-worker-0', { template: { spec: { containers: [{ name: 'training', securityContext: { runAsUser: 1000 } }] } } });
    const [prepare] = spec!.initContainers!;
    expect(prepare).toMatchObject({ image: 'image', securityContext: { runAsUser: 1000 }, env: [{ name: 'ROLE', value: 'worker' }] });
    expect(prepare.volumeMounts!.map(({ mountPath }) => mountPath)).toEqual(['/etc/mpi', '/etc/mpi-ssh-auth', '/etc/mpi-ssh']);
    // The Secret itself, whose files all may read, is not seen by the container that runs users' code.
    const mounts = spec!.containers[0].volumeMounts!.map(({ mountPath }) => mountPath);
    expect(mounts).toContain('/etc/mpi-ssh');
    expect(mounts).not.toContain('/etc/mpi-ssh-auth');
  });

  test('DeepSpeed\'s launcher finds the hostfile where it looks for it', () => {
    const mountsHostfile = (framework: FrameworkName, name: string) =>
      pod(framework, name).spec!.containers[0].volumeMounts!.some(({ mountPath, subPath }) => mountPath === '/job/hostfile' && subPath === 'hostfile');
    expect(mountsHostfile('deepspeed', 'net-launcher')).toBe(true);
    expect(mountsHostfile('deepspeed', 'net-worker-0')).toBe(false);
    expect(mountsHostfile('mpi', 'net-launcher')).toBe(false);
  });
});
