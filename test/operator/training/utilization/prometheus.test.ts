import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { SYSTEM_CLOCK } from '../../../../src/operator/runtime/process/clock';
import { Logger } from '../../../../src/operator/runtime/process/logger';
import { PrometheusUtilization } from '../../../../src/operator/training/utilization/prometheus';

let answer: { status: number; body: string };
const asked: string[] = [];
const server = http.createServer((request, response) => {
  asked.push(decodeURIComponent(request.url!));
  response.writeHead(answer.status, { 'content-type': 'application/json' });
  response.end(answer.body);
});
beforeAll(async () => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
afterAll(() => server.close());

const start = () => new PrometheusUtilization({
  config: { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, pollSeconds: 60, exporterNamespaces: ['gpu'] },
  clock: SYSTEM_CLOCK, logger: Logger.silent(), isWanted: () => true,
});

const sample = (metric: object, value: string) => ({ metric, value: [0, value] });

test('gives the mean over the pods of a job, whichever labels the scraper made', async () => {
  answer = { status: 200, body: JSON.stringify({ data: { result: [
    sample({ namespace: 'a', pod: 'net-0' }, '10'),
    sample({ namespace: 'gpu', pod: 'dcgm', exported_namespace: 'a', exported_pod: 'net-1' }, '40'),
    sample({ namespace: 'b', pod: 'net-0' }, '99'),
    sample({ namespace: 'a', pod: 'net-2' }, 'NaN'),
  ] } }) };
  const utilization = start();
  await utilization.poll();
  expect(asked.at(-1)).toContain('DCGM_FI_DEV_GPU_UTIL');
  expect(utilization.of('a', ['net-0', 'net-1', 'net-2'])).toMatchObject({ percent: 25 });
  expect(utilization.of('a', ['other'])).toBeUndefined();
});

test('keeps what it knew, with its time, while Prometheus does not answer', async () => {
  answer = { status: 200, body: JSON.stringify({ data: { result: [sample({ namespace: 'a', pod: 'net-0' }, '3')] } }) };
  const utilization = start();
  await utilization.poll();
  const before = utilization.of('a', ['net-0']);
  answer = { status: 503, body: 'busy' };
  await utilization.poll();
  expect(utilization.of('a', ['net-0'])).toEqual(before);
});

test('what a pod of a tenant says of the pods of another is not counted, nor what a pod says of itself against the exporter', async () => {
  answer = { status: 200, body: JSON.stringify({ data: { result: [
    sample({ namespace: 'gpu', pod: 'dcgm', exported_namespace: 'victim', exported_pod: 'net-0' }, '90'),
    sample({ namespace: 'attacker', pod: 'forger', exported_namespace: 'victim', exported_pod: 'net-0' }, '0'),
    sample({ namespace: 'attacker', pod: 'forger', exported_namespace: 'victim', exported_pod: 'net-1' }, '0'),
    sample({ namespace: 'gpu', pod: 'dcgm', exported_namespace: 'lazy', exported_pod: 'net-0' }, '1'),
    sample({ namespace: 'lazy', pod: 'net-0' }, '100'),
    sample({ namespace: 'gpu', pod: 'dcgm-2', exported_namespace: 'twice', exported_pod: 'net-0' }, '70'),
    sample({ namespace: 'gpu', pod: 'dcgm-1', exported_namespace: 'twice', exported_pod: 'net-0' }, '5'),
  ] } }) };
  const utilization = start();
  await utilization.poll();
  expect(utilization.of('victim', ['net-0'])).toMatchObject({ percent: 90 });
  expect(utilization.of('victim', ['net-1'])).toBeUndefined();
  expect(utilization.of('lazy', ['net-0'])).toMatchObject({ percent: 1 });
  expect(utilization.of('twice', ['net-0'])).toMatchObject({ percent: 70 });
});
