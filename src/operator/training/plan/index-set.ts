/**
 * Sets of replica indexes, written as an Indexed Job writes `completedIndexes`: "0-3,7". A job of 10,000 replicas that all succeeded is
 * "0-9999", and even the worst set (every second one) stays far below what etcd takes.
 * @see https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/job-v1/#JobStatus
 */

/** Reads a set; text that no planner wrote gives the indexes that can be read from it. */
export function parseIndexes(text: string | undefined): Set<number> {
  const indexes = new Set<number>();
  for (const part of (text ?? '').split(',')) {
    const match = /^(\d+)(?:-(\d+))?$/.exec(part);
    if (match) {
      const last = Number(match[2] ?? match[1]);
      for (let index = Number(match[1]); index <= last; index++) {
        indexes.add(index);
      }
    }
  }
  return indexes;
}

/** Writes a set; undefined when it is empty, so that the field is absent. */
export function formatIndexes(indexes: ReadonlySet<number>): string | undefined {
  const sorted = [...indexes].sort((a, b) => a - b);
  const parts: string[] = [];
  for (let start = 0; start < sorted.length;) {
    let end = start;
    while (end + 1 < sorted.length && sorted[end + 1] === sorted[end] + 1) {
      end++;
    }
    parts.push(end === start ? `${sorted[start]}` : `${sorted[start]}-${sorted[end]}`);
    start = end + 1;
  }
  return parts.length > 0 ? parts.join(',') : undefined;
}
