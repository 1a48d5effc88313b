import { ApiObject } from 'cdk8s';
import * as kplus from 'cdk8s-plus-28';
import type { Construct } from 'constructs';
import { ApplicationBuilder } from './application-builder';
import type { SparkApplicationProps } from './application-props';
import { constructScheduledSparkApplicationSpec } from '../../manifests/spark/application';
import type { ScheduledSparkApplicationSpec } from '../../model/spark/spec';
import { validateScheduledSparkApplication } from '../../model/spark/validation';
import type { IStorage } from '../training-job/pods/kplus-types';
import { checkProps } from '../props/check-props';

/** Longest name: the operator appends a time in nanoseconds. */
const NAME_MAX_LENGTH = 43;

/** What happens when a run is due while the last one runs. */
export enum SparkConcurrency {
  /** Both run. */
  ALLOW = 'Allow',
  /** The new one is skipped. */
  FORBID = 'Forbid',
  /** The old one is deleted. */
  REPLACE = 'Replace',
}

/** Properties of a `ScheduledSparkApplication`. */
export interface ScheduledSparkApplicationProps extends SparkApplicationProps {
  /** Schedule in cron syntax: five fields, or a name such as `@daily`. */
  readonly schedule: string;

  /**
   * Time zone of the schedule, such as `Europe/Berlin`.
   * @default - the time zone of the operator's container, usually UTC
   */
  readonly timeZone?: string;

  /** What happens when a run is due while the last one runs. @default SparkConcurrency.ALLOW */
  readonly concurrency?: SparkConcurrency;

  /** Number of succeeded runs to keep. @default 1 */
  readonly successfulRuns?: number;

  /** Number of failed runs to keep. @default 1 */
  readonly failedRuns?: number;

  /** Whether to start no runs. @default false */
  readonly suspendSchedule?: boolean;
}

/**
 * A Spark program on a schedule, on the Spark operator. Each run is a SparkApplication with the name of the schedule and a time.
 * @see https://www.kubeflow.org/docs/components/spark-operator/user-guide/running-sparkapplication-on-schedule/
 * @example
 * import { ServiceAccount } from 'cdk8s-plus-28';
 * import { ScheduledSparkApplication, SparkProgram } from 'trainyard/spark';
 *
 * new ScheduledSparkApplication(chart, 'Nightly', {
 *   metadata: { name: 'nightly', namespace: 'ml' },
 *   schedule: '0 3 * * *',
 *   image: 'docker.io/library/spark:4.0.1-python3',
 *   program: SparkProgram.python('local:///opt/app/features.py'),
 *   serviceAccount: ServiceAccount.fromServiceAccountName(chart, 'Spark', 'spark'),
 * });
 */
export class ScheduledSparkApplication extends kplus.Resource {
  /** Plural name of the rendered kind, for RBAC rules. */
  public readonly resourceType: string = 'scheduledsparkapplications';

  /** Service account of the drivers. */
  public readonly serviceAccount: kplus.IServiceAccount;

  protected readonly apiObject: ApiObject;

  private readonly builder: ApplicationBuilder;

  public constructor(scope: Construct, id: string, props: ScheduledSparkApplicationProps) {
    super(scope, id);
    checkProps(this, 'ScheduledSparkApplicationProps', props);
    const { schedule, timeZone, concurrency, successfulRuns, failedRuns, suspendSchedule } = props;
    this.builder = new ApplicationBuilder(this, 'ScheduledSparkApplication', props);
    this.serviceAccount = this.builder.serviceAccount;
    const toSpec = (): ScheduledSparkApplicationSpec => ({
      schedule, timeZone, concurrency, successfulRuns, failedRuns, suspend: suspendSchedule, application: this.builder.toSpec(),
    });
    this.apiObject = this.builder.addObject(
      NAME_MAX_LENGTH, () => constructScheduledSparkApplicationSpec(toSpec()), (name) => validateScheduledSparkApplication(name, toSpec()),
    );
  }

  /**
   * Sets a variable of driver and executors. A variable of the same name is replaced.
   * @param name name of the variable
   * @param value its value
   */
  public addEnv(name: string, value: kplus.EnvValue): void {
    this.builder.addEnv(name, value);
  }

  /**
   * Mounts a volume into driver and executors.
   * @param path absolute path in the containers
   * @param storage a volume, a claim or a store
   */
  public addVolumeMount(path: string, storage: IStorage, options: kplus.MountOptions = {}): void {
    this.builder.addVolumeMount(path, storage, options);
  }
}
