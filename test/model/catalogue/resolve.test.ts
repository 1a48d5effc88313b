import * as fc from 'fast-check';
import { CATALOGUE, component } from '../../../src/model/catalogue/catalogue';
import { PRESET_NAMES, presetComponents, type PresetOptions } from '../../../src/model/catalogue/presets';
import { resolveComponents, type ComponentSelection, type SelectedComponent } from '../../../src/model/catalogue/resolve';
import type { CatalogueComponent, PlatformEnvironment } from '../../../src/model/catalogue/types';
import { formatViolation } from '../../../src/model/violations';

const select = (...names: string[]): SelectedComponent[] => names.map((name) => ({ name }));
const errorsOf = (components: SelectedComponent[], more: Partial<ComponentSelection> = {}) => (
  resolveComponents({ components, ...more }).violations.map(formatViolation));
const warningsOf = (components: SelectedComponent[], more: Partial<ComponentSelection> = {}) => (
  resolveComponents({ components, ...more }).warnings.map(formatViolation));

test('components come in waves, each after what it needs', () => {
  expect(resolveComponents({ components: select('kserve', 'trainer', 'jobset', 'cert-manager', 'kueue') }).waves).toEqual([
    ['cert-manager', 'jobset'], ['kserve', 'trainer'], ['kueue'],
  ]);
});

test('what a component comes after is told beside the waves', () => {
  const { after } = resolveComponents({ components: select('kueue', 'trainer', 'jobset') });
  expect([...after]).toEqual([['kueue', ['jobset', 'trainer']], ['trainer', ['jobset']], ['jobset', []]]);
});

test('what the environment has is not installed, and serves others', () => {
  const gke = resolveComponents({ components: select('gateway-api', 'cert-manager', 'lws', 'kserve', 'kserve-llm'), environment: 'gke' });
  expect(gke).toMatchObject({ builtIn: ['gateway-api'], violations: [] });
  expect(gke.waves.flat()).not.toContain('gateway-api');
  expect(errorsOf(select('cert-manager', 'lws', 'kserve', 'kserve-llm'), { environment: 'gke' })).toEqual([]);
  expect(errorsOf(select('cert-manager', 'lws', 'kserve', 'kserve-llm'), { environment: 'kind' })).toEqual([
    'components.kserve-llm: "gateway-api": is needed but missing. Add \'gateway-api\'.',
  ]);
});

test('what the cluster has already is not installed, and serves others', () => {
  const { waves, violations } = resolveComponents({ components: select('kserve'), existing: select('cert-manager') });
  expect({ waves, violations }).toEqual({ waves: [['kserve']], violations: [] });
});

describe('a platform is refused for', () => {
  test.each<readonly [string, SelectedComponent[], Partial<ComponentSelection>, RegExp]>([
    ['a component that is missing', select('trainer'), {}, /^components\.trainer: "jobset": is needed but missing\. Add 'jobset'\.$/],
    ['nobody in front of the pipelines', select('pipelines', 'kubeflow-base', 'kubeflow-gateway', 'profiles', 'cert-manager', 'istio'), { environment: 'gke' },
      /"authentication": is needed but missing\. Add one of 'oauth2-proxy', 'iap'\.$/],
    ['only what the environment can have', select('central-dashboard'), { environment: 'kind' }, /"authentication": is needed but missing\. Add 'oauth2-proxy'\.$/],
    ['Knative\'s mode without Knative', [{ name: 'kserve', features: ['knative'] }, ...select('cert-manager', 'istio')], {},
      /^components\.kserve: "knative-serving": is needed for services in Knative's mode: scale to zero, revisions but missing\. Add 'knative-serving'\.$/],
    ['Knative\'s mode without Istio', [{ name: 'kserve', features: ['knative'] }, ...select('cert-manager', 'knative-serving')], {}, /"istio": is needed for services in Knative's mode/],
    ['a feature that is none', [{ name: 'kserve', features: ['serverless'] }, ...select('cert-manager')], {}, /"serverless": is not one of its features: knative, gatewayApi, keda\.$/],
    ['a feature of what has none', [{ name: 'jobset', features: ['x'] }], {}, /"x": is not a feature: this component has none\.$/],
    ['a slip of the finger', select('cert-manger'), {}, /^components\.cert-manger: "cert-manger": is not a component of the catalogue\. Did you mean 'cert-manager'\?$/],
    ['a component twice', select('jobset', 'jobset'), {}, /^components\.jobset: "jobset": is listed twice\. Remove one of the two\.$/],
    ['two cert-managers', select('cert-manager'), { existing: select('cert-manager') }, /is already in the cluster, according to 'existing', and a second one would conflict/],
    ['two meshes', select('istio', 'managed-mesh'), { environment: 'gke' }, /istio and managed-mesh both provide 'mesh', and a platform needs only one\. Remove one\.$/],
    ['two places for lines', select('loki', 'eck-operator', 'elastic-stack'), {}, /both provide 'log-store'/],
    ['two exporters of the same GPUs', select('gpu-operator', 'node-feature-discovery', 'dcgm-exporter'), {}, /gpu-operator and dcgm-exporter both provide 'gpu-metrics'/],
    ['two MPIJobs', select('training-operator-v1', 'mpi-operator', 'kubeflow-base', 'cert-manager'), {}, /both install mpijobs\.kubeflow\.org, and the second would overwrite the first/],
    ['a GPU operator on kind', select('gpu-operator', 'node-feature-discovery'), { environment: 'kind' }, /^components\.gpu-operator: "kind": it is for gke and other: kind nodes are containers/],
    ['IAP elsewhere', select('iap', 'istio', 'gateway-api'), { environment: 'other' }, /it is for gke: IAP protects Google Cloud load balancers/],
    ['an old Trainer under Kueue', [{ name: 'trainer', version: '2.1.0' }, ...select('kueue', 'jobset')], {},
      /^components\.trainer: "2\.1\.0": kueue v0\.19\.2 and trainer 2\.1\.0 are incompatible: Kueue places TrainJobs by runtimePatches.*Use Trainer 2\.2\.0 or later\. \(https/],
    ['an old cert-manager in the cluster', select('kserve'), { existing: [{ name: 'cert-manager', version: '1.14.0' }] }, /KServe requires cert-manager 1\.15\.0 or later/],
    ['two releases of KServe', [{ name: 'kserve', version: 'v0.19.0' }, ...select('kserve-llm', 'lws', 'gateway-api', 'cert-manager')], {}, /are two controllers of one release/],
    ['an old Istio under Knative', [{ name: 'istio', version: '1.19.2' }, ...select('knative-serving', 'cert-manager')], {}, /gRPC routes do not work before Istio 1\.20/],
    ['an old Kubernetes', select('trainer', 'jobset'), { kubernetesVersion: '1.30' }, /^components\.trainer: "1\.30": it needs Kubernetes 1\.31 or later \(https.*\)\. Upgrade the cluster/],
    ['no release of Kubernetes', select('jobset'), { kubernetesVersion: 'stable' }, /^kubernetesVersion: "stable": must be a release of Kubernetes/],
  ])('%s', (_what, components, more, message) => {
    expect(errorsOf(components, more)).toEqual(expect.arrayContaining([expect.stringMatching(message)]));
  });
});

describe('a platform is warned of', () => {
  test.each<readonly [string, SelectedComponent[], Partial<ComponentSelection>, RegExp]>([
    ['a chart that nobody has seen', select('volcano'), {}, /^components\.volcano\.version: "v1\.15\.1": no available source confirms/],
    ['both generations of Trainer', select('trainer', 'jobset', 'training-operator-v1', 'kubeflow-base', 'cert-manager'), {}, /run side by side, because their API groups differ/],
    ['a Knative that KServe does not test', [{ name: 'knative-serving', version: '1.18.0' }, ...select('kserve', 'istio', 'cert-manager')], {}, /KServe tests with Knative Serving 1\.21\.1/],
    ['an old JobSet', [{ name: 'jobset', version: '0.10.1' }, ...select('trainer')], {}, /the chart of Trainer 2\.3 comes with JobSet 0\.12\.0/],
    ['a Kubernetes that is newer than the tests', select('gpu-operator', 'node-feature-discovery'), { kubernetesVersion: '1.40' }, /it is tested up to Kubernetes 1\.36/],
    ['a bound that is not certain', select('kserve', 'cert-manager'), { kubernetesVersion: '1.29' }, /it needs Kubernetes 1\.32 or later, as far as we know/],
  ])('%s', (_what, components, more, message) => {
    expect(errorsOf(components, more)).toEqual([]);
    expect(warningsOf(components, more)).toEqual(expect.arrayContaining([expect.stringMatching(message)]));
  });
});

test('a version of the user\'s is not warned of', () => {
  expect(warningsOf([{ name: 'volcano', version: 'v1.14.0' }])).toEqual([]);
});

describe('presets', () => {
  const places: PresetOptions[] = [
    { environment: 'kind', identity: 'dex', mesh: 'istio' },
    { environment: 'other', identity: 'dex', mesh: 'istio' },
    { environment: 'gke', identity: 'dex', mesh: 'istio' },
    { environment: 'gke', identity: 'iap', mesh: 'istio' },
    { environment: 'gke', identity: 'iap', mesh: 'managed' },
  ];

  test.each(PRESET_NAMES.flatMap((preset) => places.map((place) => [preset, place] as const)))('%s is whole: %o', (preset, place) => {
    const components = presetComponents(preset, place);
    const { waves, violations } = resolveComponents({ components, environment: place.environment, kubernetesVersion: '1.36' });
    expect(violations.map(formatViolation)).toEqual([]);
    expect(waves.flat().length).toBeGreaterThan(5);
  });
});

describe('for any choice of components', () => {
  const environments: PlatformEnvironment[] = ['kind', 'gke', 'other'];
  const choice = fc.record({ names: fc.subarray(CATALOGUE.map(({ name }) => name)), environment: fc.constantFrom(...environments) });

  test('nothing comes before what it needs', () => {
    fc.assert(fc.property(choice, ({ names, environment }) => {
      const { waves } = resolveComponents({ components: select(...names), environment });
      const waveOf = new Map(waves.flatMap((wave, index) => wave.map((name) => [name, index] as const)));
      for (const [name, index] of waveOf) {
        const { needs = [], after = [] } = component(name);
        for (const wanted of [...needs, ...after]) {
          const providers = CATALOGUE.filter((each) => each.name === wanted || each.provides?.includes(wanted)).map((each) => each.name);
          for (const provider of providers.filter((each) => waveOf.has(each))) {
            expect(waveOf.get(provider)!).toBeLessThan(index);
          }
        }
      }
    }));
  });

  test('each is installed once, or built in, and nothing else is', () => {
    fc.assert(fc.property(choice, ({ names, environment }) => {
      const { waves, builtIn } = resolveComponents({ components: select(...names), environment });
      expect([...waves.flat(), ...builtIn].sort()).toEqual([...names].sort());
    }));
  });

  test('the order in which they are named does not matter', () => {
    const twice = choice.chain(({ names, environment }) => fc.record({
      names: fc.constant(names), shuffled: fc.shuffledSubarray(names, { minLength: names.length }), environment: fc.constant(environment),
    }));
    fc.assert(fc.property(twice, ({ names, shuffled, environment }) => {
      const before = resolveComponents({ components: select(...names), environment });
      const after = resolveComponents({ components: select(...shuffled), environment });
      expect(after.waves).toEqual(before.waves);
      // The words of a pair begin with the one that was named first.
      expect(after.violations).toHaveLength(before.violations.length);
    }));
  });
});

describe('for any graph', () => {
  const made = (edges: readonly (readonly [number, number])[]): CatalogueComponent[] => Array.from({ length: 8 }, (_, index) => ({
    ...component('jobset'), name: `c${index}`, crds: [], needs: [...new Set(edges.filter(([from]) => from === index).map(([, to]) => `c${to}`))].filter((name) => name !== `c${index}`),
  }));
  const edges = fc.array(fc.tuple(fc.nat(7), fc.nat(7)), { maxLength: 20 });

  test('either everything has a wave or a real circle is told', () => {
    fc.assert(fc.property(edges, (pairs) => {
      const catalogue = made(pairs);
      const { waves, violations } = resolveComponents({ components: select(...catalogue.map(({ name }) => name)) }, { catalogue, rules: [] });
      const circle = violations.find(({ path }) => path === 'components');
      if (circle === undefined) {
        expect(waves.flat()).toHaveLength(8);
      } else {
        const nodes = circle.value as string[];
        expect(nodes[0]).toBe(nodes[nodes.length - 1]);
        nodes.slice(1).forEach((next, index) => expect(catalogue.find(({ name }) => name === nodes[index])!.needs).toContain(next));
      }
    }));
  });
});
