import { PodAddressBook } from '../../../../src/model/frameworks/address-book';
import { needsPeerService } from '../../../../src/model/training-job/replicas/replicas';
import type { TrainingJobSpec } from '../../../../src/model/training-job/spec';
import { tpuEnvironment, tpuSlicesOf } from '../../../../src/model/training-job/replicas/tpu-slices';
import { validateTrainingJob } from '../../../../src/model/training-job/validation/validation';
import { environmentOf, longForm, resolved, shortForm } from '../../jobs';

const LABELS = { 'cloud.google.com/gke-tpu-accelerator': 'tpu-v5-lite-podslice', 'cloud.google.com/gke-tpu-topology': '4x4' };
const TPU: Partial<TrainingJobSpec> = { resources: { tpu: 4 }, scheduling: { nodeSelector: LABELS } };

const slice = (from: number) => [0, 1, 2, 3].map((index) => `net-worker-${from + index}.net`).join(',');

describe('replicas on a TPU slice of four hosts', () => {
  const spec = shortForm('jax', 4, TPU);

  test('know their number and the hosts of the slice, and of no other', () => {
    expect([0, 1, 2, 3].map((index) => environmentOf(spec, `net-worker-${index}`))).toMatchObject(
      ['0', '1', '2', '3'].map((index) => ({ TPU_WORKER_ID: index, TPU_WORKER_HOSTNAMES: slice(0), RANK: index, JAX_PROCESS_ID: index })),
    );
    expect(Object.keys(environmentOf(spec, 'net-worker-0')).filter((name) => name.startsWith('MEGASCALE'))).toEqual([]);
  });

  test('may be told something else by the job', () => {
    const own = { ...spec, env: [{ name: 'TPU_WORKER_ID', value: '7' }] };
    expect(validateTrainingJob('net', own)).toEqual([]);
    expect(environmentOf(own, 'net-worker-1').TPU_WORKER_ID).toBe('7');
  });

  test('are selected by a template as well as by the job', () => {
    expect(tpuSlicesOf(resolved(shortForm('jax', 4, { resources: { tpu: 4 }, template: { spec: { nodeSelector: LABELS } } })))).toHaveLength(1);
  });
});

test('replicas on two slices know which is theirs, and where the slices meet; ranks count through both', () => {
  const environments = Array.from({ length: 8 }, (_, index) => environmentOf(shortForm('jax', 8, TPU), `net-worker-${index}`));
  expect(environments).toMatchObject(environments.map((_environment, index) => ({
    TPU_WORKER_ID: String(index % 4),
    TPU_WORKER_HOSTNAMES: slice(index < 4 ? 0 : 4),
    MEGASCALE_COORDINATOR_ADDRESS: 'net-worker-0.net',
    MEGASCALE_NUM_SLICES: '2',
    MEGASCALE_SLICE_ID: index < 4 ? '0' : '1',
    RANK: String(index),
    JAX_NUM_PROCESSES: '8',
  })));
});

test('a master and its workers are hosts of one slice, and each has a name of its own', () => {
  const job = resolved(shortForm('pytorch', 4, TPU));
  expect(tpuSlicesOf(job)).toMatchObject([{ hosts: 4, count: 1, first: 0 }]);
  expect(needsPeerService(job)).toBe(true);
  expect(environmentOf(shortForm('pytorch', 4, TPU), 'net-worker-2')).toMatchObject({
    TPU_WORKER_ID: '3', TPU_WORKER_HOSTNAMES: 'net-master,net-worker-0.net,net-worker-1.net,net-worker-2.net',
  });
});

test('roles on other slices are counted by themselves, and those without TPUs are no hosts', () => {
  const template = { spec: { nodeSelector: { ...LABELS, 'cloud.google.com/gke-tpu-topology': '2x4' } } };
  const job = resolved(longForm('plain', {
    actor: { replicas: 4, template }, learner: 4, store: { replicas: 1, resources: { cpu: '1' } },
  }, TPU));
  expect(tpuSlicesOf(job)).toMatchObject([{ topology: '2x4', hosts: 2, count: 2, first: 0 }, { topology: '4x4', hosts: 4, count: 1, first: 2 }]);
  const addresses = new PodAddressBook('net');
  expect(tpuEnvironment({ job, replica: job.replicas.find(({ role }) => role === 'store')!, addresses })).toEqual([]);
});

test.each([
  ['one host is the whole slice', shortForm('jax', 2, { ...TPU, resources: { tpu: 8 }, scheduling: { nodeSelector: { ...LABELS, 'cloud.google.com/gke-tpu-topology': '2x4' } } })],
  ['a slice would be incomplete', shortForm('jax', 6, TPU)],
  ['nobody says which slice it is', shortForm('jax', 4, { resources: { tpu: 4 } })],
  ['the number of replicas changes', shortForm('pytorch', 4, { ...TPU, elastic: { minReplicas: 4, maxReplicas: 8 } })],
  ['there are no TPUs', shortForm('jax', 4, { resources: { gpu: 4 }, scheduling: { nodeSelector: LABELS } })],
])('there is nothing to know where %s', (_why, spec) => {
  const job = resolved(spec);
  expect(tpuSlicesOf(job)).toEqual([]);
  expect(tpuEnvironment({ job, replica: job.replicas[0], addresses: new PodAddressBook('net') })).toEqual([]);
});
