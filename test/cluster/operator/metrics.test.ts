import { describeOperator } from '../support/operator-suite';
import { eventually } from '../support/cluster';
import { Samples } from '../../operator/training/support/prometheus-samples';

const suite = describeOperator({ METRICS_V1_NAMES: 'true' });

async function scrape(): Promise<Samples> {
  const { healthPort } = await suite.operator.logs('operator starts');
  const response = await fetch(`http://127.0.0.1:${healthPort}/metrics`);
  expect(response.status).toBe(200);
  return new Samples(await response.text());
}

/** Labels of the running test's jobs. */
const mine = (framework: string, more: { readonly [label: string]: string } = {}) => ({ job_namespace: suite.namespace, framework, ...more });

test('every watch is counted, that of nodes too, and probes look at them', async () => {
  const samples = await eventually('the first lists', async () => {
    const found = await scrape();
    return (found.value('trainyard_operator_lists_total', { resource: 'nodes' }) ?? 0) > 0 && found;
  });
  for (const resource of ['mltrainingjobs.ml.collabnix.io', 'pods', 'services', 'nodes']) {
    expect(samples.value('trainyard_operator_lists_total', { resource })).toBeGreaterThan(0);
    expect(samples.value('trainyard_operator_watch_failures', { resource })).toBe(0);
  }
  // Nobody has asked for Kueue.
  expect(samples.value('trainyard_operator_lists_total', { resource: 'workloads.kueue.x-k8s.io' })).toBeUndefined();
  const { healthPort } = await suite.operator.logs('operator starts');
  expect(await (await fetch(`http://127.0.0.1:${healthPort}/healthz`)).text()).toContain('[+]watches ok');
});

describe('the life of jobs, as Prometheus sees it', () => {
  test('a job is counted once when it is created, succeeds and is deleted, and its waits are measured', async () => {
    const { jobs, kubelet } = suite;
    await jobs.create('net', { replicas: 2, resources: { gpu: 4 } });
    await kubelet.runAll('net', 2);
    await jobs.untilCondition('net', 'Running');

    const running = await scrape();
    expect(running.value('trainyard_jobs', mine('pytorch', { phase: 'Running' }))).toBe(1);
    expect(running.value('trainyard_jobs_created_total', mine('pytorch'))).toBe(1);
    expect(running.value('trainyard_jobs_succeeded_total', mine('pytorch'))).toBe(0);
    expect(running.value('trainyard_job_queue_wait_seconds_count', mine('pytorch'))).toBe(1);
    expect(running.value('trainyard_job_startup_seconds_count', mine('pytorch'))).toBe(1);
    expect(running.value('trainyard_job_gpu_seconds_total', mine('pytorch', { state: 'running' })))
      .toBeCloseTo(4 * running.value('trainyard_job_replica_seconds_total', mine('pytorch', { state: 'running' }))!, 6);

    await kubelet.end('net-worker-0');
    await kubelet.end('net-master');
    await jobs.untilCondition('net', 'Succeeded');
    await jobs.remove('net');
    const deleted = await eventually('the deletion to be counted', async () => {
      const samples = await scrape();
      return samples.value('trainyard_jobs_deleted_total', mine('pytorch')) === 1 && samples;
    });
    expect(deleted.value('trainyard_jobs_created_total', mine('pytorch'))).toBe(1);
    expect(deleted.value('trainyard_jobs_succeeded_total', mine('pytorch'))).toBe(1);
    expect(deleted.value('trainyard_jobs', mine('pytorch', { phase: 'Completed' }))).toBeUndefined();
    expect(deleted.value('training_operator_jobs_successful_total', mine('pytorch'))).toBe(1);
    expect(deleted.value('training_operator_jobs_deleted_total', mine('pytorch'))).toBe(1);
  });

  test('restarts are counted by cause, and the failure that ends the job by its reason', async () => {
    const { jobs, kubelet } = suite;
    await jobs.create('net', { framework: 'jax', replicas: 1, runPolicy: { restartPolicy: 'OnFailure', backoffLimit: 1, backoff: { initialSeconds: 1 } } });
    await kubelet.runAll('net', 1);
    await jobs.untilCondition('net', 'Running');
    await kubelet.evict('net-worker-0');
    await jobs.until('net', 'disrupted', (status) => status.disruptions === 1);
    for (const restarts of [1, 2]) {
      await jobs.until('net', `waiting for pods of attempt ${restarts}`, (status) => status.attempt === restarts && (status.workerStatuses?.[0].pending ?? 0) > 0);
      await kubelet.run('net-worker-0');
      await jobs.untilCondition('net', 'Running');
      await kubelet.end('net-worker-0', { exitCode: 1 });
    }
    await jobs.untilCondition('net', 'Failed');

    // The status is in the API server before the operator has its answer, and counts.
    const samples = await eventually('the failure to be counted', async () => {
      const found = await scrape();
      return found.value('trainyard_jobs_failed_total', mine('jax', { reason: 'BackoffLimitExceeded' })) === 1 && found;
    });
    expect(samples.value('trainyard_job_restarts_total', mine('jax', { cause: 'disruption' }))).toBe(1);
    expect(samples.value('trainyard_job_restarts_total', mine('jax', { cause: 'failure' }))).toBe(1);
    expect(samples.value('trainyard_job_disruptions_total', mine('jax'))).toBe(1);
    expect(samples.value('trainyard_job_recovery_seconds_count', mine('jax'))).toBe(2);
    expect(samples.value('trainyard_job_startup_seconds_count', mine('jax'))).toBe(1);
    expect(samples.value('trainyard_job_replica_seconds_total', mine('jax', { state: 'restarting' }))).toBeGreaterThan(0);
    expect(samples.value('training_operator_jobs_restarted_total', mine('jax'))).toBe(2);
  });
});

test('the machinery is counted: requests, passes, the queue, watches, the lead and the process', async () => {
  await suite.jobs.create('net');
  await suite.jobs.untilCondition('net', 'Created');
  const samples = await scrape();
  expect(samples.value('trainyard_operator_leader', {})).toBe(1);
  expect(samples.value('trainyard_operator_api_requests_total', { verb: 'create', resource: 'pods', code: '201' })).toBeGreaterThanOrEqual(1);
  expect(samples.value('trainyard_operator_api_request_seconds_count', { verb: 'patch', resource: 'mltrainingjobs.ml.collabnix.io/status' })).toBeGreaterThanOrEqual(1);
  expect(samples.value('trainyard_operator_reconcile_seconds_count', { result: 'success' })).toBeGreaterThanOrEqual(1);
  expect(samples.value('trainyard_operator_queue_adds_total', {})).toBeGreaterThanOrEqual(1);
  expect(samples.value('trainyard_operator_lists_total', { resource: 'pods' })).toBeGreaterThanOrEqual(1);
  expect(samples.value('trainyard_operator_cached_objects', { resource: 'pods' })).toBeGreaterThanOrEqual(1);
  expect(samples.value('process_resident_memory_bytes', {})).toBeGreaterThan(0);
});
