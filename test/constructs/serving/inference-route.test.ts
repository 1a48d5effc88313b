import { Chart, Duration, Testing } from 'cdk8s';
import {
  InferenceRoute, InferenceService, ModelFormat, ModelStorage, Predictor, ServingMode, type InferenceRouteProps,
} from '../../../src/constructs/serving';
import { errorsOf } from '../../support/synth-errors';

const SERVICE = { group: '', kind: 'Service' };

const GATEWAY: InferenceRouteProps = { gateways: [{ name: 'public', namespace: 'gateways', sectionName: 'https' }] };

function service(chart: Chart, id: string, more: Partial<ConstructorParameters<typeof InferenceService>[2]> = {}) {
  return new InferenceService(chart, id, {
    mode: ServingMode.STANDARD, metadata: { name: id.toLowerCase() },
    predictor: Predictor.model({ format: ModelFormat.SKLEARN, storage: ModelStorage.gcs('models', id) }), ...more,
  });
}

function routeIn(chart: Chart) {
  return Testing.synth(chart).find(({ kind }) => kind === 'HTTPRoute');
}

test('a route leads to the predictor, after the service', () => {
  const chart = Testing.chart();
  const route = new InferenceRoute(chart, 'A', { ...GATEWAY, metadata: { name: 'iris' } });
  route.addService(service(chart, 'Iris'));
  expect(Testing.synth(chart).map(({ kind }) => kind)).toEqual(['InferenceService', 'HTTPRoute']);
  expect(routeIn(chart)).toEqual({
    apiVersion: 'gateway.networking.k8s.io/v1',
    kind: 'HTTPRoute',
    metadata: { name: 'iris' },
    spec: {
      parentRefs: [{ group: 'gateway.networking.k8s.io', kind: 'Gateway', name: 'public', namespace: 'gateways', sectionName: 'https' }],
      rules: [{ matches: [{ path: { type: 'PathPrefix', value: '/' } }], backendRefs: [{ ...SERVICE, name: 'iris-predictor', port: 80, weight: 1 }] }],
    },
  });
  expect(route.resourceType).toBe('httproutes');
});

test('a route with every option', () => {
  const chart = Testing.chart();
  const route = new InferenceRoute(chart, 'Route', { ...GATEWAY, hostnames: ['models.example'], pathPrefix: '/v1', timeout: Duration.seconds(30) });
  route.addService(service(chart, 'A'), { weight: 60 });
  route.addService(service(chart, 'Beta'), { headers: { 'x-beta': '1' } });
  route.addService(service(chart, 'B', { transformer: { image: 'transform:1' } }), { weight: 40 });
  route.addShadow(service(chart, 'C'), { percent: 20 });
  route.addShadow(service(chart, 'D'));
  const mirror = (name: string, share = {}) => ({ type: 'RequestMirror', requestMirror: { backendRef: { ...SERVICE, name, port: 80 }, ...share } });
  const common = { filters: [mirror('c-predictor', { percent: 20 }), mirror('d-predictor')], timeouts: { request: '30s' } };
  const path = { type: 'PathPrefix', value: '/v1' };
  const { hostnames, rules } = routeIn(chart).spec;
  expect(hostnames).toEqual(['models.example']);
  expect(rules).toEqual([
    { matches: [{ path, headers: [{ type: 'Exact', name: 'x-beta', value: '1' }] }], backendRefs: [{ ...SERVICE, name: 'beta-predictor', port: 80, weight: 1 }], ...common },
    { matches: [{ path }], backendRefs: [{ ...SERVICE, name: 'a-predictor', port: 80, weight: 60 }, { ...SERVICE, name: 'b-transformer', port: 80, weight: 40 }], ...common },
  ]);
});

describe('a canary', () => {
  const backends = (chart: Chart) => (
    routeIn(chart).spec.rules[0].backendRefs.map(({ name, weight }: { name: string; weight: number }) => [name, weight]));

  function routed() {
    const chart = Testing.chart();
    const iris = service(chart, 'Iris');
    new InferenceRoute(chart, 'Route', GATEWAY).addService(iris);
    return { chart, iris, canary: iris.addCanary('v2', { trafficPercent: 10, storage: ModelStorage.gcs('models', 'iris/2') }) };
  }

  test('gets its part of the traffic, also when it comes later', () => {
    expect(backends(routed().chart)).toEqual([['iris-predictor', 90], ['iris-v2-predictor', 10]]);
  });

  test('that is promoted gets all, at the Service that its pods have', () => {
    const { chart, canary } = routed();
    canary.promote();
    expect(backends(chart)).toEqual([['iris-v2-predictor', 1]]);
  });

  test('that is rolled back gets nothing', () => {
    const { chart, canary } = routed();
    canary.rollback();
    expect(backends(chart)).toEqual([['iris-predictor', 1]]);
  });

  test('gets its part of its service\'s part', () => {
    const chart = Testing.chart();
    const [a, b] = [service(chart, 'A'), service(chart, 'B')];
    const route = new InferenceRoute(chart, 'Route', GATEWAY);
    route.addService(a, { weight: 60 });
    route.addService(b, { weight: 40 });
    a.addCanary('v2', { trafficPercent: 10, storage: ModelStorage.gcs('models', 'a/2') });
    a.addCanary('v3', { trafficPercent: 5, storage: ModelStorage.gcs('models', 'a/3') });
    expect(backends(chart)).toEqual([['a-predictor', 5100], ['a-v2-predictor', 600], ['a-v3-predictor', 300], ['b-predictor', 4000]]);
  });

  test('behind a transformer is refused, because the transformer asks one predictor', () => {
    const app = Testing.app();
    const chart = new Chart(app, 'test');
    const iris = service(chart, 'Iris', { transformer: { image: 'transform:1' } });
    new InferenceRoute(chart, 'Route', GATEWAY).addService(iris);
    iris.addCanary('v2', { trafficPercent: 10, storage: ModelStorage.gcs('models', 'iris/2') });
    expect(errorsOf(app)).toEqual([expect.stringContaining('spec.rules[].backendRefs: "iris": its transformer calls only one predictor')]);
  });
});

test('a service in Knative mode is refused', () => {
  const chart = Testing.chart();
  const knative = service(chart, 'Iris', { mode: ServingMode.KNATIVE });
  const route = new InferenceRoute(chart, 'Route', GATEWAY);
  expect(() => route.addService(knative)).toThrow('InferenceRoute at \'test/Route\': cannot route to InferenceService \'iris\'');
  expect(() => route.addShadow(knative)).toThrow('Use ServingMode.STANDARD, or an InferenceGraph.');
});

test('what is wrong is told at synth, services of other namespaces too', () => {
  const app = Testing.app();
  const chart = new Chart(app, 'test', { namespace: 'ml' });
  new InferenceRoute(chart, 'Empty', { gateways: [], metadata: { name: 'empty' } });
  new InferenceRoute(chart, 'Route', { ...GATEWAY, metadata: { name: 'route' } }).addService(service(chart, 'Away', { metadata: { name: 'away', namespace: 'away' } }));
  expect(errorsOf(app)).toEqual([
    expect.stringContaining('InferenceRoute \'empty\': spec.parentRefs: is required'),
    expect.stringContaining('InferenceRoute \'empty\': spec.rules: no service receives requests.'),
    expect.stringContaining('InferenceRoute \'route\': metadata.namespace: "ml": InferenceService \'away\' is in the namespace \'away\'.'),
  ]);
});

test('a whole route looks as it did', () => {
  const chart = new Chart(Testing.app(), 'snapshot', { namespace: 'ml' });
  const route = new InferenceRoute(chart, 'Route', { ...GATEWAY, metadata: { name: 'models' }, hostnames: ['models.example'], pathPrefix: '/v1', timeout: Duration.seconds(30) });
  const iris = service(chart, 'Iris');
  iris.addCanary('v2', { trafficPercent: 10, storage: ModelStorage.gcs('models', 'iris/2') });
  route.addService(iris);
  route.addService(service(chart, 'Beta'), { headers: { 'x-beta': '1' } });
  route.addShadow(service(chart, 'Shadow'), { percent: 20 });
  expect(routeIn(chart)).toMatchSnapshot();
});
