import type { AlertCase } from './alert-case';

const JOB = 'job_namespace="ml",framework="jax"';
const LABELS = { job_namespace: 'ml', framework: 'jax' };
const REQUESTS = 'trainyard_operator_api_requests_total{verb="get",resource="pods",code=';
const GPU = 'DCGM_FI_DEV_GPU_UTIL{gpu="0",Hostname="n1",exported_namespace="ml",exported_pod="net-worker-0",exported_container="training",namespace="gpu-operator",pod="dcgm-x7",container="nvidia-dcgm-exporter"}';
/** The same, claimed by a pod of somebody else that is scraped. */
const FORGED = GPU.replace('namespace="gpu-operator"', 'namespace="mallory"');
const RUNNING = `trainyard_jobs{${JOB},phase="Running"}`;

const system = 'the operator';

/** Stories of the operator and its jobs. */
export const OPERATOR_CASES: readonly AlertCase[] = [
  {
    system, alert: 'TrainyardOperatorHasNoLeader', at: '10m', labels: {},
    series: { 'trainyard_operator_leader{pod="a"}': '0x20', 'trainyard_operator_leader{pod="b"}': '0x20' },
    silent: { 'trainyard_operator_leader{pod="a"}': '0x20', 'trainyard_operator_leader{pod="b"}': '1x20' },
  },
  {
    system, alert: 'TrainyardJobsNotTakenUp', at: '10m', labels: { job_namespace: 'ml' },
    series: { [`trainyard_jobs{${JOB},phase="None"}`]: '2x20' }, silent: { [RUNNING]: '2x20' },
  },
  {
    system, alert: 'TrainyardReconcileErrors', at: '40m', labels: {},
    series: { trainyard_operator_reconcile_errors_total: '0+12x60' }, silent: { trainyard_operator_reconcile_errors_total: '0+3x60' },
  },
  {
    system, alert: 'TrainyardQueueBacklog', at: '20m', labels: {},
    series: { 'trainyard_operator_queue_depth{pod="a"}': '150x30' }, silent: { 'trainyard_operator_queue_depth{pod="a"}': '150x5 20x30' },
  },
  {
    system, alert: 'TrainyardWatchFails', at: '10m', labels: { resource: 'pods' },
    series: { 'trainyard_operator_watch_failures{resource="pods"}': '9x30' }, silent: { 'trainyard_operator_watch_failures{resource="pods"}': '3x30' },
  },
  {
    system, alert: 'TrainyardApiErrors', at: '30m', labels: {},
    series: { [`${REQUESTS}"500"}`]: '0+30x60', [`${REQUESTS}"200"}`]: '0+60x60' },
    silent: { [`${REQUESTS}"404"}`]: '0+30x60', [`${REQUESTS}"200"}`]: '0+60x60' },
  },
  {
    system, alert: 'TrainyardJobsFail', at: '20m', labels: { ...LABELS, reason: 'ReplicaFailed' },
    series: { [`trainyard_jobs_failed_total{${JOB},reason="ReplicaFailed"}`]: '0x5 1x30' },
    silent: { [`trainyard_jobs_failed_total{${JOB},reason="ReplicaFailed"}`]: '7x40' },
  },
  {
    system, alert: 'TrainyardJobsRestartOften', at: '60m', labels: LABELS,
    series: { [`trainyard_job_restarts_total{${JOB},cause="failure"}`]: '0+1x70' },
    silent: { [`trainyard_job_restarts_total{${JOB},cause="disruption"}`]: '0+1x70', [`trainyard_job_restarts_total{${JOB},cause="failure"}`]: '0x30 4x40' },
  },
  {
    system, alert: 'TrainyardRanksDown', at: '20m', labels: LABELS, value: '2',
    series: { [`trainyard_job_replicas_down{${JOB}}`]: '2x40' }, silent: { [`trainyard_job_replicas_down{${JOB}}`]: '2x10 0x40' },
  },
  {
    system, alert: 'TrainyardJobsStall', at: '20m', labels: LABELS,
    series: { [`trainyard_job_restarts_total{${JOB},cause="stall"}`]: '0x5 1x30' }, silent: { [`trainyard_job_restarts_total{${JOB},cause="failure"}`]: '0x5 1x30' },
  },
  {
    system, alert: 'TrainyardJobsDoNotStart', at: '100m', labels: { job_namespace: 'ml' },
    series: { [`trainyard_jobs{${JOB},phase="Pending"}`]: '1x120', [`trainyard_job_startup_seconds_count{${JOB}}`]: '5x120' },
    silent: { [`trainyard_jobs{${JOB},phase="Pending"}`]: '1x120', [`trainyard_job_startup_seconds_count{${JOB}}`]: '0+1x120' },
  },
  {
    system, alert: 'TrainyardQueueWaitLong', at: '20m', labels: LABELS, value: '4h 30m 0s',
    series: { [`trainyard_job_oldest_queue_wait_seconds{${JOB}}`]: '15000+60x30' }, silent: { [`trainyard_job_oldest_queue_wait_seconds{${JOB}}`]: '600+60x30' },
  },
  {
    system, alert: 'TrainyardGoodputLow', at: '180m', labels: LABELS, value: '50%',
    series: {
      [`trainyard_job_replica_seconds_total{${JOB},state="running"}`]: '0+60x240', [`trainyard_job_replica_seconds_total{${JOB},state="restarting"}`]: '0+60x240',
      [`trainyard_job_rework_replica_seconds_total{${JOB},cause="failure"}`]: '0x240',
    },
    silent: {
      [`trainyard_job_replica_seconds_total{${JOB},state="running"}`]: '0+60x240', [`trainyard_job_replica_seconds_total{${JOB},state="queued"}`]: '0+60x240',
      [`trainyard_job_rework_replica_seconds_total{${JOB},cause="failure"}`]: '0+1x240',
    },
  },
  {
    system, alert: 'TrainyardCheckpointOld', at: '30m', labels: LABELS, value: '2h 43m 20s',
    series: { [`trainyard_job_oldest_checkpoint_age_seconds{${JOB}}`]: '8000+60x40' }, silent: { [`trainyard_job_oldest_checkpoint_age_seconds{${JOB}}`]: '60x40' },
  },
  {
    system, alert: 'TrainyardGpusIdle', at: '50m', labels: { job_namespace: 'ml', job_pod: 'net-worker-0' }, value: '1',
    series: { [GPU]: '1x60', [RUNNING]: '1x60' }, silent: { [GPU]: '90x60', [FORGED]: '1x60', [RUNNING]: '1x60' },
  },
  {
    system, alert: 'TrainyardGpusIdle', at: '50m', labels: { job_namespace: 'ml', job_pod: 'net-worker-0' }, value: '1',
    series: { [GPU]: '1x60', [RUNNING]: '1x60' }, silent: { [GPU]: '1x60', [`trainyard_jobs{${JOB},phase="Completed"}`]: '1x60' },
  },
];
