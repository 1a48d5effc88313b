/**
 * What the model knows of a framework: its roles, the ports its replicas listen on, what makes a job of it succeed, and the
 * environment that each replica starts with. A script written for the upstream operators finds the same
 * variables with the same values.
 *
 * The resolved job stands here too, because the two need each other: a job has its framework's contract, and a contract answers for a job.
 */
import type { AddressBook } from './address-book';
import type { ProgressTarget } from '../progress/contract';
import type { ResolvedHelper } from '../training-job/replicas/helpers';
import type { ResolvedRunPolicy, RestartPolicy, SuccessPolicy } from '../training-job/run-policy';
import type { RunFacts } from '../training-job/run-facts';
import type { EnvVarSpec, FrameworkName, PodTemplateSpec, ResourcesSpec, TrainingJobSpec } from '../training-job/spec';
import type { Violation } from '../violations';

export interface Replica {
  readonly role: string;
  /** Index in the role, from 0. */
  readonly index: number;
  /** Position among all replicas of the job, from 0, roles in their order. */
  readonly ordinal: number;
  /** Global rank; undefined on roles without one. */
  readonly rank?: number;
  readonly podName: string;
}

export interface RoleContract {
  readonly name: string;
  /** Whether the role has exactly one replica, whose pod then carries no index. @default false */
  readonly singleton?: boolean;
  /** Whether its replicas take part in training with a rank. Parameter servers and evaluators do not. @default true */
  readonly ranked?: boolean;
  /** Whether the long form has to name it. @default false */
  readonly required?: boolean;
  /** Whether the role computes, so that it inherits the job's devices (GPUs, TPUs, extended resources) with its resources. @default true */
  readonly devices?: boolean;
  /** Compute of its replicas unless the role itself has `resources`. @default - the job's, without devices where {@link devices} is false */
  readonly resources?: ResourcesSpec;
  /** What the role's replicas run unless the role itself says otherwise; the job's command and arguments are then for the other roles. */
  readonly command?: readonly string[];
}

export interface PortContract {
  /** Name of the container port: at most 15 lower-case letters, digits and '-'. */
  readonly name: string;
  readonly port: number;
  /** Roles that listen on it. @default - all */
  readonly roles?: readonly string[];
}

/** One role with everything that its replicas share. */
export interface ResolvedRole {
  readonly name: string;
  readonly replicas: number;
  readonly singleton: boolean;
  readonly ranked: boolean;
  readonly image: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly env: readonly EnvVarSpec[];
  readonly resources: ResourcesSpec;
  /** The job's template, then the role's: merged in this order when the pod is built. */
  readonly templates: readonly PodTemplateSpec[];
  readonly restartPolicy: RestartPolicy;
  /** Present on roles of `spec.helpers`, which do not train. */
  readonly helper?: ResolvedHelper;
}

/** A job with nothing left open. */
export interface ResolvedTrainingJob {
  readonly name: string;
  readonly spec: TrainingJobSpec;
  readonly framework: FrameworkContract;
  /** Whether it was written with `replicas` and not with `roles`. */
  readonly shortForm: boolean;
  /** Roles in the order of their ranks; the first replica of the first is the coordinator. */
  readonly roles: readonly ResolvedRole[];
  /** Every replica, in the order of roles and indexes. */
  readonly replicas: readonly Replica[];
  readonly trainers: number;
  readonly port: number;
  readonly runPolicy: ResolvedRunPolicy;
  readonly successPolicy: SuccessPolicy;
}

/** What the environment of a replica is computed from. */
export interface ReplicaContext {
  readonly job: ResolvedTrainingJob;
  readonly replica: Replica;
  readonly addresses: AddressBook;
  /** What the run has brought so far. @default - nothing: the job starts */
  readonly facts?: RunFacts;
  /** Where the replica reports its progress to. @default - nowhere: the operator has no endpoint */
  readonly progress?: ProgressTarget;
  /** Attempt of the job that the replica belongs to. @default 0 */
  readonly attempt?: number;
}

/** A further container that a framework needs in addition to `training`, from the same image and command. */
export interface HelperContainer {
  readonly name: string;
  readonly env: readonly EnvVarSpec[];
}

/**
 * What to restart when one replica fails: all replicas, because the others cannot go on; that replica alone; or, in an elastic job, that replica
 * alone unless the group cannot go on without it.
 */
export type RestartScope = 'gang' | 'replica' | 'elastic';

/** How a framework lives with a number of replicas that changes. */
export interface ElasticContract {
  /**
   * Whether a replica that failed by itself has ended the whole group, so that the others cannot go on. The coordinator's end always ends it.
   * @param exitCode of its `training` container; undefined where it had none
   */
  endsGroup(replica: Replica, exitCode: number | undefined): boolean;

  /** Whether the replicas that go on when another one is lost do so from the last checkpoint; else from what they have in memory. */
  readonly rewinds: boolean;

  /** Processes with a rank in each replica that trains; undefined where only the replica itself knows. */
  processesPerReplica(job: ResolvedTrainingJob): number | undefined;
}

export interface FrameworkContract {
  readonly name: FrameworkName;

  /** How people write it. */
  readonly title: string;

  /** Roles in the order of their ranks. Empty when every name is allowed. */
  readonly roles: readonly RoleContract[];

  /** Whether replicas find each other by host name, so that they need a service of their own in addition to the coordinator's. */
  readonly peersByName: boolean;

  /** Of a job that is not elastic; `restartScopeOf` says what holds for a job. */
  readonly restartScope: RestartScope;

  /** Present where the number of replicas may change while a job runs (`spec.elastic`). @default - jobs cannot be elastic */
  readonly elastic?: ElasticContract;

  /** Whether a launcher numbers the processes, so that replicas get no RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT. @default false */
  readonly launcherGivesRanks?: boolean;

  /** Roles of a job in its short form, in the order of {@link roles}. */
  shortForm(replicas: number): readonly { readonly name: string; readonly replicas: number }[];

  /** Ports in addition to the coordinator's (`MASTER_PORT`). */
  readonly ports: readonly PortContract[];

  /** What makes a job succeed when its run policy does not say. */
  successPolicy(job: ResolvedTrainingJob): SuccessPolicy;

  /**
   * The variables that the framework's own tooling reads. The variables that every framework gets (ROLE, RANK, ...) are not
   * among them: see `environment.ts`.
   */
  environment(context: ReplicaContext): readonly EnvVarSpec[];

  helpers?(context: ReplicaContext): readonly HelperContainer[];

  /** Rules of this framework that the common ones do not cover. */
  validate?(job: ResolvedTrainingJob): readonly Violation[];
}

/** The blog's short form: one master, and the other replicas are workers. */
function masterAndWorkers(replicas: number): { readonly name: string; readonly replicas: number }[] {
  return [{ name: 'master', replicas: 1 }, ...(replicas > 1 ? [{ name: 'worker', replicas: replicas - 1 }] : [])];
}

/** Roles of the short form where all replicas are alike. */
export function workersAlone(replicas: number): { readonly name: string; readonly replicas: number }[] {
  return [{ name: 'worker', replicas }];
}

/** A contract of its own facts, and of what most frameworks have in common. */
export function framework(own: Pick<FrameworkContract, 'name' | 'title' | 'roles' | 'environment'> & Partial<FrameworkContract>): FrameworkContract {
  return { peersByName: true, restartScope: 'gang', ports: [], shortForm: masterAndWorkers, successPolicy: () => 'Coordinator', ...own };
}

export function variable(name: string, value: string | number): EnvVarSpec {
  return { name, value: String(value) };
}

/** A variable that the kubelet fills from the pod's own fields. */
export function fieldVariable(name: string, fieldPath: string): EnvVarSpec {
  return { name, valueFrom: { fieldRef: { fieldPath } } };
}
