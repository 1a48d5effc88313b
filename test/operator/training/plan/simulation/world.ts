/** Everything that a history consists of: the server, the nodes, the clock, the operator's processes, and the invariants over them. */
import { ApiClient, type FaultRates } from './api-client';
import { ApiServer, KINDS } from './api-server';
import { Caches } from './caches';
import { Invariants } from './invariants';
import { SimulatedKueue } from './kueue';
import { Nodes } from './nodes';
import { SimulatedOperator } from './operator';
import { REAL_OPERATOR, type OperatorObserver, type OperatorProcess, type OperatorVariant } from './operator-variant';
import { Random } from './random';
import type { TrainingJobSpec } from '../../../../../src/model/training-job/spec';
import { JOB_NAME } from './random-job';
import { RealOperator } from './real-operator';

/** What is done to pods. */
export interface Wildness {
  /** How often programs fail, 0 to 1. */
  readonly failRate: number;
  /** How often pods are deleted, evicted and lost; 2 is a lot. */
  readonly mischief: number;
}

/** Settings of a history. */
export interface HistoryOptions {
  readonly seed: number;
  /** How the operator behaves; `code` is the operator's own code. @default REAL_OPERATOR */
  readonly operator?: OperatorVariant | 'code';
  /** Faults that are as likely as this, whatever the seed says. */
  readonly faults?: Partial<FaultRates>;
  /** Histories of other jobs are left out. @default - none are */
  readonly only?: (spec: TrainingJobSpec) => boolean;
  /** How much is done to pods, whatever the seed says. */
  readonly wildness?: Partial<Wildness>;
  /** Ends the chaos after this many steps. @default - as the seed says */
  readonly steps?: number;
  /** Takes down what happens. @default false */
  readonly traced?: boolean;
}

const EPOCH = Date.parse('2026-01-01T00:00:00Z');

/** See the top of this file. */
export class World {
  public readonly random: Random;
  public readonly server = new ApiServer();
  public readonly clock = { monotonic: 0, offset: EPOCH, get now(): number { return this.monotonic + this.offset; } };
  public readonly nodes: Nodes;
  public readonly kueue: SimulatedKueue;
  public readonly invariants: Invariants;
  public readonly client: ApiClient;
  public readonly traceLines: string[] = [];
  /** What happens between two requests of the operator. */
  public meanwhile: () => void = () => undefined;
  public operator?: OperatorProcess;
  /** What a standby knows that has listed once and heard nothing since. */
  private standby?: Caches;
  private arrivesLate = false;

  public constructor(private readonly options: HistoryOptions) {
    this.random = new Random(options.seed);
    this.nodes = new Nodes(this.server, this.random, this.clock);
    this.nodes.health.isVisible = !this.random.chance(0.2);
    this.nodes.health.hasLeases = options.seed % 3 !== 0;
    this.kueue = new SimulatedKueue(this.server, this.nodes, this.random, this.clock);
    this.invariants = new Invariants(this.server, this.nodes, this.clock, this.kueue);
    this.client = new ApiClient(this.random, () => this.meanwhile(), (line) => this.trace(line));
    this.listen();
  }

  /** A process of the operator becomes the leader. */
  public startOperator(): void {
    const variant = this.options.operator ?? REAL_OPERATOR;
    // Its lists are asked for when it has become the leader, and answered at any later moment.
    const caches = variant === 'code' || variant.listsAtStart === true ? this.listedCaches() : this.standby ?? this.listedCaches();
    if (variant !== 'code' && variant.listsAtStart === 'all but jobs') {
      KINDS.forEach((kind) => caches.commitList(kind));
      caches.deliver('pods');
      caches.deliver('services');
    }
    this.standby = this.listedCaches();
    const { invariants } = this;
    const observer: OperatorObserver = {
      onCreatePod: (pod, seen) => invariants.onCreate(pod, seen),
      onDeletePod: (pod, byForce) => invariants.onDelete(pod, byForce),
      onDeleteJob: (job) => invariants.hooks.onDeleteJob(job),
    };
    this.operator = variant === 'code'
      ? new RealOperator(this.server, this.client, this.clock, JOB_NAME, observer, caches)
      : new SimulatedOperator(this.server, this.client, this.random, this.clock, JOB_NAME, variant, observer, caches);
    invariants.health.onOperator();
    this.trace(() => 'an operator starts');
  }

  /** Time goes by, of both clocks. */
  public pass(ms: number): void {
    this.clock.monotonic += ms;
    this.invariants.latestNow = Math.max(this.invariants.latestNow, this.clock.now);
  }

  /** A request that was stuck on its way arrives, if there is one. */
  public letLateRequestArrive(): void {
    if (this.client.late.length > 0) {
      this.trace(() => 'a request arrives late');
      this.arrivesLate = true;
      this.client.arriveLate();
      this.arrivesLate = false;
    }
  }

  /** Nothing is left for the operator to do: what happened in place is counted. */
  public holdCounted(): void {
    this.invariants.recovery.holdCounted(this.server.jobs.get(JOB_NAME));
  }

  /** Takes down a line, if anybody will read it. */
  public trace(line: () => string): void {
    if (this.options.traced) {
      this.traceLines.push(`${new Date(this.clock.now).toISOString().slice(11, 19)} ${line()}`);
    }
  }

  private listedCaches(): Caches {
    const caches = new Caches(this.server, this.nodes.health);
    caches.faults = this.client.faults;
    KINDS.forEach((kind) => caches.beginList(kind));
    return caches;
  }

  private listen(): void {
    this.nodes.onStart = (pod) => this.invariants.onStart(pod);
    this.server.onWorkload = (before, after) => this.invariants.queue.onWorkload(before, after);
    this.server.onPodGone = (pod, byForce) => this.nodes.podGone(pod, byForce);
    this.server.onPodCreated = (pod) => {
      this.nodes.register(pod);
      if (this.arrivesLate) {
        this.invariants.latePods.add(pod.metadata!.uid!);
      }
    };
    this.server.onStatus = (before, after) => {
      this.invariants.onStatus(before, after);
      this.trace(() => {
        const { phase, attempt = 0, restarts = 0, disruptions = 0, nextRetryTime, conditions = [], hooks = {} } = after.status ?? {};
        const reasons = conditions.filter((condition) => condition.status === 'True').map((condition) => condition.reason).join();
        return `  status: ${phase} (${reasons}), attempt ${attempt}, restarts ${restarts}, disruptions ${disruptions}${nextRetryTime ? `, paused until ${nextRetryTime}` : ''}`
          + Object.entries(hooks).map(([name, hook]) => `; ${name}: ${hook.phase} (${hook.pod}${hook.nextRetryTime ? `, paused until ${hook.nextRetryTime}` : ''})`).join('');
      });
    };
  }
}
