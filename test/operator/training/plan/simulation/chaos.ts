/**
 * Chaos: a number of steps, each of which lets one part of the world get on, in any order: the operator's queue, deliveries to its caches,
 * the kubelets, users, other people's mischief, the clock.
 */
import { Crash } from './api-client';
import { KINDS, Refusal } from './api-server';
import type { Caches } from './caches';
import { count } from './fault-counts';
import { JOB_NAME, randomSpec } from './random-job';
import { edited } from './specs';
import type { HistoryOptions, World } from './world';
import type { PodObject } from '../../../../../src/operator/training/resources';

/** How often sidecars outlive the training container. */
const LINGER_RATE = 0.15;

/** See the top of this file. */
export class Chaos {
  public stepsDone = 0;
  private readonly failRate: number;
  private readonly mischief: number;
  private readonly steps: number;

  /**
   * How wild it gets, differs from history to history, unless the options say so.
   */
  public constructor(private readonly world: World, { faults = {}, steps, wildness = {} }: Pick<HistoryOptions, 'faults' | 'steps' | 'wildness'>) {
    const { random, client } = world;
    const rate = (most: number) => (random.chance(0.4) ? 0 : random.next() * most);
    client.rates = { crash: rate(0.06), refusal: rate(0.15), lostAnswer: rate(0.15), lateArrival: rate(0.05), interleaving: rate(0.5), ...faults };
    const drawnRates = { failRate: random.pick([0, 0.2, 0.4, 0.8]), mischief: random.pick([0, 0.5, 2]) };
    this.failRate = wildness.failRate ?? drawnRates.failRate;
    this.mischief = wildness.mischief ?? drawnRates.mischief;
    world.nodes.stuckRate = random.pick([0, 0, 0.1, 0.3]);
    world.nodes.fullRate = random.pick([0, 0, 0.9]);
    world.nodes.checks.failRate = random.pick([0, 0.1, 0.5]);
    world.nodes.checks.hangRate = random.pick([0, 0, 0.2]);
    world.nodes.checks.stallRate = random.pick([0, 0.2, 0.5]);
    world.nodes.checks.busyRate = 0.9;
    const drawn = random.between(40, 160);
    this.steps = steps ?? drawn;
    world.meanwhile = () => this.meanwhile();
  }

  /** Runs all steps. */
  public async run(): Promise<void> {
    while (this.stepsDone < this.steps) {
      this.stepsDone++;
      try {
        const pending = this.step();
        if (pending instanceof Promise && !await pending) {
          this.world.operator = undefined;
        }
      } catch (error) {
        if (error instanceof Crash) {
          this.world.operator = undefined;
        } else if (!(error instanceof Refusal)) {
          throw error;
        }
      }
    }
  }

  private step(): unknown {
    const { random, world } = this;
    return random.pickWeighted<() => unknown>([
      [8, () => this.operatorTurn()],
      [9, () => this.deliver()],
      [9, () => this.kubelets()],
      [4, () => world.pass(random.between(100, 20_000))],
      [this.mischief, () => this.disturb()],
      [0.15, () => this.user()],
      // Often enough that a place is wanted again while its last pod is leaving.
      [world.server.jobs.get(JOB_NAME)?.spec.elastic === undefined ? 0.6 : 4, () => this.scale()],
      [0.15, () => this.crash()],
      [0.15, () => this.caches((caches) => caches.break(random.pick(KINDS)))],
      [0.6, () => this.caches((caches) => caches.beginList(random.pick(KINDS)))],
      [0.3, () => world.letLateRequestArrive()],
      // Where time is measured, it matters most.
      [this.measuresTime ? 0.6 : 0.1, () => this.jump()],
      [2, () => world.invariants.health.report()],
      [isQueued(world) ? 3 : 0, () => this.queue()],
      [0.5, () => world.nodes.health.tell()],
    ])();
  }

  /** Kueue gets on, or takes back what it gave. */
  private queue(): void {
    const { kueue } = this.world;
    this.random.pickWeighted<() => void>([
      [5, () => kueue.admit(false)],
      [0.4, () => this.told('Kueue takes the quota back', () => kueue.evict())],
      [0.15, () => this.told('somebody deletes the Workload', () => kueue.remove())],
    ])();
  }

  /** Whether the job has a rule that silence or a wait of its own brings about. */
  private get measuresTime(): boolean {
    const spec = this.world.server.jobs.get(JOB_NAME)?.spec;
    return spec?.runPolicy?.stall !== undefined || spec?.scheduling?.gang !== undefined;
  }

  /** What happens between two requests of the operator: anything but another turn of its own. */
  private meanwhile(): void {
    this.random.pickWeighted<() => void>([
      [5, () => this.deliver()],
      [5, () => this.world.nodes.step(this.failRate, LINGER_RATE)],
      [isQueued(this.world) ? 1 : 0, () => this.queue()],
      [this.mischief / 2, () => this.disturb()],
      [0.05, () => this.user()],
      [0.2, () => this.scale()],
      [0.3, () => this.world.letLateRequestArrive()],
    ])();
  }

  private operatorTurn(): void | Promise<boolean> {
    const { operator } = this.world;
    if (operator === undefined) {
      this.world.startOperator();
    } else if (operator.isDue || (operator.caches.synced && this.random.chance(0.1))) {
      return operator.reconcile();
    }
  }

  private kubelets(): void {
    for (let pods = this.random.between(1, 4); pods > 0; pods--) {
      this.world.nodes.step(this.failRate, LINGER_RATE);
    }
  }

  private deliver(): void {
    this.caches((caches) => {
      KINDS.forEach((kind) => this.random.chance(0.5) && caches.commitList(kind));
      if (this.random.chance(0.5)) {
        KINDS.forEach((kind) => caches.deliver(kind));
      } else {
        caches.deliver(this.random.pick(KINDS), this.random.between(1, 3));
      }
    });
  }

  /** Somebody else lays hands on a pod, a node or a service of the job. */
  private disturb(): void {
    const { nodes, server } = this.world;
    const pods = [...server.pods.objects.values()];
    const services = [...server.services.objects.keys()];
    if (pods.length > 0) {
      const pod = this.random.pick(pods);
      this.random.pickWeighted<() => void>([
        [3, () => this.told(`somebody deletes ${describePod(pod)}`, () => nodes.deleteByOthers(pod))],
        [2, () => this.evict(pod)],
        [1, () => pod.spec?.nodeName && this.told(`${pod.spec.nodeName} dies`, () => nodes.loseNode(pod))],
        [1, () => this.disconnect(pod)],
        [1, () => pod.spec?.nodeName && this.told(`old news: ${pod.spec.nodeName} is in trouble`, () => nodes.flicker(pod))],
        [1, () => this.told('very many nodes are not ready, or ready again', () => nodes.health.setOutage(this.random.chance(0.5)))],
        [1, () => services.length > 0 && this.told('somebody deletes a service', () => server.deleteService(this.random.pick(services)))],
      ])();
    }
  }

  /** A node is cut off, or all that were are back. Unless its policy waits for such nodes, two processes of a rank may live, as documented. */
  private disconnect(pod: PodObject): void {
    const { nodes, server } = this.world;
    if (this.random.chance(0.5)) {
      this.told('all nodes are connected', () => nodes.health.heal());
    } else if (pod.spec?.nodeName && server.jobs.get(JOB_NAME)?.spec.runPolicy?.nodeLoss?.stuckPods === 'Wait') {
      this.told(`${pod.spec.nodeName} is cut off`, () => nodes.cutOff(pod));
    }
  }

  private evict(pod: PodObject): void {
    const { phase } = pod.status!;
    if (pod.metadata!.deletionTimestamp === undefined && (phase === 'Pending' || phase === 'Running')) {
      this.told(`${describePod(pod)} is evicted`, () => this.world.nodes.evict(pod));
    }
  }

  private user(): void {
    const { server } = this.world;
    const job = server.jobs.get(JOB_NAME);
    if (job === undefined) {
      const spec = randomSpec(this.random);
      this.told(`a user makes the job again: ${JSON.stringify(spec)}`, () => server.createJob(JOB_NAME, spec));
    } else if (this.random.chance(0.25)) {
      this.told('a user deletes the job', () => server.deleteJob(JOB_NAME));
    } else {
      const suspend = !job.spec.suspend;
      this.told(`a user sets suspend to ${suspend}`, () => server.updateSpec(JOB_NAME, edited(job.spec, { suspend })));
    }
  }

  /** Somebody, or an autoscaler, changes the number of replicas of an elastic job. */
  private scale(): void {
    const { server } = this.world;
    const spec = server.jobs.get(JOB_NAME)?.spec;
    if (spec?.elastic) {
      const replicas = this.random.between(spec.elastic.minReplicas, spec.elastic.maxReplicas);
      this.told(`a user sets replicas to ${replicas}`, () => server.updateSpec(JOB_NAME, edited(spec, { replicas })));
    }
  }

  /** The wall clock is set; the time that has passed since stays what it is. */
  private jump(): void {
    const hours = this.random.pick([-1, 1]);
    count(this.world.client.faults, hours > 0 ? 'clock forward' : 'clock back');
    this.told(`the clock jumps by ${hours} h`, () => { this.world.clock.offset += hours * 3_600_000; });
    this.world.invariants.health.onJump(hours * 3_600_000);
    this.world.pass(0);
  }

  private crash(): void {
    count(this.world.client.faults, 'crash');
    this.told('the operator dies', () => { this.world.operator = undefined; });
  }

  private caches(what: (caches: Caches) => unknown): void {
    if (this.world.operator) {
      what(this.world.operator.caches);
    }
  }

  private told(line: string, what: () => unknown): void {
    this.world.trace(() => line);
    what();
  }

  private get random() {
    return this.world.random;
  }
}

function isQueued({ server }: World): boolean {
  return server.jobs.get(JOB_NAME)?.spec.scheduling?.queueName !== undefined;
}

/** A pod as traces name it. */
export function describePod(pod: PodObject): string {
  return `${pod.metadata!.name} (${pod.metadata!.uid}, ${pod.status?.phase}${pod.metadata!.deletionTimestamp ? ', deleting' : ''})`;
}
