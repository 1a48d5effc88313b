/** Ages, times and addresses as text. */
import { duration } from '../model/text/times';

/** `45 s`, `12 min`, `3 h`, `2 d`. */
export function age(since: string | undefined, now: number): string {
  return since === undefined ? '' : duration(now - Date.parse(since));
}

/** A time in the local time zone. @param time RFC 3339, or milliseconds since 1970 */
export function moment(time: string | number): string {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? String(time) : date.toLocaleString(undefined, { dateStyle: 'short', timeStyle: 'medium' });
}

/** Address of a job's page. */
export function jobAddress({ namespace, kind, group, name }: { readonly [part in 'namespace' | 'kind' | 'group' | 'name']: string }): string {
  return `#/job/${[namespace, `${kind.toLowerCase()}.${group}`, name].map(encodeURIComponent).join('/')}`;
}

/** Address of the page of a job of the history. */
export function runAddress({ namespace, uid }: { readonly namespace: string; readonly uid: string }): string {
  return `#/history/run/${[namespace, uid].map(encodeURIComponent).join('/')}`;
}
