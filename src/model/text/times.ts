/** Spans of time as people read them. */

/** RFC 3339 in UTC and whole seconds. @param ms milliseconds since the epoch */
export function timeText(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

/** `3 s`, `12 min`, `5 h`, `3 d`. */
export function duration(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  const units = [['d', 86_400], ['h', 3600], ['min', 60], ['s', 1]] as const;
  const [unit, size] = units.find(([, candidate]) => seconds >= 2 * candidate) ?? units[units.length - 1];
  return `${Math.floor(seconds / size)} ${unit}`;
}

/** `1:02:03`, or `2:03` within the first hour. */
export function elapsed(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / 1000);
  const two = (value: number) => String(value).padStart(2, '0');
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}
