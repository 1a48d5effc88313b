import path from 'node:path';
import { CATALOGUE, COMPONENT_NAMES, component, conflictsOf, tryComponent } from '../../../src/model/catalogue/catalogue';
import { COMPATIBILITY_RULES } from '../../../src/model/catalogue/compatibility';
import { orderByWaves, resolveComponents } from '../../../src/model/catalogue/resolve';
import { tryParseVersion } from '../../../src/model/catalogue/versions';
import { upstreamCrds } from '../../support/upstream-definitions';

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
    const providersOf = (capability: string) => CATALOGUE.filter((each) => each.name === capability || each.provides?.includes(capability));
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
  /** Where a system has another name than its component. Kubeflow's applications share one. */
  const SYSTEMS: { readonly [component: string]: string } = {
    'trainer': 'kubeflow-trainer', 'training-operator-v1': 'kubeflow-training-operator', 'kube-prometheus-stack': 'prometheus-operator',
  };
  const NAMES = [
    'cert-manager', 'istio', 'gateway-api', 'knative-serving', 'jobset', 'lws', 'trainer', 'training-operator-v1', 'mpi-operator', 'kuberay', 'spark-operator', 'kueue', 'volcano', 'keda',
    'gpu-operator', 'node-feature-discovery', 'kube-prometheus-stack', 'external-secrets', 'katib', 'pipelines', 'argo-cd',
  ];
  const definitionsOf = (name: string) => upstreamCrds(SYSTEMS[name] ?? name).map((file) => path.basename(file, '.yaml'));

  test.each(NAMES)('%s brings those of its system', (name) => {
    // TCPRoute and UDPRoute are of the experimental channel.
    const definitions = definitionsOf(name).filter((definition) => !/^(tcp|udp)routes/.test(definition));
    expect(definitions.length).toBeGreaterThan(0);
    expect(definitions.filter((definition) => !component(name).crds.includes(definition))).toEqual([]);
  });

  test('KServe\'s are split between its two controllers', () => {
    expect(definitionsOf('kserve')).toEqual([...component('kserve').crds, ...component('kserve-llm').crds].sort());
  });
});

test('a name that is not there is undefined, or an error for those who know', () => {
  expect(tryComponent('istio-ambient')).toBeUndefined();
  expect(() => component('istio-ambient')).toThrow('No component \'istio-ambient\' in the catalogue.');
});

// Read from the manifests of Kubeflow 26.03 and of mpi-operator: roles with an aggregationRule, or with an empty list of rules.
test.each<[string, string[]]>([
  ['kubeflow-base', ['kubeflow-admin', 'kubeflow-edit', 'kubeflow-view']],
  ['kubeflow-gateway', ['kubeflow-istio-admin']],
  ['pod-defaults', ['admission-webhook-kubeflow-poddefaults-admin', 'admission-webhook-kubeflow-poddefaults-edit']],
  ['notebooks', ['notebook-controller-kubeflow-notebooks-admin', 'jupyter-web-app-kubeflow-notebook-ui-admin', 'volumes-web-app-kubeflow-volume-ui-admin']],
  ['tensorboard', ['tensorboards-web-app-kubeflow-tensorboard-ui-admin']],
  ['pipelines', ['kubeflow-pipelines-edit', 'kubeflow-pipelines-view']],
  ['katib', ['kubeflow-katib-admin']],
  ['training-operator-v1', ['kubeflow-training-admin']],
  ['mpi-operator', ['kubeflow-mpijobs-admin']],
  ['knative-serving', ['knative-serving-admin', 'knative-serving-aggregated-addressable-resolver']],
])('the rules of aggregated roles of %s belong to Kubernetes', (name, roles) => {
  const owned = (component(name).ownedByControllers ?? []).filter(({ kind, pointers }) => kind === 'ClusterRole' && pointers?.includes('/rules'));
  expect(owned.map((fields) => fields.name)).toEqual(roles);
});
