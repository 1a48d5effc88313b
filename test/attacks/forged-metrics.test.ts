/** A pod of the attacker is scraped and claims to measure the GPUs of others. */
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { describeAttacks } from './support/attack-suite';
import { conditionOf, type TestJobs } from '../cluster/support/training-jobs';
import type { TestKubelet } from '../cluster/support/kubelet';

/** A series of the metric, with the labels that a scrape without `honorLabels` gives to it. */
interface Series {
  readonly metric: { readonly [label: string]: string };
  readonly percent: number;
}

let known: readonly Series[] = [];

/** A Prometheus that has scraped the exporter and a pod of the attacker. */
const prometheus = http.createServer((_request, response) => {
  const result = known.map(({ metric, percent }) => ({ metric, value: [Date.now() / 1000, String(percent)] }));
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ status: 'success', data: { resultType: 'vector', result } }));
});

const env: { [name: string]: string } = { PROMETHEUS_POLL_SECONDS: '1' };
beforeAll(async () => {
  await new Promise<void>((resolve) => { prometheus.listen(0, '127.0.0.1', resolve); });
  env.PROMETHEUS_URL = `http://127.0.0.1:${(prometheus.address() as AddressInfo).port}`;
});
afterAll(() => prometheus.close());

const suite = describeAttacks({ env });

const IDLE = { belowPercent: 10, forSeconds: 1, action: 'Suspend' } as const;

/** Lets a job run that is suspended when its GPUs are idle. */
async function run(name: string, jobs: TestJobs, kubelet: TestKubelet): Promise<void> {
  await jobs.create(name, { replicas: 1, idle: IDLE });
  await kubelet.runAll(name, 1);
  await jobs.untilCondition(name, 'Running');
}

test('suspends no job of others, and does not keep a job of its own that is idle', async () => {
  const { bystander, jobs, kubelet, namespace } = suite;
  const measured = (of: string, pod: string, percent: number, by: string): Series => (
    { metric: { namespace: by, pod: by === namespace ? 'forger' : 'dcgm-0', exported_namespace: of, exported_pod: pod }, percent });
  known = [
    // The one whom the exporter knows is busy, of the other one nobody else tells.
    measured(bystander.namespace, 'busy-master', 95, 'gpu-operator'),
    measured(bystander.namespace, 'busy-master', 0, namespace),
    measured(bystander.namespace, 'unknown-master', 0, namespace),
    measured(namespace, 'lazy-master', 0, 'gpu-operator'),
    measured(namespace, 'lazy-master', 100, namespace),
    { metric: { namespace, pod: 'lazy-master' }, percent: 100 },
  ];
  await Promise.all(['busy', 'unknown'].map(async (name) => run(name, bystander.jobs, bystander.kubelet)));
  // Later than the others: whoever may suspend them has had the time to.
  await run('lazy', jobs, kubelet);
  expect(conditionOf(await jobs.untilCondition('lazy', 'Suspended'), 'Suspended')).toMatchObject({ reason: 'JobIdle' });
  // Two more rounds of the rule, which every job of this operator is in.
  await run('later', jobs, kubelet);
  known = [...known, measured(namespace, 'later-master', 0, 'gpu-operator')];
  await jobs.untilCondition('later', 'Suspended');
  for (const name of ['busy', 'unknown']) {
    const { status } = await bystander.jobs.get(name);
    expect({ name, phase: status?.phase, idle: status?.idle?.suspended }).toEqual({ name, phase: 'Running', idle: undefined });
  }
});
