import type { AlertCase } from './alert-case';

const GPU = 'gpu="0",Hostname="n1",UUID="GPU-1"';
const LABELS = { gpu: '0', Hostname: 'n1', UUID: 'GPU-1' };
const HELD = `DCGM_FI_DEV_GPU_UTIL{${GPU},namespace="ml",pod="net-0",container="training"}`;

/** A GPU that nobody holds: its labels are those of the exporter. */
const FREE = `DCGM_FI_DEV_GPU_UTIL{${GPU},namespace="gpu-operator",pod="dcgm-x7",container="nvidia-dcgm-exporter"}`;

/** The same of the chart's exporter, whose container has another name. */
const FREE_OF_CHART = `DCGM_FI_DEV_GPU_UTIL{${GPU},namespace="gpu-monitoring",pod="dcgm-exporter-x7",container="exporter"}`;

/** What a pod of a tenant says about a pod of another, as any pod that is scraped can. */
const FORGED = `DCGM_FI_DEV_GPU_UTIL{${GPU},exported_namespace="ml",exported_pod="net-0",namespace="mallory",pod="forger"}`;

const system = 'all GPUs';

/** A GPU of GKE that nobody holds. */
const FREE_ON_GKE = `DCGM_FI_DEV_GPU_UTIL{${GPU},namespace="gke-managed-system",pod="dcgm-exporter-x7",container="dcgm-exporter"}`;

/** Stories of GPUs. */
export const GPU_CASES: readonly AlertCase[] = [
  { system: 'GPUs on GKE', alert: 'GpuIdle', at: '50m', labels: { job_namespace: 'ml', job_pod: 'net-0' }, series: { [HELD]: '2x60' }, silent: { [FREE_ON_GKE]: '0x60' } },
  {
    system: 'GPUs on GKE', alert: 'GpuHot', at: '20m', labels: LABELS, value: '92',
    series: { [`DCGM_FI_DEV_GPU_TEMP{${GPU}}`]: '92x30' }, silent: { [`DCGM_FI_DEV_GPU_TEMP{${GPU}}`]: '70x30' },
  },
  { system, alert: 'GpuIdle', at: '50m', labels: { job_namespace: 'ml', job_pod: 'net-0' }, series: { [HELD]: '2x60' }, silent: { [FREE]: '0x60', [FREE_OF_CHART]: '0x60', [FORGED]: '0x60' } },
  {
    system, alert: 'GpuXidError', at: '25m', labels: LABELS, value: '79',
    series: { [`DCGM_FI_DEV_XID_ERRORS{${GPU}}`]: '0x20 79x30' }, silent: { [`DCGM_FI_DEV_XID_ERRORS{${GPU}}`]: '79x60' },
  },
  {
    system, alert: 'GpuMemoryBroken', at: '5m', labels: LABELS,
    series: { [`DCGM_FI_DEV_ROW_REMAP_FAILURE{${GPU}}`]: '1x10' }, silent: { [`DCGM_FI_DEV_ROW_REMAP_FAILURE{${GPU}}`]: '0x10' },
  },
  {
    system, alert: 'GpuHot', at: '20m', labels: LABELS, value: '92',
    series: { [`DCGM_FI_DEV_GPU_TEMP{${GPU}}`]: '92x30' }, silent: { [`DCGM_FI_DEV_GPU_TEMP{${GPU}}`]: '92x5 70x30' },
  },
];
