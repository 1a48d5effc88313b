import { chooseComponents } from '../../../src/model/platform/choose';
import type { PlatformChoice } from '../../../src/model/platform/spec';
import { formatViolation } from '../../../src/model/violations';

const choose = (more: Partial<PlatformChoice>) => chooseComponents({
  environment: 'kind', identity: 'dex', mesh: 'istio', preset: 'serving', components: [], without: [], existing: [], ...more,
});
const names = (more: Partial<PlatformChoice>) => choose(more).components.map(({ name }) => name);

test('a preset comes first, then what is added', () => {
  expect(names({ components: [{ name: 'loki' }] })).toEqual([
    'cert-manager', 'gateway-api', 'lws', 'keda', 'kserve', 'kserve-llm', 'external-secrets', 'kube-prometheus-stack', 'loki',
  ]);
});

test('settings of a component of the preset keep the preset\'s features', () => {
  const { components } = choose({ components: [{ name: 'kserve', features: ['knative'], sourceVersion: 'v0.20.1' }] });
  expect(components.find(({ name }) => name === 'kserve')).toEqual({ name: 'kserve', features: ['gatewayApi', 'keda', 'knative'], sourceVersion: 'v0.20.1' });
  expect(components).toHaveLength(8);
});

test('what is left out, or there already, is not installed', () => {
  expect(names({ without: ['keda'], existing: [{ name: 'cert-manager' }] })).not.toEqual(expect.arrayContaining(['keda']));
  expect(names({ existing: [{ name: 'cert-manager' }] })).not.toContain('cert-manager');
});

test('what is there already and added stays, for the rules to refuse', () => {
  expect(names({ existing: [{ name: 'cert-manager' }], components: [{ name: 'cert-manager' }] })).toContain('cert-manager');
});

test.each<readonly [string, Partial<PlatformChoice>, string]>([
  ['leaving out what is not in it', { without: ['lw'] }, 'without: "lw": is not in preset \'serving\'. Did you mean \'lws\'?'],
  ['leaving out of nothing', { preset: undefined, without: ['lws'], components: [{ name: 'lws' }] }, 'without: "lws": is not part of a preset, so it cannot be left out. Remove it.'],
  ['nothing', { preset: undefined }, 'components: []: must be at least one component, or a preset.'],
])('%s is refused', (_what, more, message) => {
  expect(choose(more).violations.map(formatViolation)).toEqual([message]);
});
