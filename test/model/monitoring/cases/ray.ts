import type { AlertCase } from './alert-case';

const NET = 'namespace="ml",ray_io_cluster="net"';
const LABELS = { namespace: 'ml', ray_io_cluster: 'net' };
const APP = `${NET},application="app"`;

const up = (type: string) => `up{${NET},ray_io_node_type="${type}",pod="net-${type}"}`;
const latency = (le: string) => `ray_serve_http_request_latency_ms_bucket{${APP},le="${le}"}`;
const memory = (location: string) => `ray_object_store_memory{${NET},Location="${location}"}`;
const STORE = { [`ray_resources{${NET},Name="object_store_memory",State="USED"}`]: '95x30', [`ray_resources{${NET},Name="object_store_memory",State="AVAILABLE"}`]: '5x30' };

const system = 'Ray';

/** Stories of Ray. */
export const RAY_CASES: readonly AlertCase[] = [
  { system, alert: 'RayHeadDown', at: '10m', labels: LABELS, series: { [up('head')]: '0x20' }, silent: { [up('head')]: '0x3 1x20', [up('worker')]: '0x20' } },
  {
    system, alert: 'RayWorkersDown', at: '20m', labels: LABELS, value: '1',
    series: { [up('head')]: '1x30', [up('worker')]: '0x30' }, silent: { [up('head')]: '0x30', [up('worker')]: '1x30' },
  },
  {
    system, alert: 'RayWorkersFailOften', at: '40m', labels: LABELS,
    series: { [`ray_node_manager_unexpected_worker_failure_total{${NET}}`]: '0+1x60' }, silent: { [`ray_node_manager_unexpected_worker_failure_total{${NET}}`]: '40x20 44x40' },
  },
  {
    system, alert: 'RayOutOfMemory', at: '12m', labels: LABELS,
    series: { [`ray_memory_manager_worker_eviction_total{${NET}}`]: '0x5 1x30' }, silent: { [`ray_memory_manager_worker_eviction_total{${NET}}`]: '3x40' },
  },
  {
    system, alert: 'RayObjectStoreFull', at: '20m', labels: LABELS, value: '95%',
    series: { ...STORE, [memory('MMAP_SHM')]: '95x30' }, silent: { ...STORE, [memory('MMAP_SHM')]: '40x30', [memory('SPILLED')]: '90x30' },
  },
  {
    system, alert: 'RayDiskFull', at: '20m', labels: { ...LABELS, pod: 'net-head' }, value: '95%',
    series: { [`ray_node_disk_usage{${NET},pod="net-head"}`]: '95x30', [`ray_node_disk_free{${NET},pod="net-head"}`]: '5x30' },
    silent: { [`ray_node_disk_usage{${NET},pod="net-head"}`]: '95x30', [`ray_node_disk_free{${NET},pod="net-head"}`]: '50x30' },
  },
  {
    system, alert: 'RayGpusIdle', at: '90m', labels: LABELS, value: '1',
    series: { [`ray_node_gpus_utilization{${NET},GpuIndex="0"}`]: '1x120' },
    silent: { [`ray_node_gpus_utilization{${NET},GpuIndex="0"}`]: '1x120', [`ray_node_gpus_utilization{${NET},GpuIndex="1"}`]: '90x120' },
  },
  {
    system, alert: 'RayNodesPending', at: '50m', labels: LABELS, value: '2',
    series: { [`autoscaler_pending_nodes{${NET},NodeType="gpu"}`]: '2x60' }, silent: { [`autoscaler_pending_nodes{${NET},NodeType="gpu"}`]: '2x10 0x60' },
  },
  {
    system, alert: 'RayClusterNotProvisioned', at: '50m', labels: { namespace: 'ml', name: 'net' },
    series: { 'kuberay_cluster_condition_provisioned{namespace="ml",name="net",condition="false"}': '1x60' },
    silent: { 'kuberay_cluster_condition_provisioned{namespace="ml",name="net",condition="true"}': '1x60' },
  },
  {
    system, alert: 'RayJobFailed', at: '5m', labels: { namespace: 'kuberay', exported_namespace: 'ml', name: 'job' },
    series: { 'kuberay_job_deployment_status{namespace="kuberay",exported_namespace="ml",name="job",deployment_status="Failed"}': '1x10' },
    silent: { 'kuberay_job_deployment_status{namespace="kuberay",exported_namespace="ml",name="job",deployment_status="Complete"}': '1x10' },
  },
  {
    system, alert: 'RayServeErrors', at: '20m', labels: { ...LABELS, application: 'app' }, value: '10%',
    series: { [`ray_serve_num_http_error_requests_total{${APP},error_code="500"}`]: '0+6x30', [`ray_serve_num_http_requests_total{${APP}}`]: '0+60x30' },
    silent: { [`ray_serve_num_http_error_requests_total{${APP},error_code="500"}`]: '0+1x30', [`ray_serve_num_http_requests_total{${APP}}`]: '0+60x30' },
  },
  {
    system, alert: 'RayServeSlow', at: '30m', labels: { ...LABELS, application: 'app' }, value: '4.778k',
    series: { [latency('1000')]: '0+10x40', [latency('5000')]: '0+100x40', [latency('+Inf')]: '0+100x40' },
    silent: { [latency('1000')]: '0+100x40', [latency('5000')]: '0+100x40', [latency('+Inf')]: '0+100x40' },
  },
];
