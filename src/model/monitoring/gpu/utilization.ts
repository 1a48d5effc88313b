/** Use of GPUs by the pods that hold them, whichever way the exporter is scraped. */
import { isNoneOf, isOneOf } from '../promql';

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
