/**
 * NVIDIA's DCGM exporter as each installation runs it: where, what finds it, and what it leaves out. Labels and ports are those of the objects
 * that these installations create; a test holds them against recorded ones.
 */
import type { Scrape } from '../monitored-system';
import { isNoneOf, isOneOf } from '../promql';

/** Names of installations, as constructs call them. */
export const GPU_EXPORTERS = ['gpu-operator', 'gke-managed', 'chart'] as const;

export type GpuExporterName = (typeof GPU_EXPORTERS)[number];

export interface GpuExporterFacts {
  /** Namespaces that it runs in by default. */
  readonly namespaces: readonly string[];
  /** Whether a Service leads to its pods, or only their own labels do. */
  readonly of: Scrape['of'];
  readonly matchLabels: { readonly [label: string]: string };
  /** Name of the port, of the Service or of the pod. */
  readonly port: string;
  /** Metrics of NVIDIA's default list that it does not export. */
  readonly lacks: readonly string[];
}

export const GPU_EXPORTER_FACTS: { readonly [exporter in GpuExporterName]: GpuExporterFacts } = {
  /** @see https://github.com/NVIDIA/gpu-operator/blob/main/assets/state-dcgm-exporter/0400_service.yaml */
  'gpu-operator': {
    namespaces: ['gpu-operator', 'nvidia-gpu-operator'], of: 'services', matchLabels: { app: 'nvidia-dcgm-exporter' }, port: 'gpu-metrics', lacks: [],
  },
  /** Google creates no Service for it. @see https://cloud.google.com/kubernetes-engine/docs/how-to/dcgm-metrics */
  'gke-managed': {
    namespaces: ['gke-managed-system'], of: 'pods', matchLabels: { 'app.kubernetes.io/name': 'gke-managed-dcgm-exporter' }, port: 'metrics',
    lacks: ['DCGM_FI_DEV_XID_ERRORS', 'DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS', 'DCGM_FI_DEV_ROW_REMAP_FAILURE'],
  },
  /** @see https://github.com/NVIDIA/dcgm-exporter/blob/main/deployment/templates/service.yaml */
  'chart': {
    namespaces: ['gpu-monitoring'], of: 'services', matchLabels: { 'app.kubernetes.io/name': 'dcgm-exporter' }, port: 'metrics', lacks: [],
  },
};

/** Where these installations run. */
export function exporterNamespacesOf(exporters: readonly GpuExporterName[]): string[] {
  return exporters.flatMap((exporter) => GPU_EXPORTER_FACTS[exporter].namespaces);
}

/** Where any installation runs. */
export const GPU_EXPORTER_NAMESPACES: readonly string[] = exporterNamespacesOf(GPU_EXPORTERS);

/** Metrics that none of these installations exports. */
export function metricsLackedBy(exporters: readonly GpuExporterName[]): string[] {
  const [first = [], ...others] = exporters.map((exporter) => GPU_EXPORTER_FACTS[exporter].lacks);
  return first.filter((metric) => others.every((lacks) => lacks.includes(metric)));
}

/**
 * Who is scraped. A pod with these labels in one of the namespaces could say anything of anybody, so that no other namespace is looked into.
 * @param namespaces @default - those of each installation
 */
export function exporterScrapes(exporters: readonly GpuExporterName[], namespaces: readonly string[] | undefined): Scrape[] {
  return exporters.map((exporter) => {
    const { of, matchLabels, port, namespaces: own } = GPU_EXPORTER_FACTS[exporter];
    return {
      of, name: exporters.length === 1 ? '' : exporter, matchLabels, inNamespaces: namespaces ?? own, podLabels: [],
      endpoints: [{ port, path: '/metrics', honorLabels: true }],
    };
  });
}

/** What measures the GPUs of a platform, if that is known. @param components that it has or finds */
export function exporterOfPlatform(environment: string, components: readonly string[]): GpuExporterName | undefined {
  if (components.includes('gpu-operator')) {
    return 'gpu-operator';
  }
  if (components.includes('dcgm-exporter')) {
    return 'chart';
  }
  return environment === 'gke' ? 'gke-managed' : undefined;
}

/** Labels of what {@link gpuUtilization} gives: the pod that holds the GPUs. */
export const GPU_POD_LABELS = ['job_namespace', 'job_pod'] as const;

const METRIC = 'DCGM_FI_DEV_GPU_UTIL';

/**
 * Mean use in percent of each pod's GPUs over a window. The pod is in `exported_pod` where the scrape does not honour the exporter's labels, and
 * then `pod` is the exporter's own. GPUs that no pod holds have only the exporter's, and are left out: exporters run in namespaces of their own.
 * Any pod that is scraped can show `exported_pod`, which therefore counts only from namespaces of exporters.
 * @param range such as `10m`
 */
export function gpuUtilization(range: string, exporterNamespaces: readonly string[]): string {
  const renamed = (matchers: string, namespace: string, pod: string) => (
    `label_replace(label_replace(avg_over_time(${METRIC}{${matchers}}[${range}]), "job_namespace", "$1", "${namespace}", "(.+)"), "job_pod", "$1", "${pod}", "(.+)")`);
  return `avg by (${GPU_POD_LABELS.join(', ')}) (${renamed(`exported_pod!="",${isOneOf('namespace', exporterNamespaces)}`, 'exported_namespace', 'exported_pod')} or `
    + `${renamed(`exported_pod="",pod!="",${isNoneOf('namespace', exporterNamespaces)}`, 'namespace', 'pod')})`;
}
