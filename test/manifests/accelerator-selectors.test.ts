/** Roles without devices are not held on the nodes of those that have some. */
import { nodeSelectorOf, withoutAcceleratorLabels } from '../../src/model/training-job/accelerator-labels';
import { resolveTrainingJob } from '../../src/model/training-job/replicas/resolve';
import type { TrainingJobSpec } from '../../src/model/training-job/spec';

const SELECTOR = { 'cloud.google.com/gke-accelerator': 'nvidia-l4', 'node.kubernetes.io/instance-type': 'g2-standard-8', 'disk': 'fast' };

function selectors(spec: Partial<TrainingJobSpec>): { [role: string]: object | undefined } {
  const job = resolveTrainingJob('job', { framework: 'mpi', image: 'i', replicas: 2, scheduling: { nodeSelector: SELECTOR }, ...spec });
  return Object.fromEntries(job.roles.map((role) => [role.name, nodeSelectorOf(job, role)]));
}

test('the launcher beside GPU workers goes where it likes, but for what the job says of all nodes', () => {
  expect(selectors({ resources: { gpu: 1, cpu: '4' } })).toEqual({ launcher: { disk: 'fast' }, worker: SELECTOR });
});

test('a job without any devices keeps its selector on every role', () => {
  expect(selectors({ resources: { cpu: '4' } })).toEqual({ launcher: SELECTOR, worker: SELECTOR });
});

test('a role that is given GPUs keeps the selector', () => {
  const spec = { replicas: undefined, roles: [{ name: 'launcher', resources: { gpu: 1 } }, { name: 'worker', replicas: 2 }], resources: { gpu: 1 } };
  expect(selectors(spec)).toEqual({ launcher: SELECTOR, worker: SELECTOR });
});

test('nothing is left of a selector that only speaks of accelerators', () => {
  expect(selectors({ resources: { gpu: 1 }, scheduling: { nodeSelector: { 'cloud.google.com/gke-accelerator': 'nvidia-l4' } } }).launcher).toBeUndefined();
});

test('a machine type alone says nothing of accelerators', () => {
  const labels = { 'node.kubernetes.io/instance-type': 'n2-standard-8' };
  expect(withoutAcceleratorLabels(labels)).toEqual(labels);
});
