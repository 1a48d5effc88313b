/**
 * Builders of what the planner reads: `makeJob().pytorch(4).restartPolicy('OnFailure')`, `makePod('train-master').running()`. A test names what it
 * is about and nothing else.
 */
import type {
  CleanPodPolicy, ExitCodesSpec, RestartPolicy, RunPolicySpec, SuccessPolicy,
} from '../../../../src/model/training-job/run-policy';
import { resolveTrainingJob, type ResolvedTrainingJob } from '../../../../src/model/training-job/replicas/resolve';
import type { FrameworkName, RoleSpec, TrainingJobSpec } from '../../../../src/model/training-job/spec';
import type { TrainingJobStatus } from '../../../../src/model/training-job/status/status';
import type { NodeState, ObservedJob, ObservedPod, PodFailure, PodState, PreflightState } from '../../../../src/operator/training/plan/types';
import type { Replica } from '../../../../src/model/frameworks/contract';

/** Name of jobs unless a test gives another. */
export const JOB_NAME = 'train';

/** Starts a job: PyTorch, one replica, no policy of its own. */
export function makeJob(name = JOB_NAME): JobBuilder {
  return new JobBuilder(name, { framework: 'pytorch', image: 'registry.example/train:1', replicas: 1 }, {}, 1);
}

/** Immutable: each method gives a new builder. */
export class JobBuilder {
  public constructor(
    private readonly name: string,
    private readonly jobSpec: TrainingJobSpec,
    private readonly jobStatus: TrainingJobStatus,
    private readonly jobGeneration: number,
  ) {}

  // ---- what runs

  /** Short form of any framework. */
  public framework(framework: FrameworkName, replicas = 1): JobBuilder {
    return this.spec({ framework, replicas, roles: undefined });
  }

  public pytorch(replicas: number): JobBuilder {
    return this.framework('pytorch', replicas);
  }

  public tensorflow(replicas: number): JobBuilder {
    return this.framework('tensorflow', replicas);
  }

  public jax(replicas: number): JobBuilder {
    return this.framework('jax', replicas);
  }

  public mpi(replicas: number): JobBuilder {
    return this.framework('mpi', replicas);
  }

  public plain(replicas: number): JobBuilder {
    return this.framework('plain', replicas);
  }

  /** Long form: `roles({ chief: 1, worker: 2 })`, or a whole role where a number does not say enough. */
  public roles(roles: { readonly [name: string]: number | Partial<RoleSpec> }): JobBuilder {
    return this.spec({
      replicas: undefined,
      roles: Object.entries(roles).map(([name, role]) => ({ name, ...(typeof role === 'number' ? { replicas: role } : role) })),
    });
  }

  // ---- run policy

  public restartPolicy(restartPolicy: RestartPolicy): JobBuilder {
    return this.runPolicy({ restartPolicy });
  }

  public backoffLimit(backoffLimit: number): JobBuilder {
    return this.runPolicy({ backoffLimit });
  }

  public backoff(backoff: RunPolicySpec['backoff']): JobBuilder {
    return this.runPolicy({ backoff });
  }

  public exitCodes(exitCodes: ExitCodesSpec): JobBuilder {
    return this.runPolicy({ exitCodes });
  }

  public disruptionLimit(disruptionLimit: number): JobBuilder {
    return this.runPolicy({ disruptionLimit });
  }

  /** Seconds. */
  public deadline(activeDeadlineSeconds: number): JobBuilder {
    return this.runPolicy({ activeDeadlineSeconds });
  }

  /** Seconds. */
  public ttl(ttlSecondsAfterFinished: number): JobBuilder {
    return this.runPolicy({ ttlSecondsAfterFinished });
  }

  public cleanPodPolicy(cleanPodPolicy: CleanPodPolicy): JobBuilder {
    return this.runPolicy({ cleanPodPolicy });
  }

  public successPolicy(successPolicy: SuccessPolicy): JobBuilder {
    return this.runPolicy({ successPolicy });
  }

  public runPolicy(change: Partial<RunPolicySpec>): JobBuilder {
    return this.spec({ runPolicy: { ...this.jobSpec.runPolicy, ...change } });
  }

  public suspended(suspend = true): JobBuilder {
    return this.spec({ suspend });
  }

  /** Any other field. */
  public spec(change: Partial<TrainingJobSpec>): JobBuilder {
    return new JobBuilder(this.name, { ...this.jobSpec, ...change }, this.jobStatus, this.jobGeneration);
  }

  // ---- what the operator wrote

  public status(change: Partial<TrainingJobStatus>): JobBuilder {
    return new JobBuilder(this.name, this.jobSpec, { ...this.jobStatus, ...change }, this.jobGeneration);
  }

  public generation(generation: number): JobBuilder {
    return new JobBuilder(this.name, this.jobSpec, this.jobStatus, generation);
  }

  /** As the planner reads it. */
  public build(): ObservedJob {
    return { name: this.name, uid: `${this.name}-uid`, generation: this.jobGeneration, spec: this.jobSpec, status: this.jobStatus };
  }

  /** With everything filled in. */
  public resolved(): ResolvedTrainingJob {
    return resolveTrainingJob(this.name, this.jobSpec);
  }
}

/** Starts a pod: of attempt 0, waiting, its uid the name with `-uid`. */
export function makePod(replica: Replica | string): PodBuilder {
  const name = typeof replica === 'string' ? replica : replica.podName;
  return new PodBuilder({ name, uid: `${name}-uid`, attempt: 0, state: 'Waiting', deleting: false, lingering: false });
}

/** Immutable, as {@link JobBuilder}. */
export class PodBuilder {
  public constructor(private readonly pod: ObservedPod) {}

  public attempt(attempt: number): PodBuilder {
    return this.with({ attempt });
  }

  /** Not of the operator's making, as its attempt shows. */
  public forged(): PodBuilder {
    return this.with({ forged: true });
  }

  public uid(uid: string): PodBuilder {
    return this.with({ uid });
  }

  public node(node: string): PodBuilder {
    return this.with({ node });
  }

  public waiting(waitingFor?: string): PodBuilder {
    return this.inState('Waiting').with({ waitingFor });
  }

  public running(): PodBuilder {
    return this.inState('Running');
  }

  public succeeded(): PodBuilder {
    return this.inState('Succeeded');
  }

  /** The program ended with a code other than 0. */
  public failed(exitCode: number, more: Partial<PodFailure> = {}): PodBuilder {
    return this.inState('Failed').with({ failure: { disruption: false, container: 'training', exitCode, reason: 'Error', ...more } });
  }

  /** The cluster took it away. */
  public evicted(more: Partial<PodFailure> = {}): PodBuilder {
    return this.inState('Failed').with({ failure: { disruption: true, reason: 'Evicted', ...more } });
  }

  /** Its checks before training: still at it, or ended so. */
  public checking(preflight: PreflightState = {}): PodBuilder {
    return preflight.exitCode === undefined || preflight.exitCode === 0
      ? this.inState('Waiting').with({ preflight })
      : this.inState('Failed').with({
        preflight, failure: { disruption: false, container: 'trainyard-preflight', exitCode: preflight.exitCode, reason: 'PreflightFailed', message: preflight.message },
      });
  }

  /** It has left stacks behind. */
  public withStacks(stacks: string): PodBuilder {
    return this.with({ stacks });
  }

  /** Its deletion has begun. */
  public deleting(): PodBuilder {
    return this.with({ deleting: true });
  }

  /** When its grace period is over. */
  public deadline(deletionDeadline: number): PodBuilder {
    return this.with({ deleting: true, deletionDeadline });
  }

  /** What its node is like. */
  public nodeIs(nodeState: NodeState): PodBuilder {
    return this.with({ nodeState, node: this.pod.node ?? 'gpu-7' });
  }

  /** Its container failed so often and is restarted in place; the last time so. */
  public restarted(times: number, exitCode: number, more: Partial<PodFailure> = {}): PodBuilder {
    return this.with({ containerRestarts: times, lastContainerFailure: { disruption: false, container: 'training', exitCode, reason: 'Error', ...more } });
  }

  /** Its container cannot start. */
  public stuck(reason: string, permanent = false): PodBuilder {
    return this.waiting(reason).with({ startError: { reason, message: `container training: ${reason}`, permanent } });
  }

  /** It keeps away from nodes, and no other takes it. */
  public unschedulable(since: string, ...avoidedNodes: string[]): PodBuilder {
    return this.waiting('Unschedulable').with({ unschedulableSince: since, avoidedNodes });
  }

  /** What the nodes are like that it keeps away from. */
  public avoids(avoidedStates: { readonly [node: string]: NodeState }): PodBuilder {
    return this.with({ avoidedStates });
  }

  /** The scheduler has put it on a node whose kubelet has not told of it yet. */
  public unseen(): PodBuilder {
    return this.with({ unseen: true });
  }

  /** Sidecars of it are alive. */
  public lingering(): PodBuilder {
    return this.with({ lingering: true });
  }

  public build(): ObservedPod {
    return this.pod;
  }

  private inState(state: PodState): PodBuilder {
    return this.with({ state, failure: undefined, waitingFor: undefined });
  }

  private with(change: Partial<ObservedPod>): PodBuilder {
    return new PodBuilder({ ...this.pod, ...change });
  }
}
