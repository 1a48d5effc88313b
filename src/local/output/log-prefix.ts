/** What stands before a replica's log lines: its rank and name, equally wide for all `training` containers of a job. */
import type { Replica } from '../../model/frameworks/contract';
import type { ResolvedTrainingJob } from '../../model/training-job/replicas/resolve';

/** Container whose lines need no further name. */
const TRAINING = 'training';

/** Prefixes of one job's replicas: `[0] master   | `, `[1] worker-0 | `; a replica without a rank has `[-]`. */
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
