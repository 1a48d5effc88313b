/**
 * Options of `Engine.job`.
 */
export interface JobEngineOptions {
  /**
   * Whether each replica has `runPolicy.backoffLimit` restarts of its own, and finds their number in `TRAINYARD_ATTEMPT`.
   *
   * @default false - the limit is for all replicas together, and a replica is not told
   */
  readonly retryPerReplica?: boolean;
}

/**
 * What a role of a JobSet waits for.
 */
export enum JobSetDependencyStatus {
  /** All pods of the other role are ready. */
  READY = 'Ready',

  /** All pods of the other role have ended well. */
  COMPLETE = 'Complete',
}

/**
 * A role of a JobSet that starts after another one.
 */
export interface JobSetDependency {
  /**
   * Name of the role that waits.
   */
  readonly role: string;

  /**
   * Name of the role that it waits for.
   */
  readonly on: string;

  /**
   * What it waits for.
   *
   * @default JobSetDependencyStatus.READY
   */
  readonly status?: JobSetDependencyStatus;
}

/**
 * Options of `Engine.jobSet`.
 */
export interface JobSetEngineOptions {
  /**
   * Roles that wait for others.
   *
   * @default - all roles start together
   */
  readonly dependsOn?: JobSetDependency[];

  /**
   * Key of a node label, such as `cloud.google.com/gke-nodepool`: the pods of each child Job share one domain of it, and have it for themselves.
   *
   * @default - pods may be anywhere
   */
  readonly exclusiveTopology?: string;

  /**
   * Whether each role is one child Job whatever its ranks are. Where a rank is not the index in the role, a shell computes it before the command
   * starts, so that the job has to give the command and the image needs `/bin/sh`.
   *
   * @default - false: replicas whose ranks JobSet itself can count are child Jobs of their own; true with `exclusiveTopology`
   */
  readonly jobPerRole?: boolean;

  /**
   * Name of a Secret with the keys `ssh-privatekey` and `ssh-publickey`, with which the launcher of an MPI job reaches its workers.
   *
   * @default - none, and no jobs of MPI, Horovod and DeepSpeed
   */
  readonly sshSecretName?: string;
}

/**
 * What Volcano does about a job that has no place within the tiers that it asks for.
 */
export enum VolcanoTopologyMode {
  /** It waits. */
  HARD = 'hard',

  /** It is placed further apart. */
  SOFT = 'soft',
}

/**
 * How close the pods of a job have to be in the network, in tiers of Volcano's HyperNodes. Give the highest tier by its number or by its name.
 */
export interface VolcanoNetworkTopology {
  /**
   * What happens where there is no such place.
   *
   * @default VolcanoTopologyMode.HARD
   */
  readonly mode?: VolcanoTopologyMode;

  /**
   * Number of the highest tier that the pods may be spread over.
   *
   * @default - any
   */
  readonly highestTierAllowed?: number;

  /**
   * Name of the highest tier that the pods may be spread over.
   *
   * @default - any
   */
  readonly highestTierName?: string;
}

/**
 * Options of `Engine.volcano`.
 */
export interface VolcanoEngineOptions {
  /**
   * Queue of Volcano for jobs that name none (`Gang.volcano({ queue })`).
   *
   * @default default
   */
  readonly queue?: string;

  /**
   * How close the pods have to be in the network.
   *
   * @default - anywhere
   */
  readonly networkTopology?: VolcanoNetworkTopology;
}
