import { ApiObject, Lazy, Names, type Duration } from 'cdk8s';
import * as kplus from 'cdk8s-plus-28';
import type { Construct } from 'constructs';
import { PlainApiObject } from '../rendering/plain-api-object';
import { JobLauncher } from './job-launcher';
import type { LauncherOptions } from './launcher-options';
import { CRON_ENV, constructCronJobSpec } from '../../manifests/events/triggers';
import type { CronSpec } from '../../model/events/spec';
import { validateCron } from '../../model/events/validation';
import { formatViolation } from '../../model/violations';
import type { IStorage } from '../training-job/pods/kplus-types';
import { checkProps } from '../props/check-props';
import { reportAtSynth } from '../rendering/problems';

/** Longest generated name: it leaves room for the time and for the suffixes of pod names. */
const GENERATED_NAME_MAX_LENGTH = 35;

/** What happens when a job is due while another one runs. */
export enum TrainingConcurrency {
  /** Both run. */
  ALLOW = 'Allow',
  /** The new one is skipped. */
  FORBID = 'Forbid',
  /** The old one is deleted. */
  REPLACE = 'Replace',
}

/** Properties of a `CronTraining`. */
export interface CronTrainingProps extends LauncherOptions {
  /** Schedule in cron syntax: five fields, or a name such as `@daily`. */
  readonly schedule: string;

  /** Time zone of the schedule, such as `Europe/Berlin`. @default - the cluster's, usually UTC */
  readonly timeZone?: string;

  /** What happens when a job is due while another one runs. @default TrainingConcurrency.FORBID */
  readonly concurrency?: TrainingConcurrency;

  /** How late a missed job may still start, for example after an outage of the cluster. @default - any time */
  readonly startingDeadline?: Duration;

  /**
   * Number of succeeded jobs to keep when the next one starts.
   * @default - all, until `runPolicy` of the job deletes them
   */
  readonly successfulJobs?: number;

  /** Number of failed jobs to keep when the next one starts. @default - all, until `runPolicy` of the job deletes them */
  readonly failedJobs?: number;

  /** Whether to start no jobs. @default false */
  readonly suspendSchedule?: boolean;
}

/**
 * A training job on a schedule, on any engine: a CronJob whose pod creates the job and applies the concurrency policy and the history limits. The
 * name of a job contains the time in UTC, `NAME-202611210300`, so that each time has only one job, even if its creation is retried.
 * @example
 * import { Framework } from 'trainyard';
 * import { CronTraining } from 'trainyard/events';
 *
 * new CronTraining(chart, 'Nightly', {
 *   metadata: { name: 'nightly', namespace: 'ml' },
 *   schedule: '0 3 * * *',
 *   job: { framework: Framework.pytorch(), image: 'registry.example/train:1', replicas: 4 },
 * });
 */
export class CronTraining extends kplus.Resource {
  /** Plural name of the rendered kind, for RBAC rules. */
  public readonly resourceType: string = 'cronjobs';

  /** Service account of the launcher. */
  public readonly launcherServiceAccount: kplus.IServiceAccount;

  protected readonly apiObject: ApiObject;

  private readonly launcher: JobLauncher;

  public constructor(scope: Construct, id: string, props: CronTrainingProps) {
    super(scope, id);
    checkProps(this, 'CronTrainingProps', props);
    const spec: CronSpec = {
      schedule: props.schedule,
      timeZone: props.timeZone,
      concurrency: props.concurrency ?? TrainingConcurrency.FORBID,
      startingDeadlineSeconds: props.startingDeadline?.toSeconds(),
      suspend: props.suspendSchedule,
      successfulJobs: props.successfulJobs,
      failedJobs: props.failedJobs,
    };
    const name = props.metadata?.name ?? Names.toDnsLabel(this, { maxLen: GENERATED_NAME_MAX_LENGTH });
    this.launcher = new JobLauncher(this, { kind: 'schedule', name, options: props, hasEvent: false, settings: { schedule: spec } });
    this.launcherServiceAccount = this.launcher.serviceAccount;
    this.apiObject = new PlainApiObject(this, 'Resource', {
      apiVersion: 'batch/v1',
      kind: 'CronJob',
      metadata: { ...props.metadata, name },
      spec: Lazy.any({ produce: () => constructCronJobSpec(spec, this.launcher.pod('Never', { env: CRON_ENV })) }),
    });
    reportAtSynth(this, `CronTraining '${name}'`, () => this.launcher.problems(validateCron(name, spec).map(formatViolation)));
  }

  /**
   * Sets a variable of the `training` container of all jobs. A variable of the same name is replaced.
   * @param name name of the variable
   * @param value its value
   */
  public addEnv(name: string, value: kplus.EnvValue): void {
    this.launcher.job.addEnv(name, value);
  }

  /**
   * Mounts a volume into the `training` container of all jobs.
   * @param path absolute path in the container
   * @param storage a volume, a claim or a store
   */
  public addVolumeMount(path: string, storage: IStorage, options: kplus.MountOptions = {}): void {
    this.launcher.job.addVolumeMount(path, storage, options);
  }
}
