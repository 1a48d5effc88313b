/**
 * Objects of the GPU operator and of node feature discovery, accepted by the real API server with their definitions, strictly and without a warning.
 */
import { Chart, Testing } from 'cdk8s';
import { Accelerator, Engine, Framework, GpuSharing, MigSize, MigStrategy, TolerationEffect, TrainingJob } from '../../../src';
import {
  DevicePluginConfig, DevicePluginSharing, FeatureMatch, FeatureValue, GpuOperatorPolicy, MigLayout, MigPartedConfig, NodeFeatureRule,
} from '../../../src/constructs/gpu-operator';
import { upstreamCrds } from '../../support/upstream-definitions';
import type { TestObject } from '../support/cluster';
import { installCrds } from '../support/crds';
import { createNamespace, deleteNamespace } from '../support/namespace';
import { objectionsTo } from '../support/submit';

const COLLECTIONS: { readonly [kind: string]: string } = {
  ClusterPolicy: '/apis/nvidia.com/v1/clusterpolicies',
  NodeFeatureRule: '/apis/nfd.k8s-sigs.io/v1alpha1/nodefeaturerules',
  ConfigMap: '/api/v1/namespaces/NAMESPACE/configmaps',
  Job: '/apis/batch/v1/namespaces/NAMESPACE/jobs',
};

let namespace: string;

beforeAll(async () => {
  namespace = await createNamespace('gpu-operator');
  await installCrds(upstreamCrds('gpu-operator', 'node-feature-discovery').filter((file) => /clusterpolicies|nodefeaturerules/.test(file)));
});
afterAll(async () => deleteNamespace(namespace));

const policy = (chart: Chart) => {
  const devicePluginConfig = new DevicePluginConfig(chart, 'Plugin', { configs: { a: { migStrategy: MigStrategy.MIXED, sharing: DevicePluginSharing.timeSlicing().gpus(4) } }, defaultConfig: 'a' });
  const migConfig = new MigPartedConfig(chart, 'Mig', { configs: { b: [MigLayout.of({ '1g.10gb': 7 })] } });
  new GpuOperatorPolicy(chart, 'Policy', {
    devicePluginConfig, migConfig, migStrategy: MigStrategy.MIXED, driver: { version: '580.95.05' }, kernelModuleType: 'open', toolkit: { enabled: false }, dcgm: {}, serviceMonitor: true,
    nodeStatusExporter: {}, cdi: true, tolerations: [{ key: 'team', effect: TolerationEffect.NO_SCHEDULE }],
  });
};

const PROGRAMS: readonly (readonly [string, (chart: Chart) => void])[] = [
  ['the least policy', (chart) => void new GpuOperatorPolicy(chart, 'Policy')],
  ['a policy with everything', policy],
  ['rules of node feature discovery', (chart) => void new NodeFeatureRule(chart, 'Rule', {
    rules: {
      all: {
        labels: { 'example.com/a': '1' }, annotations: { 'example.com/b': '2' }, taints: [{ key: 'example.com/c', value: 'd', effect: 'NoSchedule' }], extendedResources: { 'example.com/e': '4' },
        allOf: [FeatureMatch.pciDevice('10de'), FeatureMatch.named('kernel.loadedmodule', FeatureValue.matches('^nvidia'))],
        anyOf: [FeatureMatch.of('kernel.version', { major: FeatureValue.between(5, 6) }), FeatureMatch.of('cpu.cpuid', { AVX512F: FeatureValue.EXISTS })],
      },
    },
  })],
  ['a job with shares of partitions', (chart) => void new TrainingJob(chart, 'Job', {
    framework: Framework.pytorch(), image: 'i', command: ['train'], replicas: 2, engine: Engine.job(),
    accelerator: Accelerator.product('NVIDIA-H100-80GB-HBM3').partitioned(MigSize.MIG_1G_10GB).shared(GpuSharing.timeSharing(3)).count(1),
  })],
];

function synthesize(program: (chart: Chart) => void): TestObject[] {
  const chart = new Chart(Testing.app(), 'test', { namespace });
  program(chart);
  return (Testing.synth(chart) as TestObject[]).filter(({ kind }) => Object.hasOwn(COLLECTIONS, kind!));
}

const objections = (objects: readonly TestObject[]) => objectionsTo(objects, ({ kind }) => COLLECTIONS[kind!].replace('NAMESPACE', namespace));

describe('the API server accepts, strictly and without a warning,', () => {
  test.each(PROGRAMS)('%s', async (_title, program) => {
    const objects = synthesize(program);
    expect(objects.length).toBeGreaterThan(0);
    expect(await objections(objects)).toEqual([]);
  });

  test('and refuses a field that is none, and a default of the MIG manager beside its own', async () => {
    const object = synthesize(policy).find(({ kind }) => kind === 'ClusterPolicy') as TestObject & { readonly spec: { readonly migManager: object } };
    const wrong = (spec: object) => ({ ...object, spec: { ...object.spec, ...spec } }) as TestObject;
    expect(await objections([wrong({ gpuFeatureDiscovery: {} })])).toEqual([expect.stringContaining('unknown field "spec.gpuFeatureDiscovery"')]);
    expect(await objections([wrong({ migManager: { config: { name: 'm', default: 'all-small' } } })])).toEqual([expect.stringContaining('spec.migManager.config.default')]);
  });
});
