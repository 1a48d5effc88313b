/**
 * The files of local runs:
 *
 *     .trainyard/.gitignore            so that nothing is committed
 *     .trainyard/claims/CLAIM/         content of a PersistentVolumeClaim; shared by all jobs, never removed
 *     .trainyard/jobs/JOB/checkpoints/ content of an absolute `checkpointPath` without a volume; kept
 *     .trainyard/jobs/JOB/status.json  the job as `kubectl get -o json` would show it
 *     .trainyard/jobs/JOB/logs/        a file for each pod and attempt, of the last run
 *     .trainyard/jobs/JOB/pods/        volumes of running pods; removed with them
 */
import fs from 'node:fs';
import path from 'node:path';
import { acquireFolderLock, type HeldLock } from '../control-plane/folder-lock';
import type { PodLine } from '../process/pod-process';
import type { PodFolders } from '../process/volume-folders';
import type { Replica } from '../../model/frameworks/contract';
import { entryFor } from '../../model/lists';

export const STATE_FOLDER_NAME = '.trainyard';

export class JobStateFolder {
  /**
   * Creates and locks the folder: two runs of a job at the same time would mix their files.
   * @param fresh whether checkpoints of earlier runs are removed; default false
   * @param checkpoints folder for checkpoints; default: below the job's own
   */
  public static async open(root: string, jobName: string, fresh = false, checkpoints?: string): Promise<JobStateFolder> {
    const folder = path.join(root, 'jobs', jobName);
    fs.mkdirSync(folder, { recursive: true });
    ignoreByGit(root);
    const lock = await acquireFolderLock(folder, { timeoutMs: 0 }).catch((error: Error) => {
      throw new Error(`Job '${jobName}' already runs from this folder: ${error.message}`, { cause: error });
    });
    const previous = fresh ? undefined : readJson(path.join(folder, 'status.json'));
    for (const name of ['pods', 'logs', 'status.json', ...(fresh ? ['checkpoints'] : [])]) {
      fs.rmSync(path.join(folder, name), { recursive: true, force: true });
    }
    fs.mkdirSync(path.join(folder, 'logs'));
    return new JobStateFolder(root, folder, lock, checkpoints ?? path.join(folder, 'checkpoints'), previous);
  }

  private constructor(
    private readonly root: string,
    private readonly folder: string,
    private readonly lock: HeldLock,
    /** Folder for checkpoints that no volume holds. */
    public readonly checkpoints: string,
    /** The job at the end of the last run. */
    public readonly previous?: unknown,
  ) {}

  /** Whether an earlier run has left checkpoints there. */
  public get hasCheckpoints(): boolean {
    return fs.existsSync(this.checkpoints) && fs.readdirSync(this.checkpoints).length > 0;
  }

  /** A file of the runner for the job's processes. */
  public file(name: string): string {
    return path.join(this.folder, name);
  }

  public podFolders(podName: string): PodFolders {
    return { pod: path.join(this.folder, 'pods', podName), claims: path.join(this.root, 'claims') };
  }

  /** Log file of a container. That of the training container has the pod's name. */
  public logFile(podName: string, attempt: number, container: string): string {
    const suffix = container === 'training' ? '' : `-${container}`;
    return path.join(this.folder, 'logs', `${podName}${suffix}.attempt-${attempt}.log`);
  }

  /**
   * Replaces `status.json`, so that a reader never sees half of it.
   * @throws Error that names the file, on a full disk; the old content stays
   */
  public writeStatus(job: object): void {
    const file = path.join(this.folder, 'status.json');
    try {
      fs.writeFileSync(`${file}.new`, `${JSON.stringify(job, undefined, 2)}\n`);
      fs.renameSync(`${file}.new`, file);
    } catch (error) {
      fs.rmSync(`${file}.new`, { force: true });
      throw unwritable(file, error as Error);
    }
  }

  /** Unlocks the folder, and removes the files of pods, which may be secrets. */
  public close(): void {
    fs.rmSync(path.join(this.folder, 'pods'), { recursive: true, force: true });
    this.lock.release();
  }
}

/** Adds a `.gitignore` to a folder. */
export function ignoreByGit(folder: string): void {
  const file = path.join(folder, '.gitignore');
  if (!fs.existsSync(file)) {
    fs.writeFileSync(file, '*\n');
  }
}

/** The error for a file of a run that cannot be written. */
function unwritable(file: string, error: NodeJS.ErrnoException): Error {
  const reason = error.code === 'ENOSPC' || error.code === 'EDQUOT'
    ? `the disk is full (${error.code}). Free some space and run the job again; it continues from its checkpoints`
    : error.message;
  return new Error(`The run was stopped, because ${file} cannot be written: ${reason}.`, { cause: error });
}

/** The content of a file; undefined if it does not exist or is incomplete. */
function readJson(file: string): unknown {
  try {
    return JSON.parse(fs.readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

/** Log files of replicas. A file is created with its first line. */
export class ReplicaLogs {
  private readonly files = new Map<string, number>();

  private broken = false;

  /** @param onError is called once, when a line cannot be written; no line is written after it */
  public constructor(private readonly state: JobStateFolder, private readonly onError: (error: Error) => void) {}

  /** Writes a line of a replica. Does not throw. */
  public write(replica: Replica, attempt: number, { container, text }: PodLine): void {
    if (this.broken) {
      return;
    }
    const name = this.state.logFile(replica.podName, attempt, container);
    try {
      this.append(name, Buffer.from(`${text}\n`));
    } catch (error) {
      this.broken = true;
      this.onError(unwritable(name, error as Error));
    }
  }

  private append(name: string, line: Buffer): void {
    const file = entryFor(this.files, name, () => fs.openSync(name, 'a'));
    // If a disk is nearly full, a part of a line is written without an error.
    for (let written = 0; written < line.length;) {
      written += fs.writeSync(file, line, written);
    }
  }

  /** Closes all files. */
  public close(): void {
    this.files.forEach((file) => fs.closeSync(file));
    this.files.clear();
  }
}
