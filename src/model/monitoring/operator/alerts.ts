/**
 * Alerts and recorded series about the operator and its jobs. Expressions take the sum or the largest over replicas of the operator, of which only
 * the leader counts jobs.
 */
import { GPU_EXPORTER_NAMESPACES, gpuUtilization } from '../gpu/exporters';
import { promDuration } from '../promql';
import type { Alert, Recording, RuleGroup } from '../monitored-system';

/** From when on alerts fire. */
export interface OperatorThresholds {
  /** Part of the replicas' time that has to be productive, from 0 to 1. */
  readonly goodput: number;
  /** Age in seconds from which a last checkpoint is too old. */
  readonly checkpointAgeSeconds: number;
  /** Time in seconds from which a job has waited for its pods too long. */
  readonly queueWaitSeconds: number;
  /** Use in percent below which GPUs of jobs are idle. */
  readonly gpuIdlePercent: number;
  /** For how long, seconds. */
  readonly gpuIdleSeconds: number;
  /** Namespaces whose GPU exporters are believed. */
  readonly gpuExporterNamespaces: readonly string[];
}

/** Thresholds that apply unless others are set. */
export const DEFAULT_OPERATOR_THRESHOLDS: OperatorThresholds = {
  goodput: 0.8, checkpointAgeSeconds: 7_200, queueWaitSeconds: 14_400,
  gpuIdlePercent: 5, gpuIdleSeconds: 1_800, gpuExporterNamespaces: GPU_EXPORTER_NAMESPACES,
};

/** Series that are recorded: part of the replicas' time that was productive, over the last hour. */
export const GOODPUT = 'trainyard:job_goodput:ratio_rate1h';

/** As {@link GOODPUT}, of GPU time. */
export const GPU_GOODPUT = 'trainyard:job_gpu_goodput:ratio_rate1h';

/** Rules for what depends on nothing but the operator, and for jobs. */
export function operatorRuleGroups(thresholds: OperatorThresholds): RuleGroup[] {
  return [
    { name: 'trainyard-goodput', rules: [goodput(GOODPUT, 'replica'), goodput(GPU_GOODPUT, 'gpu')] },
    { name: 'trainyard-operator', rules: operatorAlerts() },
    { name: 'trainyard-jobs', rules: jobAlerts(thresholds) },
  ];
}

/** Productive time by all time that jobs held pods; see docs/operator/observability.md. */
function goodput(record: string, unit: 'replica' | 'gpu'): Recording {
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

function operatorAlerts(): Alert[] {
  return [
    {
      alert: 'TrainyardOperatorHasNoLeader', severity: 'critical', for: '3m', expr: 'max(trainyard_operator_leader) < 1 or absent(trainyard_operator_leader)',
      summary: 'No replica of the Trainyard operator is the leader',
      description: 'Jobs are neither started nor restarted. Check the pods of the operator and its Lease.',
    },
    {
      alert: 'TrainyardJobsNotTakenUp', severity: 'warning', for: '5m', expr: 'max by (job_namespace) (trainyard_jobs{phase="None"}) > 0',
      summary: 'Jobs in {{ $labels.job_namespace }} are not picked up',
      description: 'The operator sees the jobs and has written no status. Jobs with spec.managedBy belong to other controllers; otherwise check the operator\'s log.',
    },
    {
      alert: 'TrainyardReconcileErrors', severity: 'warning', for: '15m', expr: 'sum(rate(trainyard_operator_reconcile_errors_total[10m])) > 0.1',
      summary: 'Reconciles of the Trainyard operator fail',
      description: 'More than one reconcile in ten seconds has failed for 15 minutes. The operator\'s log names the jobs.',
    },
    {
      alert: 'TrainyardQueueBacklog', severity: 'warning', for: '10m', expr: 'max(trainyard_operator_queue_depth) > 100',
      summary: 'Jobs wait for the Trainyard operator',
      description: 'More than 100 jobs have been waiting for a worker. Check the latency of the API server, and raise workers.',
    },
    {
      alert: 'TrainyardWatchFails', severity: 'warning', for: '5m', expr: 'max by (resource) (trainyard_operator_watch_failures) > 5',
      summary: 'The Trainyard operator cannot watch {{ $labels.resource }}',
      description: 'List or watch requests keep failing. Check the operator\'s log and permissions.',
    },
    {
      alert: 'TrainyardApiErrors', severity: 'warning', for: '10m',
      expr: 'sum(rate(trainyard_operator_api_requests_total{code=~"5..|429|E.*"}[5m])) / sum(rate(trainyard_operator_api_requests_total[5m])) > 0.1',
      summary: 'Requests of the Trainyard operator to the API server fail',
      description: 'More than a tenth of the requests fail, time out or are rejected because of overload.',
    },
  ];
}

function jobAlerts(thresholds: OperatorThresholds): Alert[] {
  const { goodput: least, checkpointAgeSeconds, queueWaitSeconds, gpuIdlePercent, gpuIdleSeconds, gpuExporterNamespaces } = thresholds;
  return [
    {
      alert: 'TrainyardJobsFail', severity: 'warning', expr: 'sum by (job_namespace, framework, reason) (increase(trainyard_jobs_failed_total[30m])) > 0',
      summary: 'Training jobs in {{ $labels.job_namespace }} have failed ({{ $labels.reason }})',
      description: 'status.lastFailure of each job shows which replica failed first, on which node, and why.',
    },
    {
      alert: 'TrainyardJobsRestartOften', severity: 'warning',
      expr: 'sum by (job_namespace, framework) (increase(trainyard_job_restarts_total{cause="failure"}[1h])) > 5',
      summary: 'Training jobs in {{ $labels.job_namespace }} restart repeatedly',
      description: 'More than five restarts after failures within an hour. status.lastFailure shows why, status.suspectNodes where.',
    },
    {
      alert: 'TrainyardRanksDown', severity: 'warning', for: '15m', expr: 'max by (job_namespace, framework) (trainyard_job_replicas_down) > 0',
      summary: 'Training jobs in {{ $labels.job_namespace }} miss {{ $value }} of their replicas',
      description: 'Started jobs have been missing replicas for 15 minutes; the other replicas wait for them. The condition Running of each job shows what they wait for.',
    },
    {
      alert: 'TrainyardJobsStall', severity: 'warning', expr: 'sum by (job_namespace, framework) (increase(trainyard_job_restarts_total{cause="stall"}[1h])) > 0',
      summary: 'Training jobs in {{ $labels.job_namespace }} have stalled',
      description: 'They reported no progress for longer than the stall timeout, and were restarted.',
    },
    {
      alert: 'TrainyardJobsDoNotStart', severity: 'warning', for: '1h',
      expr: 'sum by (job_namespace) (trainyard_jobs{phase="Pending"}) > 0 unless sum by (job_namespace) (increase(trainyard_job_startup_seconds_count[1h])) > 0',
      summary: 'No training job in {{ $labels.job_namespace }} comes up',
      description: 'Jobs have been pending for an hour in which none has started. The condition Running of each job shows what its first pod waits for.',
    },
    {
      alert: 'TrainyardQueueWaitLong', severity: 'warning', for: '5m',
      expr: `max by (job_namespace, framework) (trainyard_job_oldest_queue_wait_seconds) > ${queueWaitSeconds}`,
      summary: 'A training job in {{ $labels.job_namespace }} waits in its queue',
      description: 'It has been without pods for {{ $value | humanizeDuration }}. status.queue shows the queue and the position; check what holds the quota.',
    },
    {
      alert: 'TrainyardGoodputLow', severity: 'warning', for: '1h', expr: `${GOODPUT} < ${least}`,
      summary: 'Training in {{ $labels.job_namespace }} loses time',
      description: 'Only {{ $value | humanizePercentage }} of the replicas\' time is productive; the rest goes into starts, restarts and repeated work.',
    },
    {
      alert: 'TrainyardCheckpointOld', severity: 'warning', for: '15m',
      expr: `max by (job_namespace, framework) (trainyard_job_oldest_checkpoint_age_seconds) > ${checkpointAgeSeconds}`,
      summary: 'A training job in {{ $labels.job_namespace }} has not saved a checkpoint for a long time',
      description: 'Its last checkpoint is {{ $value | humanizeDuration }} old; a failure would lose all later work. Sort jobs by status.checkpoint.time.',
    },
    {
      alert: 'TrainyardGpusIdle', severity: 'warning', for: promDuration(gpuIdleSeconds),
      expr: `${gpuUtilization('10m', gpuExporterNamespaces)} < ${gpuIdlePercent} and on (job_namespace) sum by (job_namespace) (trainyard_jobs{phase="Running"}) > 0`,
      summary: 'Pod {{ $labels.job_pod }} in {{ $labels.job_namespace }} leaves its GPUs idle',
      description: 'They are used {{ $value | humanize }} % of the time, according to NVIDIA\'s exporter. With spec.idle, the operator detects idle jobs and acts on them.',
    },
  ];
}
