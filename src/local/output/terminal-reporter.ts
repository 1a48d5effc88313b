/** Shows a local run on a terminal or in a log file. */
import { replicaColour } from './colours';
import { describeFailure } from './failure-text';
import { progressLine, reportedProgress } from './progress-line';
import type { Terminal } from './terminal';
import type { PodLine } from '../process/pod-process';
import type { RunReporter } from '../runner/run-reporter';
import type { Replica } from '../../model/frameworks/contract';
import type { ResolvedTrainingJob } from '../../model/training-job/replicas/resolve';
import type { TrainingJobStatus } from '../../model/training-job/status/status';
import { elapsed } from '../../model/text/times';

/** How often the time in the live line moves, in milliseconds. */
const TICK_MS = 1000;

/** See {@link RunReporter}. */
export class TerminalReporter implements RunReporter {
  private readonly startedAt = Date.now();
  private jobName = '';
  private prefixes?: LogPrefixes;
  private current: TrainingJobStatus = {};
  private reported?: string;
  private ticker?: NodeJS.Timeout;

  public constructor(private readonly terminal: Terminal) {}

  public started(job: ResolvedTrainingJob): void {
    this.jobName = job.name;
    this.prefixes = new LogPrefixes(job);
    const roles = job.roles.map((role) => `${role.replicas} ${role.name}`).join(', ');
    const count = job.replicas.length;
    this.notice(`${count} replica${count === 1 ? '' : 's'} of ${job.framework.title} as processes on this machine: ${roles}`);
    if (this.terminal.isLive) {
      this.ticker = setInterval(() => this.showProgress(), TICK_MS).unref();
    }
  }

  public line(replica: Replica, { container, text }: PodLine): void {
    if (replica.ordinal === 0) {
      this.reported = reportedProgress(text) ?? this.reported;
    }
    this.terminal.raw(`${this.terminal.paintOut(this.prefixes!.of(replica, container), replicaColour(replica.ordinal))}${text}`);
  }

  public notice(message: string): void {
    this.say(message, 'grey');
  }

  public warning(message: string): void {
    this.say(message, 'yellow');
  }

  public status(status: TrainingJobStatus): void {
    if (status.tuning === undefined && status.array === undefined && status.phase !== this.current.phase && status.phase === 'Running') {
      this.notice(`all ${status.replicas} replicas run`);
    }
    this.current = status;
    this.showProgress();
  }

  /** After the run: removes the live line and reports the result. */
  public finished(status: TrainingJobStatus): void {
    clearInterval(this.ticker);
    this.terminal.setLive('');
    const time = elapsed(Date.now() - this.startedAt);
    const restarts = status.restarts ? `, ${status.restarts} restart${status.restarts === 1 ? '' : 's'}` : '';
    if (status.phase === 'Completed') {
      this.say(`Completed in ${time}${restarts}`, 'green');
      return;
    }
    const condition = status.conditions?.find(({ type, status: holds }) => type === 'Failed' && holds === 'True');
    this.say(status.phase === 'Failed' ? `Failed after ${time}${restarts}: ${condition?.reason ?? 'unknown'}` : `Interrupted after ${time}`, 'red');
    if (status.phase === 'Failed') {
      const detail = status.lastFailure ? describeFailure(status.lastFailure) : [condition?.message ?? ''];
      detail.forEach((line) => this.terminal.note(`  ${line}`));
    }
  }

  private say(message: string, colour: 'grey' | 'yellow' | 'green' | 'red'): void {
    this.terminal.note(this.terminal.paintErr(`trainyard: ${this.jobName ? `${this.jobName}: ` : ''}${message}`, colour));
  }

  private showProgress(): void {
    this.terminal.setLive(progressLine({
      jobName: this.jobName, status: this.current, elapsedMs: Date.now() - this.startedAt, reported: this.reported,
    }));
  }
}

/** Container whose lines need no further name. */
const TRAINING = 'training';

/**
 * Prefixes of one job's replicas: `[0] master   | `, `[1] worker-0 | `; a replica without a rank has `[-]`.
 *
 * The prefix has the rank and name of the replica, and the same width for all `training` containers of a job.
 */
export class LogPrefixes {
  private readonly rankWidth: number;
  private readonly nameWidth: number;

  public constructor(private readonly job: ResolvedTrainingJob) {
    this.rankWidth = Math.max(1, String(job.trainers - 1).length);
    this.nameWidth = job.replicas.reduce((width, replica) => Math.max(width, containerName(job, replica, TRAINING).length), 0);
  }

  /** The prefix of a container's lines. */
  public of(replica: Replica, container = TRAINING): string {
    const rank = String(replica.rank ?? '-').padStart(this.rankWidth);
    return `[${rank}] ${containerName(this.job, replica, container).padEnd(this.nameWidth)} | `;
  }
}

/** The pod's name without the job's: `master`, `worker-0`, `worker-0:sidecar`. */
function containerName(job: ResolvedTrainingJob, replica: Replica, container: string): string {
  const name = replica.podName.slice(job.name.length + 1);
  return container === TRAINING ? name : `${name}:${container}`;
}
