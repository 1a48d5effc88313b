import { Duration } from 'cdk8s';
import * as kplus from 'cdk8s-plus-28';
import { Construct } from 'constructs';
import { WorkspaceServer } from './workspace-server';
import type { AcceleratorRequest } from '../accelerators/accelerator';
import { ProgramChecks } from '../checks/program-checks';
import type { Engine } from '../training-job/engines/engine';
import { Framework } from '../training-job/framework';
import type { JobOrigin } from '../training-job/parts/part';
import type { VolumeMount } from '../training-job/pods/kplus-types';
import type { TrainingResources } from '../training-job/pods/resources';
import { TrainingJob } from '../training-job/training-job';
import type { TrainingJobProps } from '../training-job/training-job-props';
import { workspaceCommand } from '../../manifests/workbench/workspace-script';
import { CHECK_RULES } from '../../model/checks/rule-list';
import { validateWorkspace, type WorkspaceSpec } from '../../model/workbench/workspace';
import { checkTypes } from '../props/check-props';
import { reportAtSynth } from '../rendering/problems';

/** Longer than a lunch break. */
const DEFAULT_IDLE_TIMEOUT = Duration.hours(2);

/** Differences between a workspace and the job that it mirrors. */
export interface WorkspaceOptions {
  /** The server. @default WorkspaceServer.codeServer() */
  readonly server?: WorkspaceServer;

  /**
   * How long the workspace runs without a connection before it stops; at least one minute, or `Duration.seconds(0)` for no limit. While the file
   * `/tmp/workspace-keep` exists, it does not stop.
   * @default Duration.hours(2)
   */
  readonly idleTimeout?: Duration;

  /** Maximum duration of the workspace. @default - no limit */
  readonly maxDuration?: Duration;

  /** Role of the job with the image, resources and template of the workspace. @default - the first one */
  readonly role?: string;

  /** Compute of the workspace. @default - that of a replica */
  readonly resources?: TrainingResources;

  /** Accelerators of the workspace. @default - those of a replica; none with `resources` */
  readonly accelerator?: AcceleratorRequest;

  /** Volumes in addition to the job's, such as a persistent home folder. @default - only the job's */
  readonly volumeMounts?: VolumeMount[];

  /** Name of the workspace's job. @default - generated */
  readonly jobName?: string;

  /** What runs the workspace. @default - what runs the job */
  readonly engine?: Engine;
}

/**
 * An interactive workspace that mirrors a replica of a training job: its image, files, volumes, variables, resources and queue, with an editor or SSH
 * instead of the training script. It waits in the job's queue, and stops after a time without connections.
 * @example
 * import { Framework, TrainingJob } from 'trainyard';
 * import { Workspace } from 'trainyard/workbench';
 *
 * const job = new TrainingJob(chart, 'Train', {
 *   metadata: { name: 'train' },
 *   framework: Framework.pytorch(),
 *   image: 'registry.example/vision:1',
 *   replicas: 4,
 *   suspend: true,
 * });
 * Workspace.of(job, { jobName: 'ada' });
 */
export class Workspace extends Construct {
  /** Creates a workspace for a job in its current state, in the same scope. @param job the job */
  public static of(job: TrainingJob, options: WorkspaceOptions = {}): Workspace {
    checkTypes('Workspace.of', 'WorkspaceOptions', options);
    return new Workspace(job.node.scope!, `${job.node.id}-Workspace`, job._origin, options);
  }

  /** The job that runs the workspace. */
  public readonly job: TrainingJob;

  /** The server. */
  public readonly server: WorkspaceServer;

  /** How long the workspace runs without a connection before it stops. */
  public readonly idleTimeout: Duration;

  private constructor(scope: Construct, id: string, origin: JobOrigin, options: WorkspaceOptions) {
    super(scope, id);
    this.server = options.server ?? WorkspaceServer.codeServer();
    this.idleTimeout = options.idleTimeout ?? DEFAULT_IDLE_TIMEOUT;
    const spec: WorkspaceSpec = {
      server: this.server._toSpec(),
      idleSeconds: this.idleTimeout.toSeconds(),
      ...(options.maxDuration && { maxSeconds: options.maxDuration.toSeconds() }),
      ...(options.role !== undefined && { role: options.role }),
      roles: origin.roles.map(({ name }) => name),
    };
    this.job = new TrainingJob(this, 'Job', this.jobProps(origin, options, spec));
    // Users look at the job's own checkpoints there.
    ProgramChecks.of(this).acknowledge(this, CHECK_RULES.checkpointShared.id);
    reportAtSynth(this, `Workspace '${this.job.name}'`, () => validateWorkspace(spec));
  }

  /** Command that forwards the server's port to `localhost` while the workspace runs. */
  public get connectCommand(): string {
    const namespace = this.job.metadata.namespace === undefined ? '' : ` -n ${this.job.metadata.namespace}`;
    return `kubectl${namespace} port-forward $(kubectl${namespace} get pod -l job=${this.job.name} -o name) ${this.server.port}`;
  }

  /** The job of one replica that starts the server instead of the script. */
  private jobProps(origin: JobOrigin, options: WorkspaceOptions, spec: WorkspaceSpec): TrainingJobProps {
    const { props, roles, env, volumeMounts, credentials } = origin;
    const role = roles.find(({ name }) => name === options.role) ?? roles[0];
    const keys = this.server._keys;
    const { queueName, queuePriorityClassName, queueMode, priorityClassName, schedulerName, nodeSelector, tolerations } = props.scheduling ?? {};
    const own = options.resources === undefined && options.accelerator === undefined;
    const compute = {
      resources: options.resources ?? (own ? role?.resources ?? props.resources : undefined),
      accelerator: options.accelerator ?? (own ? role?.accelerator ?? props.accelerator : undefined),
    };
    const fromCredentials = new Set(credentials.flatMap((use) => use.mounts.map(({ path }) => path)));
    const variables = new Set(credentials.flatMap((use) => Object.keys(use.variables)));
    return {
      metadata: { ...props.metadata, name: options.jobName },
      framework: Framework.plain(),
      image: role?.image ?? props.image,
      command: workspaceCommand(spec),
      workingDir: props.workingDir,
      code: props.code,
      env: {
        ...Object.fromEntries(Object.entries(env).filter(([name]) => !variables.has(name))),
        ...role?.env,
        ...Object.fromEntries(Object.entries(this.server._secrets).map(([name, value]) => [name, kplus.EnvValue.fromSecretValue(value)])),
      },
      envFrom: props.envFrom,
      credentials: [...credentials],
      hyperparameters: props.hyperparameters,
      checkpoint: props.checkpoint,
      serviceAccount: props.serviceAccount,
      imagePullSecrets: props.imagePullSecrets,
      volumeMounts: [
        ...volumeMounts.filter(({ path }) => !fromCredentials.has(path)), ...options.volumeMounts ?? [],
        ...(keys === undefined ? [] : [{ path: keys.path, volume: kplus.Volume.fromSecret(this, 'Keys', keys.secret, { name: 'workspace-keys' }), readOnly: true }]),
      ],
      security: props.security,
      scheduling: props.scheduling && { queueName, queuePriorityClassName, queueMode, priorityClassName, schedulerName, nodeSelector, tolerations },
      runPolicy: options.maxDuration && { activeDeadline: options.maxDuration },
      engine: options.engine ?? props.engine,
      podTemplate: props.podTemplate,
      ...(role?.podTemplate === undefined
        ? { replicas: 1, ...compute }
        : { roles: [{ name: 'worker', replicas: 1, podTemplate: role.podTemplate, ...compute }] }),
    };
  }
}
