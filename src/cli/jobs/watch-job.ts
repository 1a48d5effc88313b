/** Watches a job until it reaches a state, and shows its progress: one live line on a terminal, otherwise a line for each change. */
import { setTimeout as delay } from 'node:timers/promises';
import { rowOf, type JobRow } from './job-row';
import { STATE_COLOURS } from './state-colours';
import { currentJob, isFinal, titleOf, type Target } from './target';
import { Terminal } from '../../local/output/terminal';
import { TransportError } from '../../operator/runtime/http/api-error';
import { elapsed } from '../../model/text/times';

export type WaitedState = 'finished' | 'running' | 'suspended' | 'failed' | 'deleted';

export interface WatchOptions {
  readonly until: WaitedState;
  /** @default - no limit */
  readonly timeoutMs?: number;
  readonly terminal?: Terminal;
}

/** Milliseconds between two requests. */
const LOOK_MS = 1_000;

/** Requests without an answer before it gives up, about five minutes. */
const MAX_SILENT = 300;

/** @returns 0 when the state was reached, 1 when it cannot be reached or after the timeout */
export async function watchJob(target: Target, { until, timeoutMs = Infinity, terminal = new Terminal() }: WatchOptions): Promise<number> {
  const startedAt = performance.now();
  let shown = '';
  let silent = 0;
  for (;;) {
    let job;
    try {
      job = await currentJob(target);
      silent = 0;
    } catch (error) {
      silent += 1;
      if (!(error instanceof TransportError) || silent > MAX_SILENT) {
        throw error;
      }
      terminal.setLive(`${titleOf(target)}: the cluster does not answer; trying again`);
      await delay(LOOK_MS);
      continue;
    }
    if (job === undefined) {
      terminal.setLive('');
      terminal.note(`${titleOf(target)} is deleted`);
      return until === 'deleted' ? 0 : 1;
    }
    const row = rowOf(target.kind, job);
    const line = `${titleOf(target)}: ${rowWords(row)}`;
    const words = `${row.phase} ${row.ready ?? ''} ${row.queuePosition ?? ''} ${row.progressPercentage ?? ''}`;
    if (terminal.isLive) {
      terminal.setLive(`${line} · ${elapsed(performance.now() - startedAt)}`);
    } else if (words !== shown) {
      shown = words;
      terminal.note(line);
    }
    const reached = isReached(row, until);
    if (reached !== undefined || performance.now() - startedAt > timeoutMs) {
      terminal.setLive('');
      if (terminal.isLive) {
        terminal.note(terminal.paintErr(line, STATE_COLOURS[row.state]));
      }
      if (reached === undefined) {
        terminal.note(`trainyard: ${titleOf(target)} is not ${until} after ${elapsed(timeoutMs)}.`);
      }
      return reached === true ? 0 : 1;
    }
    await delay(Math.min(LOOK_MS, Math.max(0, timeoutMs - (performance.now() - startedAt)) + 1));
  }
}

/** `Running · 3/4 ready · 45 % · 2:10 left · queue research, place 3`. */
export function rowWords(row: JobRow): string {
  const { phase, ready, progressPercentage, estimatedRemainingSeconds, queue, queuePosition, state, reason, message } = row;
  const hasReason = state === 'Failed' || state === 'Suspended' || state === 'Restarting';
  return [
    phase,
    ready === undefined ? undefined : `${ready} ready`,
    progressPercentage === undefined ? undefined : `${progressPercentage} %`,
    estimatedRemainingSeconds === undefined ? undefined : `${elapsed(estimatedRemainingSeconds * 1000)} left`,
    queue === undefined || state !== 'Waiting' ? undefined : `queue ${queue}${queuePosition === undefined ? '' : `, place ${queuePosition}`}`,
    hasReason ? [reason, message].filter(Boolean).join(': ') : undefined,
  ].filter(Boolean).join(' · ');
}

/** Whether the state was reached; undefined while it can still be reached. */
function isReached(row: JobRow, until: WaitedState): boolean | undefined {
  const { state } = row;
  const ended = isFinal(row);
  switch (until) {
    case 'deleted': return undefined;
    case 'finished': return ended ? state === 'Succeeded' : undefined;
    case 'failed': return ended ? state === 'Failed' : undefined;
    // A job that has succeeded was running.
    case 'running': return state === 'Running' || state === 'Succeeded' ? true : ended ? false : undefined;
    case 'suspended': return state === 'Suspended' ? true : ended ? false : undefined;
  }
}
