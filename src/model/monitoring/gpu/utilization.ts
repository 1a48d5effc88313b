/** Use of GPUs by the pods that hold them, whichever way the exporter is scraped. */

/** Labels of what {@link gpuUtilization} gives: the pod that holds the GPUs. */
export const GPU_POD_LABELS = ['job_namespace', 'job_pod'] as const;

const METRIC = 'DCGM_FI_DEV_GPU_UTIL';

/**
 * Mean use in percent of each pod's GPUs over a window. The pod stands in `exported_pod` where the scrape does not honour the exporter's labels, and
 * then `pod` is the exporter's own; GPUs that nobody holds have only that one, and are left out.
 * @param range such as `10m`
 */
export function gpuUtilization(range: string): string {
  const renamed = (matchers: string, namespace: string, pod: string) => (
    `label_replace(label_replace(avg_over_time(${METRIC}{${matchers}}[${range}]), "job_namespace", "$1", "${namespace}", "(.+)"), "job_pod", "$1", "${pod}", "(.+)")`);
  return `avg by (${GPU_POD_LABELS.join(', ')}) (${renamed('exported_pod!=""', 'exported_namespace', 'exported_pod')} or `
    + `${renamed('exported_pod="",pod!="",container!~".*dcgm-exporter.*"', 'namespace', 'pod')})`;
}
