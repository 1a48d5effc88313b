import { ApiObject, Lazy } from 'cdk8s';
import * as kplus from 'cdk8s-plus-28';
import type { Construct } from 'constructs';
import { PlainApiObject } from '../rendering/plain-api-object';
import { ApplicationBuilder, nameWithin } from './application-builder';
import type { SparkApplicationProps } from './application-props';
import { constructScheduledSparkApplicationSpec } from '../../manifests/spark/application';
import { SPARK_API_VERSION } from '../../model/spark/settings';
import type { ScheduledSparkApplicationSpec } from '../../model/spark/spec';
import { validateScheduledSparkApplication } from '../../model/spark/validation';
import { dependOn, namespaceProblems } from '../credentials/with-credentials';
import type { IStorage } from '../training-job/pods/kplus-types';
import { checkProps } from '../props/check-props';
import { reportAtSynth, type Problem } from '../rendering/problems';

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
  private readonly timing: Omit<ScheduledSparkApplicationSpec, 'application'>;

  public constructor(scope: Construct, id: string, props: ScheduledSparkApplicationProps) {
    super(scope, id);
    checkProps(this, 'ScheduledSparkApplicationProps', props);
    const { schedule, timeZone, concurrency, successfulRuns, failedRuns, suspendSchedule } = props;
    this.timing = { schedule, timeZone, concurrency, successfulRuns, failedRuns, suspend: suspendSchedule };
    this.builder = new ApplicationBuilder(this, 'ScheduledSparkApplication', props);
    this.serviceAccount = this.builder.serviceAccount;
    this.apiObject = new PlainApiObject(this, 'Resource', {
      apiVersion: SPARK_API_VERSION,
      kind: 'ScheduledSparkApplication',
      metadata: { ...props.metadata, name: nameWithin(this, NAME_MAX_LENGTH, props.metadata?.name) },
      spec: Lazy.any({ produce: () => constructScheduledSparkApplicationSpec(this.toSpec()) }),
    });
    this.builder.addMonitoring(this.name);
    dependOn(this, this.builder.credentials);
    reportAtSynth(this, `ScheduledSparkApplication '${this.name}'`, () => this.problems());
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

  private toSpec(): ScheduledSparkApplicationSpec {
    return { ...this.timing, application: this.builder.toSpec() };
  }

  private problems(): Problem[] {
    const accelerators = this.builder.acceleratorProblems();
    const problems = accelerators.length > 0 ? accelerators : validateScheduledSparkApplication(this.name, this.toSpec());
    return [...problems, ...namespaceProblems(this.metadata.namespace, this.builder.credentials)];
  }
}
