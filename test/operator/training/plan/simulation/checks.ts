/**
 * The checks of `spec.preflight` on the simulated nodes: they begin, wait for each other, pass, find something, or hang. And programs that hang, of
 * replicas and of hooks.
 */
import type { ApiServer } from './api-server';
import type { PodTruth } from './nodes';
import type { Random } from './random';
import { SLOW_PROGRAM } from './random-job';
import { resolvedOnce } from './specs';
import type { ContainerState } from '../../../../../src/manifests/kubernetes';
import { ATTEMPT_LABEL, HOOK_LABEL, REPLICA_INDEX_LABEL, ROLE_LABEL } from '../../../../../src/model/labels';
import type { HookName, HookSpec } from '../../../../../src/model/training-job/hooks';
import { PREFLIGHT_CONTAINER, checksReplica, hasPreflight, networkPeers } from '../../../../../src/model/training-job/preflight';
import type { TrainingJobSpec } from '../../../../../src/model/training-job/spec';
import { controllerOf } from '../../../../../src/operator/runtime/kube-object';
import { isHookPod } from '../../../../../src/operator/training/plan/observe/observe-pod';
import { timeText } from '../../../../../src/operator/training/plan/timestamps';
import type { PodObject } from '../../../../../src/operator/training/resources';

/** See the top of this file. */
export class Checks {
  /** How often checks find something. */
  public failRate = 0;
  /** How often checks never end. */
  public hangRate = 0;
  /** Uids of pods whose checks have found something. */
  public readonly unfit = new Set<string>();
  /** Uids of pods whose checks have begun. */
  public readonly begun = new Set<string>();
  private readonly hanging = new Set<string>();

  /** How often programs hang, of jobs that do something about it, and of slow hooks. */
  public stallRate = 0;
  /** How often programs of such jobs do not end, when they could. */
  public busyRate = 0;
  private readonly hung = new Set<string>();

  public constructor(private readonly server: ApiServer, private readonly random: Random, private readonly clock: { readonly now: number }) {}

  /** The hook that a pod is a try of. */
  public hookOf(pod: PodObject): HookSpec | undefined {
    const owner = controllerOf(pod);
    const job = this.server.jobs.get(owner?.name ?? '');
    return job?.metadata?.uid === owner?.uid ? job?.spec.hooks?.[pod.metadata!.labels![HOOK_LABEL] as HookName] : undefined;
  }

  /** Whether the program of a pod that runs hangs, from now on or already. */
  public hangs(pod: PodObject): boolean {
    if (isHookPod(pod)) {
      if (this.hookOf(pod)?.command[0] === SLOW_PROGRAM && this.random.chance(this.stallRate)) {
        this.hung.add(pod.metadata!.uid!);
      }
      return this.isHung(pod);
    }
    const job = this.server.jobs.get(controllerOf(pod)?.name ?? '');
    // Before all run nobody waits for progress, nor where replicas that are always restarted end all the time: silence restarts with each of them.
    if (job?.spec.runPolicy?.stall !== undefined && job.status?.phase === 'Running' && !restartsAlways(job.spec) && this.random.chance(this.stallRate)) {
      this.hung.add(pod.metadata!.uid!);
    }
    // Most of the time a program that trains just goes on training.
    return this.isHung(pod) || (job?.spec.runPolicy?.stall !== undefined && this.random.chance(this.busyRate));
  }

  /** Whether the program of a pod hangs. */
  public isHung(pod: PodObject): boolean {
    return this.hung.has(pod.metadata!.uid!) && pod.metadata!.deletionTimestamp === undefined;
  }

  /** Whether nothing happens to a pod's checks by itself. */
  public isWaiting(pod: PodObject, truth: PodTruth): boolean {
    const job = this.server.jobs.get(controllerOf(pod)?.name ?? '');
    if (stateOf(pod)?.running === undefined || this.failRate > 0) {
      return false;
    }
    const peers = job === undefined ? [] : networkPeers(resolvedOnce(job.metadata!.name!, job.spec));
    return this.hanging.has(truth.uid) || !this.haveCome(peers.map(({ podName }) => podName), truth);
  }

  /** Lets the checks of a pod get on. Answers whether its training cannot begin yet. */
  public holdBack(pod: PodObject, truth: PodTruth): boolean {
    const job = this.server.jobs.get(controllerOf(pod)?.name ?? '');
    if (job === undefined || job.metadata!.uid !== truth.jobUid || !hasPreflight(job)) {
      return false;
    }
    const resolved = resolvedOnce(job.metadata!.name!, job.spec);
    const { labels = {}, uid } = pod.metadata!;
    const replica = resolved.replicas.find(({ role, index }) => role === labels[ROLE_LABEL] && index === Number(labels[REPLICA_INDEX_LABEL]));
    const state = stateOf(pod);
    if (replica === undefined || !checksReplica(resolved, replica) || state?.terminated?.exitCode === 0) {
      return false;
    }
    if (state?.running === undefined) {
      this.begun.add(uid!);
      if (this.random.chance(this.hangRate)) {
        this.hanging.add(uid!);
      }
      this.put(pod, 'Pending', { running: { startedAt: timeText(this.clock.now) } });
    } else if (this.random.chance(this.failRate)) {
      this.unfit.add(uid!);
      const message = JSON.stringify({ message: 'a sick node', blames: replica.rank === undefined ? [] : [replica.rank] });
      this.put(pod, 'Failed', { terminated: { exitCode: 1, reason: 'Error', message, startedAt: state.running.startedAt, finishedAt: timeText(this.clock.now) } });
    } else if (!this.hanging.has(uid!) && this.haveCome(networkPeers(resolved).map(({ podName }) => podName), truth)) {
      this.put(pod, 'Pending', { terminated: { exitCode: 0, reason: 'Completed', startedAt: state.running.startedAt } });
    }
    return true;
  }

  /** Whether the checks of all peers of the attempt have begun, and none hangs. */
  private haveCome(peers: readonly string[], { attempt }: PodTruth): boolean {
    return peers.every((name) => {
      const pod = this.server.pods.get(name);
      const uid = pod?.metadata!.uid ?? '';
      return Number(pod?.metadata!.labels![ATTEMPT_LABEL]) === attempt && this.begun.has(uid) && !this.hanging.has(uid);
    });
  }

  private put(pod: PodObject, phase: 'Pending' | 'Failed', state: ContainerState): void {
    const status = { ...pod.status, phase, initContainerStatuses: [{ name: PREFLIGHT_CONTAINER, state }] };
    this.server.pods.put(pod.metadata!.name!, { ...pod, status });
  }
}

function restartsAlways({ runPolicy, roles = [] }: TrainingJobSpec): boolean {
  return [runPolicy, ...roles].some((policy) => policy?.restartPolicy === 'Always');
}

function stateOf(pod: PodObject): ContainerState | undefined {
  return pod.status?.initContainerStatuses?.find(({ name }) => name === PREFLIGHT_CONTAINER)?.state;
}
