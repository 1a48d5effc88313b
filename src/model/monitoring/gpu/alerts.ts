/** Alerts about GPUs, whoever uses them. */
import { gpuUtilization } from './utilization';
import { promDuration } from '../promql';
import type { Alert, RuleGroup } from '../rules';

/** From when on alerts fire. */
export interface GpuThresholds {
  /** Use in percent below which a GPU is idle. */
  readonly idlePercent: number;
  /** For how long, seconds. */
  readonly idleSeconds: number;
  /** Celsius. */
  readonly temperature: number;
  /** Namespaces whose exporters are believed. */
  readonly exporterNamespaces: readonly string[];
  /** Metrics that no exporter has. An alert that asks for one could never fire, and is left out. */
  readonly lacks: readonly string[];
}

/** Newer exporters give each error a series of its own, with its text as a label. */
const XID = 'max by (Hostname, gpu, UUID) (DCGM_FI_DEV_XID_ERRORS)';

/** Rules for all GPUs that an exporter tells of. */
export function gpuRuleGroups({ idlePercent, idleSeconds, temperature, exporterNamespaces, lacks }: GpuThresholds): RuleGroup[] {
  const where = 'GPU {{ $labels.gpu }} of {{ $labels.Hostname }}';
  const rules: Alert[] = [
    {
      alert: 'GpuIdle', severity: 'warning', for: promDuration(idleSeconds), expr: `${gpuUtilization('10m', exporterNamespaces)} < ${idlePercent}`,
      summary: 'Pod {{ $labels.job_pod }} in {{ $labels.job_namespace }} leaves its GPUs idle',
      description: `They have been used for less than ${idlePercent} % of the time. Check what the pod waits for, or free the GPUs.`,
    },
    {
      alert: 'GpuXidError', severity: 'warning', expr: `${XID} > 0 unless ${XID} == max by (Hostname, gpu, UUID) (DCGM_FI_DEV_XID_ERRORS offset 10m)`,
      summary: `${where} has reported XID {{ $value }}`,
      description: 'The driver reported an error. XID 13, 31, 43 and 45 come from programs; 48, 63, 64, 74, 79, 94 and 95 from the hardware: drain the node for those.',
    },
    {
      alert: 'GpuMemoryBroken', severity: 'critical', expr: 'max by (Hostname, gpu, UUID) (DCGM_FI_DEV_ROW_REMAP_FAILURE) > 0',
      summary: `${where} has memory errors that cannot be repaired`,
      description: 'Remapping a memory row failed. Drain the node and have the GPU replaced.',
    },
    {
      alert: 'GpuHot', severity: 'warning', for: '10m', expr: `max by (Hostname, gpu, UUID) (DCGM_FI_DEV_GPU_TEMP) > ${temperature}`,
      summary: `${where} is {{ $value }} °C hot`,
      description: 'It throttles to protect itself. Check the cooling of the node.',
    },
  ];
  return [{ name: 'trainyard-gpus', rules: rules.filter(({ expr }) => !lacks.some((metric) => expr.includes(metric))) }];
}
