/** A process from its start to its end, with the time that passed and the CPU that it used. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import type { Elapsed } from './programs/stopwatch';

/** Clock ticks a second in /proc, on every Linux that Node.js runs on. */
const TICKS_PER_SECOND = 100;

/** One run. Its CPU time comes in steps of 10 ms, and is NaN where the system does not tell. */
export interface ProcessRun extends Elapsed {
  readonly stdout: string;
}

/**
 * Runs a program. Nothing else may be started by this process meanwhile.
 * @returns undefined when it takes longer than `limitMs`
 * @throws Error when it cannot be started, or fails
 */
export function runProcess(command: string, args: readonly string[], limitMs?: number): ProcessRun | undefined {
  const cpuBefore = cpuOfChildrenMs();
  const started = performance.now();
  const { status, stdout, stderr, error } = spawnSync(command, args, { encoding: 'utf8', maxBuffer: 2 ** 30, timeout: limitMs });
  const wallMs = performance.now() - started;
  if ((error as NodeJS.ErrnoException | undefined)?.code === 'ETIMEDOUT') {
    return undefined;
  }
  if (error || status !== 0) {
    throw new Error(`running ${command} ${args.join(' ')}: ${error?.message ?? `it ended with ${status}: ${stderr}`}`);
  }
  return { wallMs, cpuMs: cpuOfChildrenMs() - cpuBefore, stdout };
}

/** CPU of all child processes that have ended. */
function cpuOfChildrenMs(): number {
  try {
    const stat = fs.readFileSync('/proc/self/stat', 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return ((Number(fields[13]) + Number(fields[14])) * 1000) / TICKS_PER_SECOND;
  } catch {
    return NaN;
  }
}
