/** Capacity of a job: its class, where its pods go, and what of it contradicts the choices. */
import { App, Chart, Testing } from 'cdk8s';
import { Accelerator, Engine, Framework, Gpu, TolerationEffect, TrainingJob, type TrainingJobProps } from '../../../../src';
import { Capacity, GkeClusterReference, GpuComputeClass, GpuNodePool, GpuResourceFlavors, JobCapacity } from '../../../../src/constructs/gke';
import { Workspace } from '../../../../src/constructs/workbench';
import { errorsOf } from '../../../support/synth-errors';

const H100 = Accelerator.NVIDIA_H100_80GB.onMachine('a3-highgpu-8g');
const A100 = Accelerator.NVIDIA_A100_80GB.onMachine('a2-ultragpu-8g');
const CLASS = 'cloud.google.com/compute-class';
const BOTH = JobCapacity.preferences({ anyOf: [H100, A100], capacity: [Capacity.SPOT, Capacity.ON_DEMAND] });
const selectorOf = (name: string) => ({ nodeSelector: { [CLASS]: name }, tolerations: [{ key: CLASS, operator: 'Equal', value: name }] });

function job(chart: Chart, props: Partial<TrainingJobProps>): TrainingJob {
  return new TrainingJob(chart, 'Train', { metadata: { name: 'train' }, framework: Framework.pytorch(), image: 'i', replicas: 2, resources: { gpu: Gpu.nvidia(8) }, ...props });
}

function problems(build: (chart: Chart) => void): string[] {
  const app = new App();
  build(new Chart(app, 'chart', { namespace: 'ml' }));
  return errorsOf(app);
}

function synth(props: Partial<TrainingJobProps>, namespace?: string) {
  const chart = new Chart(Testing.app(), 'chart', { namespace });
  const made = job(chart, props);
  return { made, manifests: Testing.synth(chart) };
}

test('a job makes a class of its preferences, in their order, before itself, and selects it', () => {
  const { made, manifests } = synth({ capacity: BOTH }, 'ml');
  expect(manifests.map(({ kind, metadata }) => [kind, metadata])).toEqual([
    ['ComputeClass', { name: 'ml-train' }], ['MLTrainingJob', { name: 'train', namespace: 'ml' }],
  ]);
  const [{ spec }, train] = manifests;
  expect(spec.priorities.map(({ machineType, spot = false }: { machineType: string; spot?: boolean }) => [machineType, spot])).toEqual([
    ['a3-highgpu-8g', true], ['a2-ultragpu-8g', true], ['a3-highgpu-8g', false], ['a2-ultragpu-8g', false],
  ]);
  expect(train.spec.scheduling).toEqual(selectorOf('ml-train'));
  expect(made.computeClass?.name).toBe('ml-train');
  expect(problems((chart) => void job(chart, { capacity: BOTH }))).toEqual([]);
});

test('the class has all options of a ComputeClass, prices among them, and the job tolerates the taints of its own nodes', () => {
  const price = (capacity: Capacity, perHour: number) => ({ machineType: 'a3-highgpu-8g', capacity, perHour });
  const { made, manifests: [{ metadata, spec }, train] } = synth({
    scheduling: { nodeSelector: { zone: 'a' }, tolerations: [{ key: 'other' }] },
    capacity: JobCapacity.preferences({
      name: 'mine', accelerator: H100, capacity: [Capacity.SPOT, Capacity.ON_DEMAND], prices: [price(Capacity.SPOT, 30), price(Capacity.ON_DEMAND, 90)], maxPrice: 60,
      taints: [{ key: 'team', value: 'a' }], moveUp: true,
    }),
  });
  expect(metadata).toEqual({ name: 'mine' });
  expect(spec).toMatchObject({
    description: '1. spot a3-highgpu-8g, 30 an hour. Left out for their price: on demand a3-highgpu-8g, 90 an hour', activeMigration: { optimizeRulePriority: true },
  });
  expect(made.computeClass?.leftOut).toEqual(['on demand a3-highgpu-8g, 90 an hour']);
  expect(train.spec.scheduling).toEqual({
    nodeSelector: { [CLASS]: 'mine', zone: 'a' },
    tolerations: [{ key: 'other', operator: 'Exists' }, { key: CLASS, operator: 'Equal', value: 'mine' }, { key: 'team', operator: 'Equal', value: 'a', effect: 'NoSchedule' }],
  });
});

test('jobs share a class, and select some of its choices by their accelerators', () => {
  const app = new App();
  const chart = new Chart(app, 'chart', { namespace: 'ml' });
  const fast = new GpuComputeClass(chart, 'Fast', { name: 'fast', anyOf: [H100, A100], capacity: [Capacity.SPOT] });
  const capacity = JobCapacity.shared(fast);
  const train = job(chart, { capacity, resources: undefined, accelerator: Accelerator.NVIDIA_H100_80GB.count(8) });
  new TrainingJob(chart, 'Other', { metadata: { name: 'other' }, framework: Framework.pytorch(), image: 'i', replicas: 1, resources: { gpu: Gpu.nvidia(4) }, capacity });
  expect(errorsOf(app)).toEqual([]);
  const manifests = Testing.synth(chart);
  expect(manifests.map(({ kind }) => kind)).toEqual(['ComputeClass', 'MLTrainingJob', 'MLTrainingJob']);
  expect(manifests[1].spec.scheduling.nodeSelector).toEqual({ [CLASS]: 'fast', 'cloud.google.com/gke-accelerator': 'nvidia-h100-80gb' });
  expect(manifests[2].spec.scheduling).toEqual(selectorOf('fast'));
  expect(train.computeClass).toBe(fast);
});

test('a class may be of pools that are there', () => {
  const chart = Testing.chart();
  const pool = new GpuNodePool(chart, 'Pool', { name: 'h100', cluster: GkeClusterReference.named('ml', { location: 'us-central1' }), accelerator: H100, computeClass: 'train' });
  job(chart, { capacity: JobCapacity.preferences({ pools: [pool] }) });
  const manifests = Testing.synth(chart);
  expect(manifests.find(({ kind }) => kind === 'ComputeClass')).toMatchObject({ metadata: { name: 'train' }, spec: { priorities: [{ nodepools: ['h100'] }] } });
});

test('its flavors are in the same order', () => {
  const chart = Testing.chart();
  const { computeClass } = job(chart, { capacity: BOTH });
  expect(new GpuResourceFlavors(chart, 'Flavors', { computeClass }).flavorNames).toEqual([
    'train-spot-h100-80gb', 'train-spot-a100-80gb', 'train-on-demand-h100-80gb', 'train-on-demand-a100-80gb',
  ]);
});

test('parameter servers and helpers without accelerators stay off the nodes', () => {
  const chart = new Chart(Testing.app(), 'chart');
  const train = job(chart, {
    framework: Framework.tensorflow(), replicas: undefined, resources: undefined, capacity: BOTH,
    roles: [{ name: 'worker', replicas: 2, resources: { gpu: Gpu.nvidia(8) } }], helpers: [{ name: 'feeder', command: ['feed'] }],
  });
  train.addRole({ name: 'ps', replicas: 1, resources: {} });
  const { spec } = Testing.synth(chart)[1];
  expect(spec.scheduling).toBeUndefined();
  expect(spec.roles.map(({ name, template }: { name: string; template?: object }) => [name, template])).toEqual([['worker', { spec: selectorOf('train') }], ['ps', undefined]]);
  expect(spec.helpers[0].template).toBeUndefined();
});

test('the short form is spelled out where its helpers stay off the nodes', () => {
  const { manifests } = synth({ capacity: BOTH, helpers: [{ name: 'feeder', command: ['feed'] }] });
  const { spec } = manifests[1];
  expect([spec.replicas, spec.scheduling, spec.roles.map(({ template }: { template: object }) => template)]).toEqual([
    undefined, undefined, spec.roles.map(() => ({ spec: selectorOf('train') })),
  ]);
});

test('arm64 nodes are tolerated', () => {
  const { manifests } = synth({ resources: { gpu: Gpu.nvidia(4) }, capacity: JobCapacity.preferences({ accelerator: Accelerator.NVIDIA_GB200, placementPolicy: 'nvl', capacity: [Capacity.SPOT] }) });
  expect(manifests[1].spec.scheduling.tolerations).toContainEqual({ key: 'kubernetes.io/arch', operator: 'Equal', value: 'arm64', effect: 'NoSchedule' });
});

test('every engine gets it', () => {
  const { manifests } = synth({ capacity: BOTH, engine: Engine.jobSet() });
  expect(JSON.stringify(manifests[1])).toContain(JSON.stringify({ [CLASS]: 'train' }));
});

test('a workspace of the job uses the class of the job', () => {
  const chart = Testing.chart();
  Workspace.of(job(chart, { capacity: BOTH }));
  const manifests = Testing.synth(chart);
  expect(manifests.filter(({ kind }) => kind === 'ComputeClass').map(({ metadata }) => metadata.name)).toEqual(['train']);
});

test('a long name of namespace and job becomes a shorter one', () => {
  const name = 'a'.repeat(40);
  const { manifests: [{ metadata }] } = synth({ metadata: { name }, capacity: BOTH }, 'n'.repeat(40));
  expect(metadata.name.length).toBeLessThanOrEqual(63);
  expect(metadata.name).toMatch(/^[a-z0-9-]+$/);
});

test.each<[string, Partial<TrainingJobProps>, string]>([
  ['an accelerator that a choice has not', { capacity: BOTH, resources: undefined, accelerator: Accelerator.NVIDIA_H100_80GB.count(8) },
    'accelerator: "nvidia-h100-80gb": contradicts the capacity: it selects cloud.google.com/gke-accelerator=nvidia-h100-80gb, and choice 2 (spot a2-ultragpu-8g) has nvidia-a100-80gb, '
    + 'choice 4 (on demand a2-ultragpu-8g) has nvidia-a100-80gb. Give only the number (resources: { gpu: Gpu.nvidia(8) }), or remove the choice.'],
  ['a label that a choice has not', { capacity: BOTH, scheduling: { nodeSelector: { 'cloud.google.com/gke-provisioning': 'spot' } } },
    'scheduling.nodeSelector[\'cloud.google.com/gke-provisioning\']: "spot": contradicts the capacity: choice 3 (on demand a3-highgpu-8g) has standard, choice 4 (on demand a2-ultragpu-8g) has standard. '
    + 'The job would never run there. Remove the label, or remove the choice.'],
  ['another class', { capacity: BOTH, scheduling: { nodeSelector: { [CLASS]: 'other' } } }, `scheduling.nodeSelector['${CLASS}']: "other": contradicts the capacity: choice 1 (spot a3-highgpu-8g) has ml-train`],
  ['more GPUs than a node has', { capacity: BOTH, resources: { gpu: Gpu.nvidia(16) } },
    'resources.gpu: 16: is more GPUs than a node has: choice 1 (spot a3-highgpu-8g) has 8'],
  ['no GPUs', { capacity: BOTH, resources: {} }, 'capacity: applies to nodes with accelerators, but no pod of the job requests one. Request them: resources: { gpu: Gpu.nvidia(8) }, or remove the capacity.'],
  ['GPUs on a slice of TPUs', { capacity: JobCapacity.preferences({ accelerator: Accelerator.tpuV6e('4x4'), capacity: [Capacity.SPOT] }) }, 'resources.gpu: 8: is more GPUs than a node has: choice 1 (spot ct6e-standard-4t) has 0'],
])('is refused for %s', (_what, props, message) => {
  const found = problems((chart) => void job(chart, props));
  expect(found).toHaveLength(1);
  expect(found[0]).toContain(`TrainingJob 'train': ${message}`);
});

test('is refused for a role whose template selects what no choice is', () => {
  const found = problems((chart) => void job(chart, {
    replicas: undefined, resources: undefined, capacity: BOTH,
    roles: [{ name: 'worker', replicas: 2, resources: { gpu: Gpu.nvidia(8) }, podTemplate: { spec: { nodeSelector: { 'cloud.google.com/gke-accelerator': 'nvidia-l4' } } } }],
  }));
  expect(found).toEqual([expect.stringContaining('roles[0].podTemplate.spec.nodeSelector[\'cloud.google.com/gke-accelerator\']: "nvidia-l4": contradicts the capacity: choice 1')]);
});

test('is refused for an accelerator that no choice of a shared class has', () => {
  const found = problems((chart) => {
    const fast = new GpuComputeClass(chart, 'Fast', { name: 'fast', anyOf: [H100, A100] });
    job(chart, { capacity: JobCapacity.shared(fast), resources: undefined, accelerator: Accelerator.NVIDIA_H200_141GB.count(8) });
  });
  expect(found).toEqual([expect.stringContaining('accelerator: "nvidia-h200-141gb": contradicts the capacity: it selects cloud.google.com/gke-accelerator=nvidia-h200-141gb, and choice 1 (on demand a3-highgpu-8g) has')]);
  expect(found[0]).toContain("or use another class than 'fast'");
});

test('a class tells what is wrong with itself, and a name that is no label', () => {
  const found = problems((chart) => void job(chart, { capacity: JobCapacity.preferences({ name: 'Mine', capacity: [Capacity.SPOT] }) }));
  expect(found).toEqual([expect.stringContaining('GpuComputeClass \'Mine\': name: "Mine": must be lower-case letters'), expect.stringContaining('pool.accelerator: is required, or anyOf.')]);
});

test('effects of tolerations are those of the taints', () => {
  const { manifests } = synth({ capacity: BOTH, scheduling: { tolerations: [{ key: CLASS, value: 'train', effect: TolerationEffect.NO_SCHEDULE }] } });
  expect(manifests[1].spec.scheduling.tolerations).toEqual([{ key: CLASS, operator: 'Equal', value: 'train', effect: 'NoSchedule' }]);
});
