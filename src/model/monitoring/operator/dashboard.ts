/** The operator's dashboard: jobs above, the operator below. */
import { GOODPUT, GPU_GOODPUT } from './alerts';
import { chosen, query, RATE, type Dashboard, type Panel, type Query } from '../monitored-system';
import { quantile } from '../promql';

/** Jobs of the namespaces that are chosen above the dashboard. */
const CHOSEN = chosen('job_namespace', 'job_namespace');

/** Median and 95th percentile of a wait of jobs. Jobs are few, so that the last hour is looked at. */
const waits = (name: string): Query[] => [0.5, 0.95].map((q) =>
  query(`histogram_quantile(${q}, sum by (le) (increase(${name}_bucket{${CHOSEN}}[1h])))`, `p${q * 100}`));

const JOB_PANELS: readonly Panel[] = [
  { title: 'Jobs by phase', queries: [query(`sum by (phase) (trainyard_jobs{${CHOSEN}})`, '{{phase}}')] },
  {
    title: 'Jobs created and finished per hour',
    queries: [
      query(`sum(increase(trainyard_jobs_created_total{${CHOSEN}}[1h]))`, 'created'),
      query(`sum(increase(trainyard_jobs_succeeded_total{${CHOSEN}}[1h]))`, 'succeeded'),
      query(`sum by (reason) (increase(trainyard_jobs_failed_total{${CHOSEN}}[1h])) > 0`, 'failed: {{reason}}'),
    ],
  },
  {
    title: 'Goodput',
    unit: 'percentunit',
    description: 'Share of the time that jobs held pods that was productive training, over the last hour.',
    queries: [
      query(`${GOODPUT}{${CHOSEN}}`, '{{job_namespace}} {{framework}}'),
      query(`${GPU_GOODPUT}{${CHOSEN}}`, '{{job_namespace}} {{framework}}, GPUs'),
    ],
  },
  { title: 'Restarts per hour, by cause', queries: [query(`sum by (cause) (increase(trainyard_job_restarts_total{${CHOSEN}}[1h]))`, '{{cause}}')] },
  { title: 'Lost time per hour, by cause', unit: 's', queries: [query(`sum by (cause) (increase(trainyard_job_lost_seconds_total{${CHOSEN}}[1h]))`, '{{cause}}')] },
  { title: 'Pods taken away per hour', queries: [query(`sum by (job_namespace) (increase(trainyard_job_disruptions_total{${CHOSEN}}[1h]))`, '{{job_namespace}}')] },
  { title: 'Queue wait', unit: 's', queries: waits('trainyard_job_queue_wait_seconds') },
  { title: 'From first pods to all running', unit: 's', queries: waits('trainyard_job_startup_seconds') },
  { title: 'From restart to all running', unit: 's', queries: waits('trainyard_job_recovery_seconds') },
  { title: 'Replicas by state', queries: [query(`sum by (state) (rate(trainyard_job_replica_seconds_total{${CHOSEN}}[$__rate_interval]))`, '{{state}}')] },
  { title: 'GPUs by state', queries: [query(`sum by (state) (rate(trainyard_job_gpu_seconds_total{${CHOSEN}}[$__rate_interval]))`, '{{state}}')] },
  {
    title: 'Oldest checkpoint of running jobs',
    unit: 's',
    queries: [query(`max by (job_namespace) (trainyard_job_oldest_checkpoint_age_seconds{${CHOSEN}})`, '{{job_namespace}}')],
  },
  { title: 'Longest wait for pods', unit: 's', queries: [query(`max by (job_namespace) (trainyard_job_oldest_queue_wait_seconds{${CHOSEN}})`, '{{job_namespace}}')] },
  { title: 'Replicas that are down', queries: [query(`sum by (job_namespace) (trainyard_job_replicas_down{${CHOSEN}})`, '{{job_namespace}}')] },
  { title: 'Tuning trials per hour', queries: [query(`sum by (outcome) (increase(trainyard_tuning_trials_total{${CHOSEN}}[1h]))`, '{{outcome}}')] },
];

const OPERATOR_PANELS: readonly Panel[] = [
  { title: 'Leader', queries: [query('trainyard_operator_leader', '{{pod}}')] },
  { title: 'Reconcile duration', unit: 's', queries: [0.5, 0.99].map((q) => query(quantile(q, 'trainyard_operator_reconcile_seconds', [], [], RATE), `p${q * 100}`)) },
  {
    title: 'Reconciles per second',
    unit: 'ops',
    queries: [
      query('sum by (result) (rate(trainyard_operator_reconcile_seconds_count[$__rate_interval]))', '{{result}}'),
      query('sum(rate(trainyard_operator_reconcile_errors_total[$__rate_interval]))', 'errors without conflicts'),
    ],
  },
  {
    title: 'Work queue',
    queries: [
      query('sum(trainyard_operator_queue_depth)', 'waiting'),
      query('sum(trainyard_operator_queue_delayed)', 'delayed'),
      query('sum(trainyard_operator_queue_running)', 'running'),
    ],
  },
  { title: 'API requests per second', unit: 'reqps', queries: [query('sum by (verb, resource) (rate(trainyard_operator_api_requests_total[$__rate_interval]))', '{{verb}} {{resource}}')] },
  {
    title: 'API requests that fail, per second',
    unit: 'reqps',
    queries: [query('sum by (code) (rate(trainyard_operator_api_requests_total{code!~"2.."}[$__rate_interval]))', '{{code}}')],
  },
  { title: 'API latency, p95', unit: 's', queries: [query(quantile(0.95, 'trainyard_operator_api_request_seconds', ['verb'], [], RATE), '{{verb}}')] },
  { title: 'Failing watches', queries: [query('max by (resource) (trainyard_operator_watch_failures)', '{{resource}}')] },
  { title: 'Objects in the caches', queries: [query('max by (resource) (trainyard_operator_cached_objects)', '{{resource}}')] },
];

export function operatorDashboard(): Dashboard {
  return {
    uid: 'trainyard',
    title: 'Trainyard: training jobs',
    tags: ['trainyard', 'training'],
    variables: [{ name: 'job_namespace', label: 'Namespace', metric: 'trainyard_jobs', valuesOf: 'job_namespace' }],
    rows: [{ panels: JOB_PANELS }, { title: 'Operator', panels: OPERATOR_PANELS }],
  };
}
