/** All about GPUs that is installed: who is scraped, alerts, dashboard. */
import { gpuRuleGroups, type GpuThresholds } from './alerts';
import { GPU_POD_LABELS, gpuUtilization } from './utilization';
import { chosen, query, type Dashboard, type Panel } from '../dashboard';
import type { MonitoredSystem } from '../scrape';

const GPU = ['Hostname', 'gpu'] as const;
const LEGEND = '{{Hostname}} GPU {{gpu}}';
const NODE = chosen('Hostname', 'node');

const panel = (title: string, unit: string, metric: string): Panel => (
  { title, unit, queries: [query(`max by (${GPU.join(', ')}) (${metric}{${NODE}})`, LEGEND)] });

function dashboard({ exporterNamespaces }: GpuThresholds): Dashboard {
  return {
    uid: 'trainyard-gpus',
    title: 'Trainyard: GPUs',
    tags: ['trainyard', 'gpu'],
    variables: [{ name: 'node', label: 'Node', metric: 'DCGM_FI_DEV_GPU_UTIL', valuesOf: 'Hostname' }],
    rows: [{
      panels: [
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
        panel('Rows of memory that were replaced', 'short', 'DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS'),
      ],
    }],
  };
}

/** What the GPU operator's Service of the exporter is called by, and its port. */
const EXPORTER_LABELS = { app: 'nvidia-dcgm-exporter' };

/** GPUs as NVIDIA's DCGM exporter sees them. */
export function gpuSystem(thresholds: GpuThresholds): MonitoredSystem {
  return {
    // Whoever could run a pod with these labels there could say anything of anybody.
    scrapes: [{
      of: 'services', name: '', matchLabels: EXPORTER_LABELS, inNamespaces: thresholds.exporterNamespaces,
      endpoints: [{ port: 'gpu-metrics', path: '/metrics', honorLabels: true }], podLabels: [],
    }],
    groups: gpuRuleGroups(thresholds),
    dashboard: dashboard(thresholds),
  };
}
