/** What Linux knows of a process. Other systems have no /proc, and no measurement. */
import fs from 'node:fs';

/** Clock ticks a second in /proc, on every Linux that Node.js runs on. */
const TICKS_PER_SECOND = 100;

/** Use of one process since its start. */
export interface ProcessStats {
  /** Seconds of CPU, user and system. */
  readonly cpuSeconds: number;
  /** Resident memory now, MiB. */
  readonly residentMiB: number;
  /** Most resident memory that there ever was, MiB. */
  readonly peakMiB: number;
}

/** Reads what a process has used. @throws Error when it is gone or this is not Linux */
export function processStats(pid: number): ProcessStats {
  const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The second field is the program's name in parentheses, with whatever is in it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const status = fs.readFileSync(`/proc/${pid}/status`, 'utf8');
  const mebibytes = (field: string) => Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) / 1024;
  return {
    cpuSeconds: (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND,
    residentMiB: mebibytes('VmRSS'),
    peakMiB: mebibytes('VmHWM'),
  };
}

/** Seconds of CPU of several processes by name. */
export function cpuSeconds(pids: { readonly [name: string]: number | undefined }): { [name: string]: number } {
  return Object.fromEntries(Object.entries(pids).flatMap(([name, pid]) => (pid === undefined ? [] : [[name, processStats(pid).cpuSeconds]])));
}

/** What was used between two readings. */
export function used(before: { readonly [name: string]: number }, after: { readonly [name: string]: number }): { [name: string]: number } {
  return Object.fromEntries(Object.entries(after).map(([name, value]) => [name, Math.round((value - (before[name] ?? 0)) * 100) / 100]));
}
