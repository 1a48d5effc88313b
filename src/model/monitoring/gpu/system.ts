/** All about GPUs that is installed: who is scraped, alerts, dashboard. */
import { GPU_EXPORTERS, exporterNamespacesOf, exporterScrapes, metricsLackedBy, GPU_POD_LABELS, gpuUtilization, type GpuExporterName } from './exporters';
import { chosen, query, type Alert, type Dashboard, type MonitoredSystem, type Panel, type RuleGroup } from '../monitored-system';
import { promDuration } from '../promql';

const GPU = ['Hostname', 'gpu'] as const;
const LEGEND = '{{Hostname}} GPU {{gpu}}';
const NODE = chosen('Hostname', 'node');

const panel = (title: string, unit: string, metric: string): Panel => (
  { title, unit, queries: [query(`max by (${GPU.join(', ')}) (${metric}{${NODE}})`, LEGEND)] });

function dashboard({ exporterNamespaces, lacks }: GpuThresholds): Dashboard {
  const has = ({ queries }: Panel) => !queries.some(({ expr }) => lacks.some((metric) => expr.includes(metric)));
  return {
    uid: 'trainyard-gpus',
    title: 'Trainyard: GPUs',
    tags: ['trainyard', 'gpu'],
    variables: [{ name: 'node', label: 'Node', metric: 'DCGM_FI_DEV_GPU_UTIL', valuesOf: 'Hostname' }],
    rows: [{
      panels: ([
        { title: 'GPUs', kind: 'stat', queries: [query(`count(count by (UUID) (DCGM_FI_DEV_GPU_UTIL{${NODE}}))`, 'GPUs')] },
        { title: 'Mean use', kind: 'stat', unit: 'percent', queries: [query(`avg(DCGM_FI_DEV_GPU_UTIL{${NODE}})`, 'use')] },
        { title: 'Power', kind: 'stat', unit: 'watt', queries: [query(`sum(max by (UUID) (DCGM_FI_DEV_POWER_USAGE{${NODE}}))`, 'power')] },
        panel('Use', 'percent', 'DCGM_FI_DEV_GPU_UTIL'),
        {
          title: 'Memory', unit: 'percentunit',
          queries: [query(`max by (${GPU.join(', ')}) (DCGM_FI_DEV_FB_USED{${NODE}} / (DCGM_FI_DEV_FB_USED{${NODE}} + DCGM_FI_DEV_FB_FREE{${NODE}}))`, LEGEND)],
        },
        { title: 'Use by pod', unit: 'percent', queries: [query(gpuUtilization('5m', exporterNamespaces), GPU_POD_LABELS.map((label) => `{{${label}}}`).join(' '))] },
        panel('Temperature', 'celsius', 'DCGM_FI_DEV_GPU_TEMP'),
        panel('Power of each', 'watt', 'DCGM_FI_DEV_POWER_USAGE'),
        panel('Clock', 'mhz', 'DCGM_FI_DEV_SM_CLOCK'),
        panel('Last XID error', 'short', 'DCGM_FI_DEV_XID_ERRORS'),
        panel('Remapped memory rows', 'short', 'DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS'),
      ] satisfies Panel[]).filter(has),
    }],
  };
}

/** What is known of the exporters, besides thresholds. */
export interface GpuSystemOptions extends Omit<GpuThresholds, 'exporterNamespaces' | 'lacks'> {
  /** Installations that are looked for. @default - every known one */
  readonly exporters?: readonly GpuExporterName[];
  /** Namespaces whose exporters are scraped and believed. @default - those of the installations */
  readonly exporterNamespaces?: readonly string[];
}

/** GPUs as NVIDIA's DCGM exporter sees them. */
export function gpuSystem({ exporters = GPU_EXPORTERS, exporterNamespaces, ...rest }: GpuSystemOptions): MonitoredSystem {
  const thresholds = { ...rest, exporterNamespaces: exporterNamespaces ?? exporterNamespacesOf(exporters), lacks: metricsLackedBy(exporters) };
  return { scrapes: exporterScrapes(exporters, exporterNamespaces), groups: gpuRuleGroups(thresholds), dashboard: dashboard(thresholds) };
}

/** From when on alerts fire. */
interface GpuThresholds {
  /** Use in percent below which a GPU is idle. */
  readonly idlePercent: number;
  /** For how long, seconds. */
  readonly idleSeconds: number;
  readonly temperature: number;
  /** Namespaces whose exporters are believed. */
  readonly exporterNamespaces: readonly string[];
  /** Metrics that no exporter has. An alert that asks for one could never fire, and is left out. */
  readonly lacks: readonly string[];
}

/** Newer exporters give each error a series of its own, with its text as a label. */
const XID = 'max by (Hostname, gpu, UUID) (DCGM_FI_DEV_XID_ERRORS)';

/** Rules for all GPUs that an exporter reports. */
function gpuRuleGroups({ idlePercent, idleSeconds, temperature, exporterNamespaces, lacks }: GpuThresholds): RuleGroup[] {
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
