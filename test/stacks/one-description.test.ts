/** One props object, as cdk8s constructs take it, is what Pulumi makes too. */
import { App, Chart } from 'cdk8s';
import { TaintEffect } from 'cdk8s-plus-28';
import { late, settled, startRecording, valueOf } from './support/mocks';
import { Accelerator, GpuSharing, MigSize } from '../../src';
import {
  Capacity, GkeClusterReference, GpuComputeClass, GpuNodePool as ConfigConnectorPool, NodeCount, NodePoolDescription, type GpuNodePoolProps,
} from '../../src/constructs/gke';
import { GpuNodePool, TrainingStack } from '../../src/stacks';
import { meaningOfNodePool, meaningOfPriority, type Fields } from '../constructs/gke/node-pools/support/pool-meanings';

const POOL = 'gcp:container/nodePool:NodePool';
const ELSEWHERE = { name: 'ml', location: 'us-central1', project: 'ml-test' };

const H100: GpuNodePoolProps = {
  name: 'h100',
  accelerator: Accelerator.NVIDIA_H100_80GB.onMachine('a3-highgpu-8g').partitioned(MigSize.MIG_1G_10GB).shared(GpuSharing.timeSharing(3)),
  capacity: [Capacity.reservation('h100-2026', { project: 'shared' }), Capacity.SPOT, Capacity.ON_DEMAND],
  size: NodeCount.total(1, 8).inAnyZone(),
  zones: ['us-central1-a', 'us-central1-c'],
  labels: { tier: 'train' },
  taints: [{ key: 'team', value: 'vision' }, { key: 'slow', effect: TaintEffect.PREFER_NO_SCHEDULE }],
};

afterEach(() => jest.restoreAllMocks());

test('Config Connector, ComputeClass and Pulumi get machine, counts, labels, taints and autoscaling from one object', async () => {
  const recorder = await startRecording();
  const pools = GpuNodePool.fromDescription(NodePoolDescription.of(H100), { cluster: ELSEWHERE });
  const app = new App();
  const chart = new Chart(app, 'pools');
  new ConfigConnectorPool(chart, 'Pool', { cluster: GkeClusterReference.named('ml', { location: 'us-central1' }), ...H100 });
  const classes = new Chart(app, 'classes');
  new GpuComputeClass(classes, 'Class', H100);
  await settled();

  const objects = chart.toJson() as Fields[];
  expect(await Promise.all(pools.map(({ name }) => valueOf(name)))).toEqual(objects.map(({ metadata }) => metadata.name as string));
  const made = objects.map(({ metadata }) => recorder.of(POOL).find(({ name }) => name === metadata.name)!.inputs);
  const ofPulumi = made.map((inputs) => meaningOfNodePool(inputs, { guests: 'guestAccelerators', taints: 'taints' }));
  expect(objects.map(({ spec }) => meaningOfNodePool(spec, { guests: 'guestAccelerator', taints: 'taint' }))).toEqual(ofPulumi);
  expect(meaningOfPriority(classes.toJson()[0].spec)).toEqual({ priorities: ofPulumi.map(({ autoscaling: _, ...meaning }) => meaning), minimum: 1 });
  expect(ofPulumi).toEqual(['reservation', 'spot', 'onDemand'].map((way) => expect.objectContaining({
    way, machine: 'a3-highgpu-8g', accelerator: 'nvidia-h100-80gb', count: 8, partition: '1g.10gb', sharing: ['TIME_SHARING', 3], labels: { tier: 'train' },
    taints: ['team=vision:NoSchedule', 'slow=:PreferNoSchedule'], autoscaling: { totalMinNodeCount: 1, totalMaxNodeCount: 8, locationPolicy: 'ANY' },
  })));
});

test('fields that are outputs replace those of the description', async () => {
  const recorder = await startRecording();
  const description = NodePoolDescription.of({ ...H100, capacity: [Capacity.SPOT], serviceAccount: 'other@ml-test.iam.gserviceaccount.com' });
  GpuNodePool.fromDescription(description, { cluster: ELSEWHERE, serviceAccount: late('nodes@ml-test.iam.gserviceaccount.com') });
  await settled();
  const { name, inputs } = recorder.one(POOL);
  expect([name, inputs.name, inputs.nodeConfig.spot, inputs.nodeConfig.serviceAccount]).toEqual(['h100', 'h100', true, 'nodes@ml-test.iam.gserviceaccount.com']);
});

test('a stack takes the pools of a description, flex-start ones too', async () => {
  const recorder = await startRecording();
  const description = NodePoolDescription.of({ ...H100, capacity: [Capacity.SPOT, Capacity.flexStart()] });
  new TrainingStack('ml', { project: 'ml-test', location: 'us-central1', pools: GpuNodePool.argsOf(description) });
  await settled();
  const made = recorder.of(POOL).map(({ name, inputs }) => [name, inputs.name, inputs.nodeConfig.spot, inputs.nodeConfig.flexStart]);
  expect(made).toEqual(expect.arrayContaining([['ml-h100-spot', 'h100-spot', true, undefined], ['ml-h100-flex', 'h100-flex', undefined, true]]));
});

test('what is left out for its price is told', async () => {
  const recorder = await startRecording();
  const logged: string[] = [];
  const { log } = jest.requireActual<typeof import('@pulumi/pulumi')>('@pulumi/pulumi');
  jest.spyOn(log, 'info').mockImplementation((text) => {
    logged.push(text);
    return Promise.resolve();
  });
  const machineType = 'a3-highgpu-8g';
  const prices = [{ machineType, capacity: Capacity.SPOT, perHour: 30 }, { machineType, capacity: Capacity.ON_DEMAND, perHour: 90 }];
  const description = NodePoolDescription.of({ ...H100, capacity: [Capacity.SPOT, Capacity.ON_DEMAND], maxPrice: 60, prices });
  GpuNodePool.fromDescription(description, { cluster: ELSEWHERE });
  await settled();
  expect(recorder.of(POOL).map(({ name }) => name)).toEqual(['h100-spot']);
  expect(logged).toEqual(['GpuNodePool: left out because of its price: on demand a3-highgpu-8g, 90 an hour']);
});
