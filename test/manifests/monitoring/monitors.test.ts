import { constructMonitor } from '../../../src/manifests/monitoring/monitors';
import { raySystem } from '../../../src/model/monitoring/ray/system';
import type { Scrape } from '../../../src/model/monitoring/monitored-system';
import { servingSystem } from '../../../src/model/monitoring/serving/system';

const OBJECT = { name: 'net', namespace: 'ml', labels: { release: 'prometheus' } };
const [NODES, OPERATOR] = raySystem({}, { errorRatio: 0.05, latencySeconds: 1, gpuIdlePercent: 5, pendingSeconds: 60 }).scrapes;
const [SERVERS, MODELS] = servingSystem({}, { errorRatio: 0.05, latencySeconds: 1, waitingRequests: 10 }, []).scrapes;

/** Endpoints of a PodMonitor. */
function endpointsOf(scrape: Scrape): readonly { readonly relabelings?: readonly object[] }[] {
  return (constructMonitor(OBJECT, scrape, { intervalSeconds: 30 }).spec as { readonly podMetricsEndpoints: readonly object[] }).podMetricsEndpoints;
}

test('pods are scraped on each of their ports, and give their labels to the series', () => {
  expect(constructMonitor(OBJECT, NODES, { intervalSeconds: 15 })).toEqual({
    apiVersion: 'monitoring.coreos.com/v1',
    kind: 'PodMonitor',
    metadata: { name: 'net', namespace: 'ml', labels: { release: 'prometheus' } },
    spec: {
      selector: { matchLabels: { 'ray.io/is-ray-node': 'yes' }, matchExpressions: [{ key: 'ray.io/cluster', operator: 'Exists' }] },
      podTargetLabels: ['ray.io/cluster', 'ray.io/node-type'],
      podMetricsEndpoints: ['metrics', 'as-metrics', 'dash-metrics'].map((port) => ({ port, path: '/metrics', interval: '15s' })),
    },
  });
});

test('namespaces are named, or all of them; an operator is looked for in all', () => {
  const selector = (namespaces?: readonly string[] | 'any', scrape = NODES) => (
    constructMonitor(OBJECT, scrape, { intervalSeconds: 30, namespaces }).spec as { readonly namespaceSelector?: object }).namespaceSelector;
  expect(selector()).toBeUndefined();
  expect(selector('any')).toEqual({ any: true });
  expect(selector(['ml', 'dev'])).toEqual({ matchNames: ['ml', 'dev'] });
  expect(selector(['ml'], OPERATOR)).toEqual({ any: true });
});

test('a container that declares no port is scraped where annotations of its pod say', () => {
  const [server, proxy] = endpointsOf(SERVERS);
  expect(server).toEqual({
    path: '/metrics',
    interval: '30s',
    relabelings: [
      { action: 'keep', sourceLabels: ['__meta_kubernetes_pod_container_name'], regex: 'kserve-container' },
      { action: 'keep', sourceLabels: ['__meta_kubernetes_pod_annotation_prometheus_kserve_io_port'], regex: '[0-9]+' },
      { action: 'replace', sourceLabels: ['__meta_kubernetes_pod_ip', '__meta_kubernetes_pod_annotation_prometheus_kserve_io_port'], separator: ':', targetLabel: '__address__' },
      { action: 'replace', sourceLabels: ['__meta_kubernetes_pod_annotation_prometheus_kserve_io_path'], regex: '(.+)', targetLabel: '__metrics_path__' },
    ],
  });
  expect(proxy).toEqual({ port: 'http-usermetric', path: '/metrics', interval: '30s' });
});

test('services with certificates of their own are scraped without asking who signed them', () => {
  expect(constructMonitor(OBJECT, MODELS, { intervalSeconds: 30 })).toMatchObject({
    kind: 'ServiceMonitor',
    spec: { endpoints: [{ port: 'https', scheme: 'https', tlsConfig: { insecureSkipVerify: true } }, { port: 'http' }] },
  });
});

test('what a selector cannot say is kept by its label', () => {
  const [owned] = raySystem({ namespaces: ['ml'], name: 'job', suffix: '-[a-z0-9]{5}' }, { errorRatio: 0, latencySeconds: 1, gpuIdlePercent: 5, pendingSeconds: 60 }).scrapes;
  expect(endpointsOf(owned).map(({ relabelings }) => relabelings)).toEqual(
    Array(3).fill([{ action: 'keep', sourceLabels: ['__meta_kubernetes_pod_label_ray_io_cluster'], regex: 'job-[a-z0-9]{5}' }]));
});
