/** `trainyard run`: checks and runs a job on this machine. */
import path from 'node:path';
import { InvalidJobError } from './invalid-job-error';
import { LocalArray, LocalSearch, localArraySpec } from './local-children';
import { LocalRun } from './local-run';
import { isMpiWorker } from './mpi-launch';
import type { RunReporter } from './run-reporter';
import { JobStateFolder, STATE_FOLDER_NAME } from './state-folder';
import type { ConfigMap, Secret } from '../../manifests/kubernetes';
import { constructReplicaPod, TRAINING_CONTAINER } from '../../manifests/pod/replica-pod';
import { PodAddressBook } from '../../model/frameworks/address-book';
import { isArray } from '../../model/training-job/array';
import { resolveTrainingJob, type ResolvedTrainingJob } from '../../model/training-job/replicas/resolve';
import type { TrainingJobSpec } from '../../model/training-job/spec';
import type { TrainingJobStatus } from '../../model/training-job/status/status';
import { validateTrainingJob } from '../../model/training-job/validation/validation';
import { isSearch } from '../../model/tuning/trial-spec';
import type { Violation } from '../../model/violations';

export interface LocalRunOptions {
  readonly name: string;
  readonly spec: TrainingJobSpec;
  /** @default default */
  readonly namespace?: string;
  /** Folder of replicas without a working directory. @default - the current folder */
  readonly workingDir?: string;
  /** Folder for the run's files. @default - `.trainyard` in `workingDir` */
  readonly stateFolder?: string;
  /** Folder with the files of `spec.code`. @default - its archive is unpacked, as in a cluster */
  readonly codeFolder?: string;
  /** Config maps that the job refers to. @default none */
  readonly configMaps?: readonly ConfigMap[];
  /** Secrets that the job refers to. @default none */
  readonly secrets?: readonly Secret[];
  /** The user's environment, which replicas inherit. @default process.env */
  readonly env?: NodeJS.ProcessEnv;
  /** Whether checkpoints of earlier runs in `stateFolder` are removed. Those in volumes stay. @default false */
  readonly fresh?: boolean;
  readonly reporter: RunReporter;
  /** Interrupts the run. @default - no interruptions */
  readonly interruptions?: Interruptions;
}

/** Interrupts a run. */
export class Interruptions {
  private listener?: (graceSeconds?: number) => void;
  private pending?: { readonly graceSeconds?: number };

  /**
   * Ends the run.
   * @param graceSeconds seconds between SIGTERM and SIGKILL; 0 kills at once @default - those of the job
   */
  public interrupt(graceSeconds?: number): void {
    this.pending = { graceSeconds };
    this.listener?.(graceSeconds);
  }

  /** Called by the run. */
  public listen(listener: (graceSeconds?: number) => void): void {
    this.listener = listener;
    if (this.pending) {
      listener(this.pending.graceSeconds);
    }
  }
}

/**
 * Runs a job as processes of this machine, which have all ended when this returns.
 * @returns the job's last status: phase `Completed` or `Failed`, or another one after an interruption
 * @throws InvalidJobError with all mistakes of the job, before anything is started
 */
export async function runLocally(options: LocalRunOptions): Promise<TrainingJobStatus> {
  const { name, namespace = 'default', reporter, env = process.env } = options;
  // A suspended job is run, because the user asked to run it.
  const wanted = options.spec?.suspend ? { ...options.spec, suspend: false } : options.spec;
  const violations = validateTrainingJob(name, wanted);
  if (violations.length > 0) {
    throw new InvalidJobError(name, violations);
  }
  const spec = localArraySpec(wanted);
  const job = resolveTrainingJob(name, spec.idle?.action === 'Suspend' ? { ...spec, idle: { ...spec.idle, action: 'Warn' } } : spec);
  const notRunnable = missingCommands(job);
  if (notRunnable.length > 0) {
    throw new InvalidJobError(name, notRunnable);
  }
  if (wanted !== options.spec) {
    reporter.notice('the job is suspended (spec.suspend), but runs here anyway');
  }
  if (spec.security !== undefined) {
    reporter.notice('spec.security is ignored: replicas are your own processes, with your permissions and your network');
  }
  if (spec.idle?.action === 'Suspend') {
    reporter.notice('spec.idle only warns here and does not suspend the job, which could not be resumed');
  }
  const clusterOnly = (['queueName', 'gang', 'topology'] as const).filter((field) => spec.scheduling?.[field] !== undefined);
  if (clusterOnly.length > 0) {
    reporter.notice(`spec.scheduling.${clusterOnly.join(', ')}: this machine has no queue and no scheduler; the job runs at once`);
  }
  const workingDir = path.resolve(options.workingDir ?? '.');
  const root = path.resolve(options.stateFolder ?? path.join(workingDir, STATE_FOLDER_NAME));
  const state = await JobStateFolder.open(root, name, options.fresh);
  try {
    const { codeFolder } = options;
    const settings = {
      job, namespace, workingDir, codeFolder, state, env, reporter,
      configMaps: options.configMaps ?? [], secrets: options.secrets ?? [],
    };
    const run = isSearch(spec) ? new LocalSearch({ ...settings, root })
      : isArray(spec) ? new LocalArray({ ...settings, root }) : new LocalRun(settings);
    options.interruptions?.listen((graceSeconds) => run.interrupt(graceSeconds));
    return await run.run();
  } finally {
    state.close();
  }
}

/** Roles without a command: there is no image with an entry point here. */
function missingCommands(job: ResolvedTrainingJob): Violation[] {
  return job.roles.flatMap((role): Violation[] => {
    const replica = job.replicas.find((candidate) => candidate.role === role.name)!;
    if (isMpiWorker(job, replica)) {
      return [];
    }
    const pod = constructReplicaPod({ job, replica, namespace: 'default', attempt: 0, addresses: new PodAddressBook(job.name) });
    const training = pod.spec!.containers.find((container) => container.name === TRAINING_CONTAINER);
    if (training?.command?.length) {
      return [];
    }
    const list = role.helper === undefined ? 'roles' : 'helpers';
    const written = job.spec[list]?.findIndex((candidate) => candidate.name === role.name);
    return [{
      path: written === undefined ? 'spec.command' : `spec.${list}[${written}].command`,
      value: undefined,
      message: `is needed to run ${role.name} on this machine: the job relies on the entry point of image '${role.image}', and the local runner pulls no images. `
        + 'Set the command that starts the program, such as ["python3", "train.py"].',
    }];
  });
}
