import type { AnyObject, PodObject } from '../../../src/cli/jobs/objects';
import { browserCommand } from '../../../src/cli/jobs/open/browser';
import { clusterAddress, pageUrl, placesOf } from '../../../src/cli/jobs/open/places';

const pod = (name: string, fields: object = {}, labels: object = {}, phase = 'Running') => (
  { metadata: { name, namespace: 'ml', labels }, status: { phase }, spec: { containers: [{ name: 'training', ...fields }] } }) as unknown as PodObject;
const env = (variables: object) => ({ env: Object.entries(variables).map(([name, value]) => ({ name, value: value as string })) });
const JOB: AnyObject = { metadata: { name: 'digits' } };

test('the dashboard of Ray, whether its port has a name or not', () => {
  const head = { 'ray.io/node-type': 'head' };
  const page = { name: 'dashboard', port: { namespace: 'ml', pod: 'head', remote: 8265, path: '/' } };
  expect(placesOf(JOB, [pod('worker'), pod('head', {}, head)], [])).toEqual([page]);
  expect(placesOf(JOB, [pod('head', { ports: [{ name: 'dashboard', containerPort: 8265 }, { name: 'gcs-server', containerPort: 6379 }] }, head)], [])).toEqual([page]);
  expect(placesOf(JOB, [pod('head', {}, head, 'Pending')], [])).toEqual([]);
});

test('ports of pods and services that are named like pages, each once', () => {
  const ports = { ports: [{ name: 'tensorboard', containerPort: 6006 }, { name: 'http-metrics', containerPort: 9090 }] };
  const service = (name: string, selector: object | undefined, port: object) => ({ metadata: { name }, spec: { selector, ports: [port] } }) as never;
  expect(placesOf(JOB, [pod('d-0', ports, { job: 'digits' }), pod('d-1', ports, { job: 'digits' })], [
    service('digits', { job: 'digits' }, { name: 'http', port: 80, targetPort: 8080 }),
    service('other', { job: 'other' }, { name: 'http', port: 80 }),
    service('none', undefined, { name: 'http', port: 80 }),
    service('notebook', { job: 'digits' }, { port: 8888 }),
    service('again', { job: 'digits' }, { name: 'web', port: 80, targetPort: 'tensorboard' }),
  ])).toEqual([
    { name: 'tensorboard', port: expect.objectContaining({ pod: 'd-0', remote: 6006 }) as object },
    { name: 'http', port: expect.objectContaining({ pod: 'd-0', remote: 8080 }) as object },
    { name: 'notebook', port: expect.objectContaining({ remote: 8888 }) as object },
  ]);
});

test('addresses in the status, of pages only', () => {
  expect(placesOf({ ...JOB, status: { url: 'https://llm.ml.example.com' } }, [], [])).toEqual([{ name: 'url', url: 'https://llm.ml.example.com' }]);
  expect(placesOf({ ...JOB, status: { url: 'javascript:alert(1)' } }, [], [])).toEqual([]);
  expect(placesOf({ ...JOB, status: { url: '', address: { url: 'http://llm.ml.svc' } } }, [], [])).toEqual([{ name: 'url', url: 'http://llm.ml.svc' }]);
});

test('runs at trackers', () => {
  const urls = (variables: object) => placesOf(JOB, [pod('d', env(variables), {}, 'Succeeded')], []).map(({ name, url }) => `${name} ${url}`);
  expect(urls({ MLFLOW_TRACKING_URI: 'https://mlflow.example.com/x' })).toEqual(['mlflow https://mlflow.example.com/x']);
  expect(urls({ MLFLOW_TRACKING_URI: 'databricks' })).toEqual([]);
  expect(urls({ WANDB_PROJECT: 'p', WANDB_ENTITY: 'team a', WANDB_RUN_ID: 'r1' })).toEqual(['wandb https://wandb.ai/team%20a/p/runs/r1']);
  expect(urls({ WANDB_PROJECT: 'p', WANDB_BASE_URL: 'https://wandb.corp' })).toEqual(['wandb https://wandb.corp/']);
  expect(urls({ WANDB_PROJECT: 'p', WANDB_MODE: 'offline' })).toEqual([]);
  expect(urls({ GOOGLE_CLOUD_PROJECT: 'g', GOOGLE_CLOUD_REGION: 'r', AIP_EXPERIMENT_NAME: 'e' })).toEqual([
    'vertex https://console.cloud.google.com/vertex-ai/experiments/locations/r/experiments/e/runs?project=g']);
  // Of a job without pods, as its spec says.
  expect(placesOf({ ...JOB, spec: env({ MLFLOW_TRACKING_URI: 'https://m' }) }, [], [])).toEqual([{ name: 'mlflow', url: 'https://m/' }]);
});

test('addresses of the cluster', () => {
  expect(clusterAddress('http://mlflow.tracking.svc:5000/a?b#c', 'ml')).toEqual({ service: 'mlflow', namespace: 'tracking', port: 5000, path: '/a?b#c' });
  expect(clusterAddress('https://mlflow.tracking.svc.cluster.local', 'ml')).toMatchObject({ port: 443, path: '/' });
  expect(clusterAddress('http://mlflow', 'ml')).toMatchObject({ service: 'mlflow', namespace: 'ml', port: 80 });
  for (const outside of ['https://example.com', 'http://localhost:5000', 'http://10.0.0.1', 'https://a.b.c.d', 'file:///x']) {
    expect(clusterAddress(outside, 'ml')).toBeUndefined();
  }
});

test('no shell sees an address', () => {
  const url = pageUrl('https://example.com/$(id)?a=1&b="\'; rm')!;
  for (const platform of ['linux', 'darwin', 'win32'] as const) {
    const [, ...args] = browserCommand(url, platform);
    expect(args.at(-1)).toBe(url.href);
    expect(url.href).toMatch(/^https:\/\/[^\s"]+$/);
  }
  expect(pageUrl('-rf')).toBeUndefined();
});
