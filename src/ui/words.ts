/** Values in words. */

/** `45 s`, `12 min`, `3 h`, `2 d`. */
export function age(since: string | undefined, now: number): string {
  if (since === undefined) {
    return '';
  }
  const seconds = Math.max(0, Math.round((now - Date.parse(since)) / 1000));
  const units = [['d', 86_400], ['h', 3600], ['min', 60], ['s', 1]] as const;
  const [unit, size] = units.find(([, candidate]) => seconds >= 2 * candidate) ?? units[3];
  return `${Math.floor(seconds / size)} ${unit}`;
}

/** `1:02:03`. */
export function clock(seconds: number): string {
  const two = (value: number) => String(value).padStart(2, '0');
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  return hours > 0 ? `${hours}:${two(minutes)}:${two(Math.floor(seconds) % 60)}` : `${minutes}:${two(Math.floor(seconds) % 60)}`;
}

/** Local time of a moment. */
export function moment(time: string): string {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? time : date.toLocaleString(undefined, { dateStyle: 'short', timeStyle: 'medium' });
}
