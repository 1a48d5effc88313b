/**
 * One random history: a job lives through chaos, then there is peace, and everything has to end well. The seed decides everything.
 *
 * Chaos is a number of steps; each lets one part of the world get on, in any order: the operator's queue, deliveries to its caches, the
 * kubelets, users, other people's mischief, the clock. In peace nothing goes wrong any more, and the operator is called only when its own
 * queue says so, so that a plan that forgot to ask for a later pass is found out.
 */
import { ApiClient, Crash, NO_FAULTS, type FaultRates } from './api-client';
import { ApiServer, KINDS, NAMESPACE, Refusal } from './api-server';
import { Caches } from './caches';
import { Invariants, InvariantViolation } from './invariants';
import { Nodes } from './nodes';
import { REAL_OPERATOR, SimulatedOperator, type OperatorVariant } from './operator';
import { Random } from './random';
import { JOB_NAME, randomSpec } from './random-job';
import { controllerOf } from '../../../../../src/operator/runtime/ownership';
import type { PodObject } from '../../../../../src/operator/training/resources';

/** Settings of a history. */
export interface HistoryOptions {
  readonly seed: number;
  /** @default REAL_OPERATOR */
  readonly operator?: OperatorVariant;
  /** Ends the chaos after this many steps. @default - as the seed says */
  readonly steps?: number;
  /** Takes down what happens. @default false */
  readonly traced?: boolean;
}

/** How it went. */
export interface HistoryResult {
  /** Phase and reason in which the job ended, `Deleted` where nobody waited for that. */
  readonly outcome: string;
  readonly restarts: number;
  readonly disruptions: number;
  readonly pods: number;
  readonly steps: number;
}

/** A history that broke an invariant, with all that is needed to see why. */
export class HistoryFailure extends Error {
  public constructor(public readonly seed: number, public readonly steps: number, public readonly violation: Error, public readonly trace: readonly string[]) {
    super(`${violation.message}\n(seed ${seed}, ${steps} steps of chaos)${trace.length > 0 ? `\n  ${trace.join('\n  ')}` : ''}`);
  }

  /** Name of the broken invariant. */
  public get invariant(): string {
    return this.violation instanceof InvariantViolation ? this.violation.invariant : this.violation.message;
  }
}

/** Runs a history. @throws HistoryFailure */
export function runHistory(options: HistoryOptions): HistoryResult {
  const history = new History(options);
  try {
    return history.run();
  } catch (error) {
    throw new HistoryFailure(options.seed, history.stepsDone, error as Error, history.traceLines);
  }
}

const EPOCH = Date.parse('2026-01-01T00:00:00Z');

/** More passes than this in peace, and the operator runs in circles. */
const MAX_ROUNDS = 4_000;

export class History {
  public stepsDone = 0;
  public readonly traceLines: string[] = [];
  private readonly random: Random;
  private readonly server = new ApiServer();
  private readonly clock = { monotonic: 0, offset: EPOCH, get now(): number { return this.monotonic + this.offset; } };
  private readonly nodes: Nodes;
  private readonly invariants: Invariants;
  private readonly client: ApiClient;
  private operator?: SimulatedOperator;
  /** What a standby knows that has listed once and heard nothing since. */
  private standby?: Caches;
  private readonly rates: FaultRates;
  private readonly failRate: number;
  private readonly mischief: number;
  private readonly steps: number;
  private arrivesLate = false;

  public constructor(private readonly options: HistoryOptions) {
    const random = this.random = new Random(options.seed);
    this.nodes = new Nodes(this.server, random);
    this.invariants = new Invariants(this.server, this.nodes, this.clock);
    this.client = new ApiClient(random, () => this.meanwhile(), (line) => this.trace(line));
    const rate = (most: number) => (random.chance(0.4) ? 0 : random.next() * most);
    this.rates = { crash: rate(0.06), refusal: rate(0.15), lostAnswer: rate(0.15), lateArrival: rate(0.05), interleaving: rate(0.5) };
    this.failRate = random.pick([0, 0.2, 0.4, 0.8]);
    this.mischief = random.pick([0, 0.5, 2]);
    const drawn = random.between(40, 160);
    this.steps = options.steps ?? drawn;
    this.listen();
  }

  private listen(): void {
    this.nodes.onStart = (pod) => this.invariants.onStart(pod);
    this.server.onPodGone = (pod, byForce) => this.nodes.podGone(pod, byForce);
    this.server.onStatus = (before, after) => {
      this.invariants.onStatus(before, after);
      this.trace(() => `  status: ${after.status?.phase} attempt ${after.status?.attempt ?? 0} restarts ${after.status?.restarts ?? 0} disruptions ${after.status?.disruptions ?? 0}`
        + `${after.status?.nextRetryTime ? ` retry ${after.status.nextRetryTime}` : ''}`
        + ` ${(after.status?.conditions ?? []).filter((condition) => condition.status === 'True').map((condition) => condition.reason).join()}`);
    };
    const createPod = this.server.createPod.bind(this.server);
    this.server.createPod = (pod) => {
      const created = createPod(pod);
      this.nodes.register(created);
      if (this.arrivesLate) {
        this.invariants.latePods.add(created.metadata!.uid!);
      }
      return created;
    };
  }

  public run(): HistoryResult {
    const spec = randomSpec(this.random);
    this.trace(() => JSON.stringify(spec));
    this.server.createJob(JOB_NAME, spec);
    this.startOperator();
    this.client.rates = this.rates;
    while (this.stepsDone < this.steps) {
      this.stepsDone++;
      this.step();
    }
    this.trace(() => 'peace');
    this.client.rates = NO_FAULTS;
    while (this.client.late.length > 0) {
      this.late();
    }
    return this.peace();
  }

  // ---- chaos

  private step(): void {
    this.guarded(() => this.random.pickWeighted<() => void>([
      [8, () => this.operatorTurn()],
      [9, () => this.deliver()],
      [9, () => this.kubelets()],
      [4, () => this.pass(this.random.between(100, 20_000))],
      [this.mischief, () => this.disturb()],
      [0.15, () => this.user()],
      [0.15, () => this.crash()],
      [0.15, () => this.caches((caches) => caches.break(this.random.pick(KINDS)))],
      [0.6, () => this.list()],
      [0.3, () => this.late()],
      [0.1, () => this.jump()],
    ])());
  }

  /** What happens between two requests of the operator: anything but another turn of its own. */
  private meanwhile(): void {
    this.random.pickWeighted<() => void>([
      [5, () => this.deliver()],
      [5, () => this.nodes.step(this.failRate, 0.15)],
      [this.mischief / 2, () => this.disturb()],
      [0.05, () => this.user()],
      [0.3, () => this.late()],
    ])();
  }

  private operatorTurn(): void {
    if (this.operator === undefined) {
      this.startOperator();
    } else if (this.operator.isDue || (this.operator.caches.synced && this.random.chance(0.1))) {
      this.operator.reconcile();
    }
  }

  private kubelets(): void {
    for (let pods = this.random.between(1, 4); pods > 0; pods--) {
      this.nodes.step(this.failRate, 0.15);
    }
  }

  private deliver(): void {
    const kind = this.random.pick(KINDS);
    this.caches((caches) => {
      KINDS.forEach((other) => this.random.chance(0.5) && caches.commitList(other));
      caches.deliver(kind, this.random.between(1, 6));
    });
  }

  private list(): void {
    this.caches((caches) => caches.beginList(this.random.pick(KINDS)));
  }

  private late(): void {
    if (this.client.late.length > 0) {
      this.trace(() => 'a request arrives late');
      this.arrivesLate = true;
      this.client.arriveLate();
      this.arrivesLate = false;
    }
  }

  private disturb(): void {
    const pods = [...this.server.pods.objects.values()].filter((pod) => this.nodes.truth.has(pod.metadata!.uid!));
    if (pods.length === 0) {
      return;
    }
    const pod = this.random.pick(pods);
    this.random.pickWeighted<() => void>([
      [3, () => { this.trace(() => `somebody deletes ${describe(pod)}`); this.nodes.deleteByOthers(pod); }],
      [2, () => this.evict(pod)],
      [1, () => pod.spec?.nodeName && (this.trace(() => `${pod.spec!.nodeName} dies`), this.nodes.loseNode(pod))],
      [1, () => this.random.pick([...this.server.services.objects.keys(), undefined].slice(0, 2)) && this.deleteService()],
    ])();
  }

  private evict(pod: PodObject): void {
    const { phase } = pod.status!;
    if (pod.metadata!.deletionTimestamp === undefined && (phase === 'Pending' || phase === 'Running')) {
      this.trace(() => `${describe(pod)} is evicted`);
      this.nodes.evict(pod);
    }
  }

  private deleteService(): void {
    const [name] = this.server.services.objects.keys();
    if (name) {
      this.server.deleteService(name);
    }
  }

  private user(): void {
    const job = this.server.jobs.get(JOB_NAME);
    if (job === undefined) {
      const spec = randomSpec(this.random);
      this.trace(() => `a user makes the job again: ${JSON.stringify(spec)}`);
      this.server.createJob(JOB_NAME, spec);
    } else if (this.random.chance(0.25)) {
      this.trace(() => 'a user deletes the job');
      this.server.deleteJob(JOB_NAME);
    } else {
      this.trace(() => `a user sets suspend to ${!job.spec.suspend}`);
      this.server.updateSpec(JOB_NAME, { ...job.spec, suspend: !job.spec.suspend });
    }
  }

  private jump(): void {
    const hours = this.random.pick([-1, 1]);
    this.trace(() => `the clock jumps by ${hours} h`);
    this.clock.offset += hours * 3_600_000;
    this.pass(0);
  }

  private pass(ms: number): void {
    this.clock.monotonic += ms;
    this.invariants.latestNow = Math.max(this.invariants.latestNow, this.clock.now);
  }

  private crash(): void {
    this.trace(() => 'the operator dies');
    this.operator = undefined;
  }

  // ---- the operator's life

  private startOperator(): void {
    const variant = this.options.operator ?? REAL_OPERATOR;
    // Its lists are asked for when it has become the leader, and answered at any later moment.
    const caches = variant.listsAtStart ? this.listedCaches() : this.standby ?? this.listedCaches();
    this.standby = this.listedCaches();
    this.operator = new SimulatedOperator(this.server, this.client, this.random, this.clock, JOB_NAME, variant, {
      onCreatePod: (pod, operator) => this.invariants.onCreate(pod, operator),
    }, caches);
    this.trace(() => 'an operator starts');
  }

  private listedCaches(): Caches {
    const caches = new Caches(this.server);
    KINDS.forEach((kind) => caches.beginList(kind));
    return caches;
  }

  private caches(what: (caches: SimulatedOperator['caches']) => unknown): void {
    if (this.operator) {
      what(this.operator.caches);
    }
  }

  private guarded(what: () => void): void {
    try {
      what();
    } catch (error) {
      if (error instanceof Crash) {
        this.operator = undefined;
      } else if (!(error instanceof Refusal)) {
        throw error;
      }
    }
  }

  // ---- peace

  private peace(): HistoryResult {
    if (this.operator === undefined) {
      this.startOperator();
    }
    this.settle();
    const { hold } = this.invariants;
    const suspended = this.server.jobs.get(JOB_NAME);
    if (suspended?.spec.suspend && suspended.status?.completionTime === undefined) {
      hold('a suspended job has no pods', this.server.pods.objects.size === 0 && suspended.status?.phase === 'Suspended',
        () => `${suspended.status?.phase} with ${[...this.server.pods.objects.keys()].join()}`);
      this.trace(() => 'the job is resumed');
      this.server.updateSpec(JOB_NAME, { ...suspended.spec, suspend: false });
      this.settle();
    }
    const job = this.server.jobs.get(JOB_NAME);
    const status = job?.status;
    if (job) {
      hold('every job ends', status?.completionTime !== undefined, () => JSON.stringify(status));
      this.holdCleanedUp();
      this.server.deleteJob(JOB_NAME);
      this.settle();
    }
    hold('nothing is left of a deleted job', this.server.pods.objects.size === 0 && this.server.services.objects.size === 0,
      () => [...this.server.pods.objects.keys(), ...this.server.services.objects.keys()].join());
    const reason = status?.conditions?.find((condition) => condition.type === 'Succeeded' || condition.type === 'Failed')?.reason;
    return {
      outcome: status?.phase === undefined ? 'Deleted' : `${status.phase}: ${reason}`,
      restarts: status?.restarts ?? 0,
      disruptions: status?.disruptions ?? 0,
      pods: this.nodes.truth.size,
      steps: this.stepsDone,
    };
  }

  private holdCleanedUp(): void {
    const pods = [...this.server.pods.objects.values()];
    const policy = this.server.jobs.get(JOB_NAME)!.spec.runPolicy?.cleanPodPolicy;
    this.invariants.hold('pods are cleaned up', policy !== 'All' || pods.length === 0, () => `cleanPodPolicy All leaves ${pods.map(describe).join()}`);
  }

  /** The operator has had its turn: nothing of a finished job goes on, unless the job says so. */
  private holdStopped(): void {
    const job = this.server.jobs.get(JOB_NAME);
    if (job?.status?.completionTime !== undefined && job.spec.runPolicy?.cleanPodPolicy !== 'None') {
      const left = [...this.server.pods.objects.values()]
        .filter((pod) => this.nodes.alive.has(pod.metadata!.uid!) && pod.metadata!.deletionTimestamp === undefined && controllerOf(pod)?.uid === job.metadata!.uid);
      this.invariants.hold('pods are cleaned up', left.length === 0, () => `${left.map(describe).join()} live on after the job's end`);
    }
  }

  /** Lets everything happen that still wants to, as the operator's queue asks for it. */
  private settle(): void {
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const operator = this.operator!;
      operator.caches.catchUp();
      if (operator.isDue) {
        operator.reconcile();
      } else if (this.nodes.hasWork) {
        this.holdStopped();
        this.nodes.step(0, 0);
        this.pass(1_000);
      } else if (operator.nextTimer !== undefined) {
        this.pass(Math.max(1, operator.nextTimer - this.clock.monotonic));
      } else {
        return;
      }
    }
    throw new InvariantViolation('everything comes to rest', `after ${MAX_ROUNDS} rounds of peace: ${JSON.stringify(this.server.jobs.get(JOB_NAME)?.status)}`);
  }

  private trace(line: () => string): void {
    if (this.options.traced) {
      this.traceLines.push(`${new Date(this.clock.now).toISOString().slice(11, 19)} ${line()}`);
    }
  }
}

function describe(pod: PodObject): string {
  return `${NAMESPACE}/${pod.metadata!.name} (${pod.metadata!.uid}, ${pod.status?.phase}${pod.metadata!.deletionTimestamp ? ', deleting' : ''})`;
}
