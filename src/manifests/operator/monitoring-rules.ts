/**
 * Alerts and recorded series. Each alert asks for somebody to do something, and says what: what only informs is on the dashboard. Expressions
 * take the sum or the largest over replicas of the operator, of which only the leader counts jobs.
 */

/** From when on alerts fire. */
export interface AlertThresholds {
  /** Part of the replicas' time that has to be productive, from 0 to 1. */
  readonly goodput: number;
  /** Age in seconds from which a last checkpoint is too old. */
  readonly checkpointAgeSeconds: number;
}

/** A rule of the Prometheus Operator. */
export interface PrometheusRuleEntry {
  readonly alert?: string;
  readonly record?: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels?: { readonly [label: string]: string };
  readonly annotations?: { readonly [name: string]: string };
}

/** A group of rules, evaluated in order. */
export interface PrometheusRuleGroup {
  readonly name: string;
  readonly rules: readonly PrometheusRuleEntry[];
}

/** Series that are recorded: part of the replicas' time that was productive, over the last hour. */
export const GOODPUT = 'trainyard:job_goodput:ratio_rate1h';

/** As {@link GOODPUT}, of GPU time. */
export const GPU_GOODPUT = 'trainyard:job_gpu_goodput:ratio_rate1h';

/** Rules for what depends on nothing but the operator, and for jobs. */
export function constructRuleGroups(thresholds: AlertThresholds): PrometheusRuleGroup[] {
  return [
    { name: 'trainyard-goodput', rules: [goodput(GOODPUT, 'replica'), goodput(GPU_GOODPUT, 'gpu')] },
    { name: 'trainyard-operator', rules: operatorAlerts() },
    { name: 'trainyard-jobs', rules: jobAlerts(thresholds) },
  ];
}

/** Productive time by all time that jobs held pods; see docs/observability.md. */
function goodput(record: string, unit: 'replica' | 'gpu'): PrometheusRuleEntry {
  const by = 'sum by (job_namespace, framework)';
  const states = `trainyard_job_${unit}_seconds_total`;
  const rework = `${by} (rate(trainyard_job_rework_${unit}_seconds_total[1h]))`;
  const running = `${by} (rate(${states}{state="running"}[1h]))`;
  const held = `${by} (rate(${states}{state=~"starting|running|restarting"}[1h]))`;
  return {
    record,
    // Without GPUs there is no rework of GPUs, and nothing minus nothing would be nothing.
    expr: `clamp_min(${running} - (${rework} or 0 * ${running}), 0) / (${held} > 0)`,
  };
}

function operatorAlerts(): PrometheusRuleEntry[] {
  return [
    alert('TrainyardOperatorHasNoLeader', 'critical', '3m', 'max(trainyard_operator_leader) < 1 or absent(trainyard_operator_leader)',
      'No replica of the Trainyard operator leads',
      'Jobs are neither started nor restarted. Look at the pods of the operator and at its Lease.'),
    alert('TrainyardJobsNotTakenUp', 'warning', '5m', 'max by (job_namespace) (trainyard_jobs{phase="None"}) > 0',
      'Jobs in {{ $labels.job_namespace }} are not taken up',
      'The operator sees the jobs and has written no status. Jobs with spec.managedBy are left to others; else look at the operator\'s log.'),
    alert('TrainyardReconcileErrors', 'warning', '15m', 'sum(rate(trainyard_operator_reconcile_errors_total[10m])) > 0.1',
      'Passes of the Trainyard operator fail',
      'More than one pass in ten seconds has ended with an error for a quarter of an hour. The operator\'s log names the jobs.'),
    alert('TrainyardQueueBacklog', 'warning', '10m', 'max(trainyard_operator_queue_depth) > 100',
      'Jobs wait for the Trainyard operator',
      'More than 100 jobs have been waiting for a worker. Look at the latency of the API server, and raise workers.'),
    alert('TrainyardWatchFails', 'warning', '5m', 'max by (resource) (trainyard_operator_watch_failures) > 5',
      'The Trainyard operator cannot watch {{ $labels.resource }}',
      'Lists or watches have failed in a row. Look at the operator\'s log and at its rights.'),
    alert('TrainyardApiErrors', 'warning', '10m',
      'sum(rate(trainyard_operator_api_requests_total{code=~"5..|429|E.*"}[5m])) / sum(rate(trainyard_operator_api_requests_total[5m])) > 0.1',
      'Requests of the Trainyard operator to the API server fail',
      'More than a tenth of the requests are refused for overload, fail or time out.'),
  ];
}

function jobAlerts({ goodput: least, checkpointAgeSeconds }: AlertThresholds): PrometheusRuleEntry[] {
  return [
    alert('TrainyardJobsFail', 'warning', undefined, 'sum by (job_namespace, framework, reason) (increase(trainyard_jobs_failed_total[30m])) > 0',
      'Training jobs in {{ $labels.job_namespace }} have failed ({{ $labels.reason }})',
      'status.lastFailure of each job says which replica failed first, on which node, and why.'),
    alert('TrainyardJobsRestartOften', 'warning', undefined,
      'sum by (job_namespace, framework) (increase(trainyard_job_restarts_total{cause="failure"}[1h])) > 5',
      'Training jobs in {{ $labels.job_namespace }} restart again and again',
      'More than five restarts after failures within an hour. status.lastFailure says why, status.suspectNodes where.'),
    alert('TrainyardJobsStall', 'warning', undefined, 'sum by (job_namespace, framework) (increase(trainyard_job_restarts_total{cause="stall"}[1h])) > 0',
      'Training jobs in {{ $labels.job_namespace }} have stalled',
      'They reported no progress for longer than they are allowed to, and were restarted.'),
    alert('TrainyardJobsDoNotStart', 'warning', '1h',
      'sum by (job_namespace) (trainyard_jobs{phase="Pending"}) > 0 unless sum by (job_namespace) (increase(trainyard_job_startup_seconds_count[1h])) > 0',
      'No training job in {{ $labels.job_namespace }} comes up',
      'Jobs have been pending for an hour in which none has started. The condition Running of each job says what its first pod waits for.'),
    alert('TrainyardGoodputLow', 'warning', '1h', `${GOODPUT} < ${least}`,
      'Training in {{ $labels.job_namespace }} loses time',
      'Only {{ $value | humanizePercentage }} of the replicas\' time is productive; the rest goes into starts, restarts and work that is done again.'),
    alert('TrainyardCheckpointOld', 'warning', '15m',
      `max by (job_namespace, framework) (trainyard_job_oldest_checkpoint_age_seconds) > ${checkpointAgeSeconds}`,
      'A training job in {{ $labels.job_namespace }} has not saved for long',
      'Its last checkpoint is {{ $value | humanizeDuration }} old; a failure would lose all that followed. Sort jobs by status.checkpoint.time.'),
  ];
}

function alert(
  name: string, severity: 'critical' | 'warning', duration: string | undefined, expr: string, summary: string, description: string,
): PrometheusRuleEntry {
  return { alert: name, expr, ...(duration !== undefined && { for: duration }), labels: { severity }, annotations: { summary, description } };
}
