import { validateInferenceRoute, type InferenceRouteSpec } from '../../../src/model/serving/route';
import { formatViolation } from '../../../src/model/violations';

const ROUTE: InferenceRouteSpec = { gateways: [{ name: 'public' }], hostnames: [], rules: [{ backends: [{ serviceName: 'a', weight: 1 }] }], shadows: [] };

const BROKEN: readonly (readonly [string, Partial<InferenceRouteSpec>, string])[] = [
  ['no gateway', { gateways: [] }, 'spec.parentRefs: is required'],
  ['a host name with a scheme', { hostnames: ['https://models.example'] }, 'spec.hostnames[0]: "https://models.example": must be a host name'],
  ['17 host names', { hostnames: Array.from({ length: 17 }, (_, i) => `h${i}.example`) }, 'spec.hostnames: 17: a route has at most 16 host names.'],
  ['a relative path', { pathPrefix: 'v1' }, 'spec.rules[].matches[].path.value: "v1": must start with \'/\''],
  ['no service', { rules: [] }, 'spec.rules: no service receives requests.'],
  ['a header with a space', { rules: [{ headers: { 'x user': 'a' }, backends: ROUTE.rules[0].backends }] }, '"x user": is not a valid header'],
  ['17 services', { rules: [{ backends: Array.from({ length: 17 }, (_, i) => ({ serviceName: `s${i}`, weight: 1 })) }] }, 'spec.rules[0].backendRefs: 17: a rule has at most 16 services'],
  ['half a weight', { rules: [{ backends: [{ serviceName: 'a', weight: 0.5 }] }] }, 'spec.rules[0].backendRefs[0].weight: 0.5: must be a whole number'],
  ['no weight at all', { rules: [{ backends: [{ serviceName: 'a', weight: 0 }] }] }, 'spec.rules[0].backendRefs: 0: no service has a weight'],
  ['a shadow of 101 %', { shadows: [{ serviceName: 'a', percent: 101 }] }, 'requestMirror.percent: 101: must be a whole number from 0 to 100'],
];

test.each(BROKEN)('%s is one violation', (_what, fields, line) => {
  expect(validateInferenceRoute({ ...ROUTE, ...fields }).map(formatViolation)).toEqual([expect.stringContaining(line)]);
});

test('a wildcard, a shadow of nothing and a service without weight beside another are valid', () => {
  const rules = [{ backends: [{ serviceName: 'a', weight: 0 }, { serviceName: 'b', weight: 1 }] }];
  expect(validateInferenceRoute({ ...ROUTE, hostnames: ['*.models.example'], pathPrefix: '/v1', rules, shadows: [{ serviceName: 'c', percent: 0 }] })).toEqual([]);
});
