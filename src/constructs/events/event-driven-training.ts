import { ApiObject, Lazy, Names, type Duration } from 'cdk8s';
import * as kplus from 'cdk8s-plus-28';
import type { Construct } from 'constructs';
import { PlainApiObject } from '../rendering/plain-api-object';
import type { EventSource } from './event-source';
import { JobLauncher, secretEnv } from './job-launcher';
import type { LauncherOptions } from './launcher-options';
import {
  KEDA_API_VERSION, TRIGGER_API_VERSION, constructLauncherDeployment, constructLauncherService, constructScaledJobSpec,
  constructTriggerAuthenticationSpec, constructTriggerSpec,
} from '../../manifests/events/triggers';
import type { EnvVar } from '../../manifests/kubernetes';
import { LAUNCHER_LABEL, LAUNCHER_NAME_MAX_LENGTH, type EventDrivenSpec, type KnativeSource, type QueueSource } from '../../model/events/spec';
import { validateEventDriven } from '../../model/events/validation';
import { formatViolation } from '../../model/violations';
import type { IStorage } from '../training-job/pods/kplus-types';
import { checkProps } from '../props/check-props';
import { reportAtSynth } from '../rendering/problems';

/** Port of a launcher that is a server. */
const SERVER_PORT = 8080;

/** Suffix of pod names, for which generated names leave room. */
const JOB_POD_SUFFIX = '-evaluator-9999';

/** Properties of an `EventDrivenTraining`. */
export interface EventDrivenTrainingProps extends LauncherOptions {
  /** Source of messages or events, each of which starts a job. */
  readonly source: EventSource;
  /** Maximum number of jobs that run at the same time. Other messages wait in their queue. @default - unlimited */
  readonly maxRunningJobs?: number;
  /** How often KEDA checks the queue. @default Duration.seconds(30) */
  readonly pollingInterval?: Duration;
}

/**
 * A training job for each message of a queue (with KEDA 2.20) or each event of a broker (with Knative). The job reads its event from
 * `TRAINYARD_EVENT`, a CloudEvent as JSON in base64.
 *
 * A message is removed from its queue after its job was created. The name of the job is derived from the message, so that a message that is delivered
 * twice has only one job.
 * @example
 * import { ServiceAccount } from 'cdk8s-plus-28';
 * import { Framework } from 'trainyard';
 * import { EventDrivenTraining, EventSource } from 'trainyard/events';
 *
 * new EventDrivenTraining(chart, 'OnDataset', {
 *   metadata: { name: 'on-dataset', namespace: 'ml' },
 *   source: EventSource.pubSub('projects/my-project/subscriptions/datasets'),
 *   job: { framework: Framework.pytorch(), image: 'registry.example/train:1', replicas: 4 },
 *   launcherServiceAccount: ServiceAccount.fromServiceAccountName(chart, 'Launcher', 'launcher'),
 * });
 */
export class EventDrivenTraining extends kplus.Resource {
  /** Plural name of the rendered kind, for RBAC rules. */
  public readonly resourceType: string;

  /** Service account of the launcher. */
  public readonly launcherServiceAccount: kplus.IServiceAccount;

  protected readonly apiObject: ApiObject;

  private readonly spec: EventDrivenSpec;
  private readonly launcher: JobLauncher;

  public constructor(scope: Construct, id: string, props: EventDrivenTrainingProps) {
    super(scope, id);
    checkProps(this, 'EventDrivenTrainingProps', props);
    const { source, maxRunningJobs, pollingInterval, launcherImage, metadata } = props;
    this.spec = { source: source._spec, maxRunning: maxRunningJobs, pollingSeconds: pollingInterval?.toSeconds(), image: launcherImage };
    const name = metadata?.name ?? Names.toDnsLabel(this, { maxLen: LAUNCHER_NAME_MAX_LENGTH - JOB_POD_SUFFIX.length });
    const given = { ...metadata, name };
    const { kind } = source._spec;
    this.launcher = new JobLauncher(this, {
      kind, name, options: props, hasEvent: true, settings: { maxRunning: maxRunningJobs, source: kind === 'knative' ? undefined : source._spec as QueueSource },
    });
    this.launcherServiceAccount = this.launcher.serviceAccount;
    this.resourceType = kind === 'knative' ? 'triggers' : 'scaledjobs';
    this.apiObject = source._spec.kind === 'knative' ? this.addServer(source._spec, given) : this.addScaledJob(source._spec, given);
    reportAtSynth(this, `EventDrivenTraining '${name}'`, () => this.launcher.problems(validateEventDriven(name, this.spec).map(formatViolation)));
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

  private addScaledJob(source: QueueSource, metadata: NonNullable<kplus.ResourceProps['metadata']>): ApiObject {
    const inNamespace = { ...(metadata.namespace !== undefined && { namespace: metadata.namespace }) };
    const authentication = constructTriggerAuthenticationSpec(source);
    const authenticationName = authentication === undefined ? undefined
      : new PlainApiObject(this, 'Authentication', { apiVersion: KEDA_API_VERSION, kind: 'TriggerAuthentication', metadata: inNamespace, spec: authentication }).name;
    return new PlainApiObject(this, 'Resource', {
      apiVersion: KEDA_API_VERSION,
      kind: 'ScaledJob',
      metadata,
      spec: Lazy.any({ produce: () => constructScaledJobSpec(this.spec, source, authenticationName, this.launcher.pod('Never', { env: envOf(source) })) }),
    });
  }

  private addServer(source: KnativeSource, metadata: NonNullable<kplus.ResourceProps['metadata']>): ApiObject {
    const selector = { [LAUNCHER_LABEL]: metadata.name! };
    const inNamespace = { ...(metadata.namespace !== undefined && { namespace: metadata.namespace }) };
    new PlainApiObject(this, 'Server', {
      apiVersion: 'apps/v1', kind: 'Deployment', metadata: inNamespace,
      spec: Lazy.any({ produce: () => constructLauncherDeployment(this.launcher.pod('Always', { port: SERVER_PORT }), selector, this.launcher.digest()) }),
    });
    const service = new PlainApiObject(this, 'Service', { apiVersion: 'v1', kind: 'Service', metadata: inNamespace, spec: constructLauncherService(selector) });
    return new PlainApiObject(this, 'Resource', { apiVersion: TRIGGER_API_VERSION, kind: 'Trigger', metadata, spec: constructTriggerSpec(source, service.name) });
  }
}

function envOf(source: QueueSource): EnvVar[] | undefined {
  if (source.kind !== 'kafka' || source.secretName === undefined) {
    return undefined;
  }
  return secretEnv(source.secretName, {
    ...(source.sasl !== undefined && { KAFKA_USERNAME: 'username', KAFKA_PASSWORD: 'password' }),
    ...(source.hasCa && { KAFKA_CA: 'ca' }),
  });
}
