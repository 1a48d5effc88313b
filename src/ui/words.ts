/** Values in words. */
import { duration } from '../model/text/times';

/** `45 s`, `12 min`, `3 h`, `2 d`. */
export function age(since: string | undefined, now: number): string {
  if (since === undefined) {
    return '';
  }
  return duration(now - Date.parse(since));
}

/** Local time of a moment. */
export function moment(time: string): string {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? time : date.toLocaleString(undefined, { dateStyle: 'short', timeStyle: 'medium' });
}
