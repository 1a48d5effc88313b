/** All about GPUs that is installed: who is scraped, alerts, dashboard. */
import { gpuRuleGroups, type GpuThresholds } from './alerts';
import { GPU_EXPORTERS, exporterNamespacesOf, exporterScrapes, metricsLackedBy, type GpuExporterName } from './exporters';
import { GPU_POD_LABELS, gpuUtilization } from './utilization';
import { chosen, query, type Dashboard, type Panel } from '../dashboard';
import type { MonitoredSystem } from '../scrape';

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
