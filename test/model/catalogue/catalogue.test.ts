import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { CATALOGUE, COMPONENT_NAMES, component, conflictsOf, providersOf, tryComponent } from '../../../src/model/catalogue/catalogue';
import { COMPATIBILITY_RULES } from '../../../src/model/catalogue/compatibility';
import { orderByWaves } from '../../../src/model/catalogue/order';
import { resolveComponents } from '../../../src/model/catalogue/resolve';
import { tryParseVersion } from '../../../src/model/catalogue/versions';

/** What the issue asks for, by the names of the catalogue. */
const ASKED_FOR = [
  'cert-manager', 'istio', 'managed-mesh', 'dex', 'oauth2-proxy', 'iap', 'knative-serving', 'kserve', 'pipelines', 'katib', 'trainer', 'training-operator-v1',
  'notebooks', 'tensorboard', 'central-dashboard', 'profiles', 'model-registry', 'spark-operator', 'kuberay', 'kueue', 'jobset', 'lws', 'volcano',
  'scheduler-plugins', 'keda', 'gpu-operator', 'node-feature-discovery', 'dcgm-exporter', 'kube-prometheus-stack', 'loki', 'fluent-bit', 'eck-operator', 'elastic-stack', 'mlflow',
  'external-secrets', 'trivy-operator', 'cluster-autoscaler', 'argo-cd', 'training-operator',
];

test('every component that a platform is asked for is there', () => {
  expect(ASKED_FOR.filter((name) => !COMPONENT_NAMES.includes(name))).toEqual([]);
});

test('names are there once, and are names of Kubernetes', () => {
  expect(new Set(COMPONENT_NAMES).size).toBe(CATALOGUE.length);
  expect(COMPONENT_NAMES.filter((name) => !/^[a-z][-a-z0-9]*[a-z0-9]$/.test(name))).toEqual([]);
});

test('what components need, follow or rule out is in the catalogue', () => {
  const capabilities = new Set([...COMPONENT_NAMES, ...CATALOGUE.flatMap(({ provides = [] }) => provides)]);
  const named = CATALOGUE.flatMap(({ needs = [], after = [], features = {} }) => (
    [...needs, ...after, ...Object.values(features).flatMap((feature) => feature.needs)]));
  expect(named.filter((name) => !capabilities.has(name))).toEqual([]);
  const inRules = COMPATIBILITY_RULES.flatMap(({ between }) => between.map((range) => range.component));
  expect(inRules.filter((name) => !COMPONENT_NAMES.includes(name))).toEqual([]);
});

test('nothing comes after itself: the whole catalogue has an order', () => {
  const edges = new Map(CATALOGUE.map(({ name, needs = [], after = [], features = {} }) => {
    const wanted = [...needs, ...after, ...Object.values(features).flatMap((feature) => feature.needs)];
    return [name, wanted.flatMap((capability) => providersOf(capability).map((provider) => provider.name)).filter((other) => other !== name)];
  }));
  const { waves, cycle } = orderByWaves(edges);
  expect(cycle).toEqual([]);
  expect(waves.flat().sort()).toEqual([...COMPONENT_NAMES].sort());
});

test.each(CATALOGUE.map((each) => [each.name, each] as const))('%s says where each part comes from, at a version that does not move', (_name, { parts, version, pin, namespace }) => {
  expect(parts.length).toBeGreaterThan(0);
  expect(new Set(parts.map(({ name }) => name)).size).toBe(parts.length);
  expect(version).not.toBe('');
  expect(pin.source).not.toBe('');
  expect(namespace).toMatch(/^[a-z][-a-z0-9]*$/);
  for (const { source } of parts) {
    if (source.kind === 'helm') {
      expect(source.repository).toMatch(/^(https|oci):\/\//);
      expect(tryParseVersion(source.version)).toHaveLength(3);
    } else if (source.kind === 'git') {
      expect(source.repository).toMatch(/^https:\/\/github\.com\/[^/]+\/[^/]+$/);
      expect(source.path).not.toMatch(/^\/|\/$|\.\./);
      expect(tryParseVersion(source.revision)).toBeDefined();
    }
  }
});

test('every component has its releases of Kubernetes, which are a range and say where they are read', () => {
  expect(CATALOGUE.filter(({ kubernetes }) => kubernetes === undefined).map(({ name }) => name)).toEqual([]);
  for (const { kubernetes } of CATALOGUE) {
    expect(kubernetes!.from).toMatch(/^1\.\d+$/);
    expect(kubernetes!.testedTo ?? '1.99').toMatch(/^1\.\d+$/);
    expect(kubernetes!.source).toContain('https://');
  }
});

test('components that cannot be together say so, both of them, and the resolver refuses them', () => {
  expect(conflictsOf(component('istio'))).toEqual(['managed-mesh']);
  expect(conflictsOf(component('loki'))).toEqual(['elastic-stack']);
  expect(conflictsOf(component('iap'))).toEqual(['oauth2-proxy']);
  expect(conflictsOf(component('mpi-operator'))).toEqual(['training-operator-v1']);
  expect(conflictsOf(component('dcgm-exporter'))).toEqual(['gpu-operator']);
  for (const one of CATALOGUE) {
    for (const other of conflictsOf(one)) {
      expect(conflictsOf(component(other))).toContain(one.name);
      const { violations } = resolveComponents({ components: [{ name: one.name }, { name: other }], environment: 'gke' });
      expect(violations.filter(({ message }) => /both|definition per name/.test(message))).not.toEqual([]);
    }
  }
});

test('every rule of two components has a reason, a fix and a source', () => {
  expect(new Set(COMPATIBILITY_RULES.map(({ id }) => id)).size).toBe(COMPATIBILITY_RULES.length);
  for (const { reason, fix, source } of COMPATIBILITY_RULES) {
    expect(reason).toMatch(/\w{3}/);
    expect(fix).toMatch(/\.$/);
    expect(source).toMatch(/^https:\/\//);
  }
});

describe('the definitions that tests have', () => {
  const folder = process.env.TRAINYARD_CRDS ?? path.join(__dirname, '..', '..', '..', '..', 'shared', 'crds');
  /** Folder of each component's definitions. Kubeflow's applications share one. */
  const FOLDERS: { readonly [component: string]: string } = {
    'cert-manager': 'cert-manager-v1.21.1', 'istio': 'istio-26.03', 'gateway-api': 'gateway-api-v1.6.1', 'knative-serving': 'knative-serving-v0.50.0',
    'jobset': 'jobset-v0.12.0', 'lws': 'lws-v0.10.0', 'trainer': 'kubeflow-trainer-v2.3.0', 'training-operator-v1': 'kubeflow-training-operator-v1.9.4',
    'mpi-operator': 'mpi-operator-v0.8.0', 'kuberay': 'kuberay-v1.7.0', 'spark-operator': 'spark-operator-v2.5.2', 'kueue': 'kueue-v0.19.2',
    'volcano': 'volcano-v1.15.1', 'keda': 'keda-v2.20.2', 'gpu-operator': 'gpu-operator-v26.7.0', 'node-feature-discovery': 'node-feature-discovery-v0.19.0',
    'kube-prometheus-stack': 'prometheus-operator-v0.93.0', 'external-secrets': 'external-secrets-v2.9.0', 'katib': 'katib-v0.19.0', 'pipelines': 'pipelines-26.03',
    'argo-cd': 'argo-cd-v3.5.1',
  };
  const present = existsSync(folder);

  (present ? test : test.skip).each(Object.entries(FOLDERS))('%s brings those of %s', (name, definitions) => {
    // TCPRoute and UDPRoute are of the experimental channel.
    const files = readdirSync(path.join(folder, definitions)).map((file) => file.replace('.yaml', '')).filter((file) => !/^(tcp|udp)routes/.test(file));
    expect(files.filter((file) => !component(name).crds.includes(file))).toEqual([]);
  });

  (present ? test : test.skip)('KServe\'s are split between its two controllers', () => {
    const both = [...component('kserve').crds, ...component('kserve-llm').crds];
    expect(readdirSync(path.join(folder, 'kserve-v0.20.0')).map((file) => file.replace('.yaml', '')).sort()).toEqual(both.sort());
  });
});

test('a name that is not there is undefined, or an error for those who know', () => {
  expect(tryComponent('istio-ambient')).toBeUndefined();
  expect(() => component('istio-ambient')).toThrow('No component \'istio-ambient\' in the catalogue.');
});
