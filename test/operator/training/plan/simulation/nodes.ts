/**
 * The kubelets: they start, finish, fail and lose pods, and keep the truth about what happened to each, which the invariants hold the
 * operator's statuses against.
 */
import { ApiServer } from './api-server';
import { Checks } from './checks';
import { NodeHealth } from './node-health';
import { endedStatus, isStuck, mainContainer, mainStatus, MISSING_COMMAND_STATUS } from './pod-status';
import { Random } from './random';
import { MISSING_PROGRAM } from './random-job';
import { ATTEMPT_LABEL, AVOIDED_NODES_ANNOTATION, HOOK_LABEL, REPLICA_INDEX_LABEL, ROLE_LABEL } from '../../../../../src/model/labels';
import type { HookName } from '../../../../../src/model/training-job/hooks';
import type { PodObject } from '../../../../../src/operator/training/resources';
import { controllerOf } from '../../../../../src/operator/runtime/kube-object';

/** What really happened to a pod. */
export interface PodTruth {
  readonly uid: string;
  readonly name: string;
  readonly jobUid: string;
  /** Not a number for the pod of a hook. */
  readonly attempt: number;
  /** Role and index: what must never live twice. */
  readonly replica: string;
  /** The hook that it is a try of. @default - it is a replica */
  readonly hook?: HookName;
  /** Whether its image does not have its command. */
  hasNoCommand?: boolean;
  /** Exit code of its training container, once it has ended by itself for good. */
  exitCode?: number;
  /** Whether it ended because it lost a peer, and says so. */
  isEcho?: boolean;
  /** Ends of its container that the kubelet answers by starting it again. */
  restarts: number;
  /** Its node, once it has one. */
  node?: string;
  /** When its image could not be pulled at first, by the clock that never jumps; and whether that has passed or will never. */
  stuck?: { readonly since: number; readonly forGood: boolean };
  /** Whether the cluster or somebody else than the operator took it away: evicted, node lost, deleted. */
  lost: boolean;
  /** Whether the operator's bookkeeping has used it, as a restart or as a disruption. */
  counted: boolean;
  gone: boolean;
}

/** Exit codes that programs end with here. */
export const EXIT_CODES: readonly number[] = [1, 2, 42, 137, 143];

/** Exit code of programs that have lost a peer, among others. */
const PEER_LOST_CODE = 1;

/** See the top of this file. */
export class Nodes {
  /** Truth about every pod that ever was, by uid. */
  public readonly truth = new Map<string, PodTruth>();
  /** Uids of pods whose process lives. */
  public readonly alive = new Set<string>();
  /** Nodes that are lost; their pods stay in the API until somebody removes them. */
  public readonly health: NodeHealth;
  /** How often images cannot be pulled. */
  public stuckRate = 0;
  /** How often the scheduler finds no room for a pod. */
  public fullRate = 0;
  private nodeCount = 0;

  /** Called when a process starts. */
  public onStart: (pod: PodTruth) => void = () => undefined;

  public readonly checks: Checks;

  public constructor(
    private readonly server: ApiServer, private readonly random: Random, private readonly clock: { readonly now: number; readonly monotonic: number },
  ) {
    this.health = new NodeHealth(clock);
    this.checks = new Checks(server, random, clock);
  }

  /** Takes note of a pod that was created. */
  public register(pod: PodObject): PodTruth {
    const { uid, name, labels } = pod.metadata!;
    const hook = labels?.[HOOK_LABEL] as HookName | undefined;
    const truth: PodTruth = {
      uid: uid!, name: name!, jobUid: controllerOf(pod)?.uid ?? '', attempt: Number(labels?.[ATTEMPT_LABEL]),
      replica: `${labels?.[ROLE_LABEL]}/${hook ?? labels?.[REPLICA_INDEX_LABEL]}`, hook, restarts: 0, lost: false, counted: false, gone: false,
    };
    this.truth.set(truth.uid, truth);
    return truth;
  }

  /** To be called when a pod is gone from the API. A kubelet needs a while to notice that it was removed by force. */
  public podGone(pod: PodObject, byForce: boolean): void {
    if (!byForce) {
      this.alive.delete(pod.metadata!.uid!);
    }
    const truth = this.truth.get(pod.metadata!.uid!);
    if (truth) {
      truth.gone = true;
    }
  }

  /** Lets one pod get on. Answers whether there was anything to do. */
  public step(failRate: number, lingerRate: number): boolean {
    const pods = [...this.server.pods.objects.values()].filter((pod) => this.canStep(pod));
    if (pods.length === 0) {
      return false;
    }
    const pod = this.random.pick(pods);
    const name = pod.metadata!.name!;
    if (pod.metadata!.deletionTimestamp !== undefined) {
      this.terminate(pod, failRate);
    } else if (isStuck(pod)) {
      this.unstick(pod);
    } else if (pod.status?.phase === 'Pending' || mainStatus(pod)?.state?.waiting) {
      this.start(pod);
    } else if (mainStatus(pod)?.state?.terminated) {
      // The sidecar ends too, and with it the pod; in which phase, is decided by all containers together.
      const failed = mainStatus(pod)!.state!.terminated!.exitCode !== 0 || (failRate > 0 && this.random.chance(0.5));
      this.server.pods.put(name, { ...pod, status: { ...pod.status, phase: failed ? 'Failed' : 'Succeeded' } });
      this.alive.delete(pod.metadata!.uid!);
    } else if (!this.checks.hangs(pod)) {
      this.exit(pod, this.random.chance(failRate) ? this.random.pick(EXIT_CODES) : 0, lingerRate);
    }
    return true;
  }

  /** Whether there is anything for {@link step} to do. */
  public get hasWork(): boolean {
    return [...this.server.pods.objects.values()].some((pod) => this.canStep(pod));
  }

  /** The kubelet runs out of memory, or a more important pod needs the room. */
  public evict(pod: PodObject): void {
    this.truthOf(pod).lost = true;
    this.alive.delete(pod.metadata!.uid!);
    this.server.pods.put(pod.metadata!.name!, {
      ...pod,
      status: {
        ...pod.status, phase: 'Failed', reason: 'Evicted', message: 'The node was low on resource: memory.',
        conditions: [{ type: 'DisruptionTarget', status: 'True' }],
        containerStatuses: mainStatus(pod)?.state?.running ? [endedStatus(pod, 137)] : pod.status?.containerStatuses,
      },
    });
  }

  /** Somebody else deletes the pod. */
  public deleteByOthers(pod: PodObject): void {
    this.truthOf(pod).lost = true;
    this.server.deletePod(pod.metadata!.name!);
  }

  /** A node dies with all that runs on it. Its pods look alive until the control plane gives up on them. */
  public loseNode(pod: PodObject): void {
    const node = pod.spec!.nodeName!;
    const since = this.clock.now;
    this.health.lose(node, this.random.chance(0.3) ? { health: 'Gone', since } : { health: 'NotReady', since, ...(this.random.chance(0.2) && { outOfService: true }) });
    this.loseAllOn(node).forEach(({ uid }) => this.alive.delete(uid));
  }

  /** A node cannot be reached any more, and what runs there runs on. To be used with jobs that wait for such pods. */
  public cutOff(pod: PodObject): void {
    const node = pod.spec!.nodeName!;
    this.health.cut(node, { health: 'NotReady', since: this.clock.now });
    this.loseAllOn(node);
  }

  /** A node was in trouble, and is well again before the operator hears of either. */
  public flicker(pod: PodObject): void {
    const node = pod.spec!.nodeName!;
    const since = this.clock.now - this.random.pick([0, 300_000]);
    this.health.flicker(node, this.random.chance(0.5) ? { health: 'Gone', since } : { health: 'NotReady', since });
    this.loseAllOn(node);
  }

  /** Also pods whose programs ended just before, or that are gone: news of the node can come before those of the pods. */
  private loseAllOn(node: string): PodTruth[] {
    const pods = [...this.truth.values()].filter((pod) => pod.node === node);
    pods.forEach((pod) => { pod.lost = true; });
    return pods;
  }

  /** Pods that a process of this replica lives in. */
  public livingOf(jobUid: string, replica: string): PodTruth[] {
    return [...this.alive].map((uid) => this.truth.get(uid)!).filter((truth) => truth.jobUid === jobUid && truth.replica === replica);
  }

  public truthOf(pod: PodObject): PodTruth {
    return this.truth.get(pod.metadata!.uid!)!;
  }

  private canStep(pod: PodObject): boolean {
    const phase = pod.status?.phase;
    return this.truth.has(pod.metadata!.uid!) && !this.isOnItsOwn(pod)
      && (pod.metadata!.deletionTimestamp !== undefined || (phase === 'Pending' && !this.checks.isWaiting(pod, this.truthOf(pod))) || (phase === 'Running' && !this.checks.isHung(pod)));
  }

  private start(pod: PodObject): void {
    const name = pod.metadata!.name!;
    if (pod.spec?.nodeName === undefined) {
      this.schedule(pod);
      return;
    }
    if (!this.health.isLost(pod.spec.nodeName) && mainStatus(pod) === undefined && this.random.chance(this.stuckRate)) {
      this.truthOf(pod).stuck = { since: this.clock.monotonic, forGood: this.random.chance(0.3) };
      this.server.pods.put(name, {
        ...pod, status: { ...pod.status, containerStatuses: [{ name: mainContainer(pod), image: 'i', state: { waiting: { reason: this.random.pick(['ErrImagePull', 'ImagePullBackOff']) } } }] },
      });
      return;
    }
    if (this.health.isLost(pod.spec.nodeName)) {
      this.giveUp(pod);
      return;
    }
    if (this.checks.holdBack(pod, this.truthOf(pod))) {
      return;
    }
    if (this.checks.hookOf(pod)?.command[0] === MISSING_PROGRAM) {
      Object.assign(this.truthOf(pod), { exitCode: MISSING_COMMAND_STATUS.state!.terminated!.exitCode, hasNoCommand: true });
      const containerStatuses = [{ ...MISSING_COMMAND_STATUS, name: mainContainer(pod) }];
      this.server.pods.put(name, { ...pod, status: { phase: 'Failed', containerStatuses } });
      return;
    }
    this.alive.add(pod.metadata!.uid!);
    const before = mainStatus(pod);
    const isAgain = before?.lastState?.terminated !== undefined;
    this.server.pods.put(name, {
      ...pod,
      status: {
        phase: 'Running',
        initContainerStatuses: pod.status?.initContainerStatuses,
        containerStatuses: [{
          name: mainContainer(pod),
          state: { running: {} },
          restartCount: (before?.restartCount ?? 0) + (isAgain ? 1 : 0),
          ...(isAgain && { lastState: before.lastState }),
        }],
      },
    });
    this.onStart(this.truthOf(pod));
  }

  private exit(pod: PodObject, exitCode: number, lingerRate: number): void {
    if (!this.alive.has(pod.metadata!.uid!)) {
      this.giveUp(pod);
      return;
    }
    if (pod.spec?.restartPolicy === 'Always' || (pod.spec?.restartPolicy === 'OnFailure' && exitCode !== 0)) {
      this.crash(pod, exitCode);
      return;
    }
    this.truthOf(pod).exitCode = exitCode;
    const isEcho = this.hasLostPeer(pod, exitCode);
    this.truthOf(pod).isEcho = isEcho;
    const lingers = this.random.chance(lingerRate);
    if (!lingers) {
      this.alive.delete(pod.metadata!.uid!);
    }
    this.server.pods.put(pod.metadata!.name!, {
      ...pod,
      status: { phase: lingers ? 'Running' : exitCode === 0 ? 'Succeeded' : 'Failed', containerStatuses: [endedStatus(pod, exitCode, isEcho)] },
    });
  }

  /** The container ends and will be started again; the kubelet says so first, or only afterwards. */
  private crash(pod: PodObject, exitCode: number): void {
    this.truthOf(pod).restarts++;
    const isEcho = this.hasLostPeer(pod, exitCode);
    this.truthOf(pod).isEcho ||= isEcho;
    this.alive.delete(pod.metadata!.uid!);
    const { restartCount } = mainStatus(pod)!;
    this.server.pods.put(pod.metadata!.name!, {
      ...pod,
      status: {
        phase: 'Running',
        containerStatuses: [{
          name: mainContainer(pod), restartCount, lastState: endedStatus(pod, exitCode, isEcho).state, state: { waiting: { reason: 'CrashLoopBackOff' } },
        }],
      },
    });
  }

  /** Whether a program that ends with this code does so because the cluster took another of the attempt away. */
  private hasLostPeer(pod: PodObject, exitCode: number): boolean {
    const { uid, jobUid, attempt } = this.truthOf(pod);
    return exitCode === PEER_LOST_CODE
      && [...this.truth.values()].some((other) => other.lost && other.uid !== uid && other.jobUid === jobUid && other.attempt === attempt);
  }

  private unstick(pod: PodObject): void {
    this.server.pods.put(pod.metadata!.name!, { ...pod, status: { phase: 'Pending', containerStatuses: [{ name: mainContainer(pod), state: { waiting: { reason: 'ContainerCreating' } } }] } });
  }

  private schedule(pod: PodObject): void {
    if (this.random.chance(this.fullRate)) {
      return;
    }
    const node = this.node();
    const avoided = pod.metadata?.annotations?.[AVOIDED_NODES_ANNOTATION]?.split(',') ?? [];
    if (avoided.includes(node)) {
      const since = pod.status?.conditions?.[0]?.lastTransitionTime ?? new Date(this.clock.now).toISOString().replace(/\.\d+Z$/, 'Z');
      this.server.pods.put(pod.metadata!.name!, {
        ...pod, status: { phase: 'Pending', conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', lastTransitionTime: since }] },
      });
      return;
    }
    this.truthOf(pod).node = node;
    // Who believes what is told of the node takes the pod for lost, from the beginning.
    this.truthOf(pod).lost ||= this.health.isToldOf(node);
    this.server.pods.put(pod.metadata!.name!, { ...pod, spec: { ...pod.spec!, nodeName: node }, status: { phase: 'Pending' } });
  }

  /**
   * Whether nothing happens to a pod unless the operator does something: its image is not there, or its node is, and the operator knows. In other
   * histories the control plane clears away what is on lost nodes.
   */
  private isOnItsOwn(pod: PodObject): boolean {
    const truth = this.truthOf(pod);
    return this.health.isCutOff(pod.spec?.nodeName) || this.isHopeless(pod)
      || (truth.stuck?.forGood === true && pod.metadata!.deletionTimestamp === undefined)
      || (this.health.isLost(pod.spec?.nodeName) && this.health.isVisible && this.clearsAway(truth) === false);
  }

  /** Whether the scheduler has found that all nodes are avoided by the pod. */
  private isHopeless(pod: PodObject): boolean {
    const avoided = pod.metadata?.annotations?.[AVOIDED_NODES_ANNOTATION]?.split(',') ?? [];
    return pod.metadata!.deletionTimestamp === undefined && pod.spec?.nodeName === undefined && pod.status?.conditions !== undefined
      && [0, 1, 2].map((number) => `node-${number}.${this.nodeCount}`).every((node) => avoided.includes(node) || this.health.isLost(node));
  }

  /** Half of the lost pods are cleared away by others, sooner or later; and all of those that the operator has to wait for, or to leave. */
  private clearsAway({ uid, jobUid }: PodTruth): boolean {
    const job = [...this.server.jobs.objects.values()].find(({ metadata }) => metadata?.uid === jobUid);
    return job === undefined || job.spec.runPolicy?.nodeLoss?.stuckPods === 'Wait' || job.status?.completionTime !== undefined || Number(uid.replace(/\D/g, '')) % 2 === 0;
  }

  /** A pod that was asked to go: it ends, with or without telling how, and is removed. */
  private terminate(pod: PodObject, failRate: number): void {
    const uid = pod.metadata!.uid!;
    if (this.alive.has(uid) && mainStatus(pod)?.state?.running && failRate > 0 && this.random.chance(0.5)) {
      // It is last seen with its exit code, and only then removed. Programs that save a checkpoint when they are asked to go often leave with 0,
      // which is no success.
      const exitCode = this.random.pick([0, 143]);
      this.alive.delete(uid);
      this.server.pods.put(pod.metadata!.name!, {
        ...pod, status: { phase: exitCode === 0 ? 'Succeeded' : 'Failed', containerStatuses: [endedStatus(pod, exitCode)] },
      });
      return;
    }
    this.server.removePod(pod.metadata!.name!);
  }

  /** The control plane finds that the node is gone: the pod is marked and removed. */
  private giveUp(pod: PodObject): void {
    this.truthOf(pod).lost = true;
    if (this.random.chance(0.5)) {
      this.server.pods.put(pod.metadata!.name!, {
        ...pod, status: { ...pod.status, phase: 'Failed', conditions: [{ type: 'DisruptionTarget', status: 'True' }] },
      });
    } else {
      this.server.removePod(pod.metadata!.name!);
    }
  }

  private node(): string {
    const node = `node-${this.random.between(0, 2)}.${this.nodeCount}`;
    // A node that died is replaced by one of another name; the scheduler gives nothing to one that does not answer.
    if (this.health.isLost(node) || this.health.isCutOff(node)) {
      this.nodeCount++;
      return this.node();
    }
    return node;
  }
}
