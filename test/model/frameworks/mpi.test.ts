import { PodAddressBook } from '../../../src/model/frameworks/address-book';
import { MPI_WORKER_COMMAND, mpiHostfile, slotsPerWorker } from '../../../src/model/frameworks/mpi';
import type { TrainingJobSpec } from '../../../src/model/training-job/spec';
import { validateTrainingJob } from '../../../src/model/training-job/validation/validation';
import { environmentOf, longForm, resolved, shortForm, withoutCommon } from '../jobs';

/** What Trainer v2 gives the launcher, with the settings of our ssh. */
const LAUNCHER = {
  ROLE: 'launcher',
  OMPI_MCA_orte_default_hostfile: '/etc/mpi/hostfile',
  OMPI_MCA_orte_keep_fqdn_hostnames: 'true',
  OMPI_MCA_orte_set_default_slots: '1',
  OMPI_MCA_plm_rsh_args: '-F /etc/mpi/ssh_config -o ConnectionAttempts=10',
  OMPI_MCA_rtc_hwloc_vmhole: 'none',
};

const hostfile = (spec: TrainingJobSpec) => {
  const addresses = new PodAddressBook('net');
  return mpiHostfile(resolved(spec), (replica) => addresses.host(replica));
};

describe.each(['mpi', 'horovod', 'deepspeed'] as const)('a job of %s', (framework) => {
  test.each([1, 2, 3, 200])('has a launcher beside %i workers, with OpenMPI\'s variables', (workers) => {
    const spec = shortForm(framework, workers);
    const pods = resolved(spec).replicas.map((replica) => replica.podName);
    expect(pods).toHaveLength(workers + 1);
    expect([pods[0], pods[1], pods[workers]]).toEqual(['net-launcher', 'net-worker-0', `net-worker-${workers - 1}`]);
    expect(environmentOf(spec, 'net-launcher')).toMatchObject(LAUNCHER);
  });

  test('leaves ranks to the launcher: no replica finds any in its environment', () => {
    for (const pod of ['net-launcher', 'net-worker-0']) {
      expect(Object.keys(environmentOf(shortForm(framework, 2), pod))).not.toEqual(
        expect.arrayContaining([expect.stringMatching(/^(RANK|WORLD_SIZE|MASTER_ADDR|MASTER_PORT)$/)]),
      );
    }
    expect(withoutCommon(environmentOf(shortForm(framework, 2), 'net-worker-1'))).toEqual({ ROLE: 'worker' });
  });

  test('gives the same environment in both forms', () => {
    const long = longForm(framework, { worker: 2, launcher: 1 });
    for (const pod of ['net-launcher', 'net-worker-0', 'net-worker-1']) {
      expect(environmentOf(long, pod)).toEqual(environmentOf(shortForm(framework, 2), pod));
    }
  });

  test('runs the job\'s command on the launcher and an ssh server on the workers', () => {
    const job = resolved(shortForm(framework, 2, { command: ['mpirun'], args: ['python', 'train.py'] }));
    const [launcher, worker] = job.roles;
    expect([launcher.command, launcher.args]).toEqual([['mpirun'], ['python', 'train.py']]);
    expect([worker.command, worker.args]).toEqual([MPI_WORKER_COMMAND, undefined]);
  });

  test('hides the node\'s GPUs from a launcher that asked for none, as training-operator v1', () => {
    const spec = shortForm(framework, 2, { resources: { gpu: 8 } });
    expect(environmentOf(spec, 'net-launcher')).toMatchObject({ NVIDIA_VISIBLE_DEVICES: '', NVIDIA_DRIVER_CAPABILITIES: '' });
    expect(environmentOf(spec, 'net-worker-0')).not.toHaveProperty('NVIDIA_VISIBLE_DEVICES');
    const own = longForm(framework, { launcher: { resources: { gpu: 1 } }, worker: 1 });
    expect(environmentOf(own, 'net-launcher')).not.toHaveProperty('NVIDIA_VISIBLE_DEVICES');
  });

  test('lets the user say which GPUs the launcher sees', () => {
    const spec = shortForm(framework, 2, { env: [{ name: 'NVIDIA_VISIBLE_DEVICES', value: 'all' }] });
    expect(environmentOf(spec, 'net-launcher').NVIDIA_VISIBLE_DEVICES).toBe('all');
  });

  test('succeeds with its launcher, which asks for none of what the workers ask for', () => {
    const job = resolved(shortForm(framework, 2, { resources: { gpu: 8, cpu: '16', extended: { 'rdma/hca': '1' } } }));
    expect(job.successPolicy).toBe('Coordinator');
    expect(job.roles.map((role) => [role.name, role.resources])).toEqual([
      ['launcher', { cpu: '1', memory: '2Gi' }],
      ['worker', { gpu: 8, cpu: '16', extended: { 'rdma/hca': '1' } }],
    ]);
  });
});

describe('the hostfile', () => {
  test('names each worker with its slots, and not the launcher', () => {
    expect(hostfile(shortForm('mpi', 2, { nprocPerNode: 4 }))).toBe('net-worker-0.net slots=4\nnet-worker-1.net slots=4\n');
  });

  test('has one slot a GPU unless the job says otherwise', () => {
    expect(slotsPerWorker(resolved(shortForm('mpi', 2, { resources: { gpu: 8 } })))).toBe(8);
    expect(slotsPerWorker(resolved(longForm('mpi', { launcher: 1, worker: { replicas: 2, resources: { gpu: 4 } } })))).toBe(4);
    expect(slotsPerWorker(resolved(shortForm('mpi', 2, { resources: { gpu: 8 }, nprocPerNode: '2' })))).toBe(2);
  });

  test('has one slot a worker without GPUs, as both upstream operators', () => {
    expect(slotsPerWorker(resolved(shortForm('mpi', 2, { resources: { cpu: '16' } })))).toBe(1);
    expect(slotsPerWorker(resolved(shortForm('mpi', 2)))).toBe(1);
  });

  test('has to fit into a ConfigMap', () => {
    expect(validateTrainingJob('net', shortForm('mpi', 9_999))).toEqual([]);
    const [violation, ...others] = validateTrainingJob('n'.repeat(50), shortForm('mpi', 9_999));
    expect(others).toEqual([]);
    expect(violation).toMatchObject({ path: 'spec.replicas', message: expect.stringContaining('too many for one hostfile') });
  });

  test('agrees with the slots that OpenMPI is told', () => {
    expect(environmentOf(shortForm('mpi', 2, { resources: { gpu: 8 } }), 'net-launcher').OMPI_MCA_orte_set_default_slots).toBe('8');
  });
});

test('DeepSpeed\'s own runner is told of the ssh settings too', () => {
  expect(environmentOf(shortForm('deepspeed', 2), 'net-launcher')).toMatchObject({
    PDSH_RCMD_TYPE: 'ssh', PDSH_SSH_ARGS_APPEND: '-F /etc/mpi/ssh_config',
  });
  expect(environmentOf(shortForm('horovod', 2), 'net-launcher')).not.toHaveProperty('PDSH_RCMD_TYPE');
});
