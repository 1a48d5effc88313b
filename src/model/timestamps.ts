/** Times as Kubernetes writes them. */

/** RFC 3339 in UTC and whole seconds. @param ms milliseconds since the epoch */
export function timeText(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}
