/**
 * The operator, without I/O: the order of steps is that of `reconciler.ts`, `executor.ts`, `status-writer.ts` and `children.ts`, and the
 * stores are the real ones. What differs from the real thing can be switched, so that the mutation tests can show that each precaution
 * is needed and that the invariants notice when it is missing.
 */
import type { ApiClient } from './api-client';
import { ApiServer, NAMESPACE, Refusal } from './api-server';
import type { Caches } from './caches';
import type { Clock, OperatorObserver, OperatorProcess, OperatorVariant } from './operator-variant';
import type { Random } from './random';
import { hookPodOf, podOf } from './requests';
import { SimulatedQueues } from './simulated-queues';
import { SimulatedStatuses } from './simulated-statuses';
import { resolvedOnce } from './specs';
import { controllerOf, controllerReference, type KubeObject } from '../../../../../src/operator/runtime/kube-object';
import { ClockWatch } from '../../../../../src/operator/runtime/process/clock';
import { DepartedPods } from '../../../../../src/operator/training/cleanup/departed-pods';
import { LeaseLooks } from '../../../../../src/operator/training/nodes/node-leases';
import { forceDeletionTime } from '../../../../../src/operator/training/plan/failures/node-loss';
import { isHookPod, observeHookPod, observePod } from '../../../../../src/operator/training/plan/observe/observe-pod';
import { serviceNames } from '../../../../../src/manifests/job/services';
import type { Action, NodeState, Observation, Plan, Problem } from '../../../../../src/operator/training/plan/types';
import { BY_JOB, BY_OWNER, ownerKey, type PodObject, type TrainingJobObject } from '../../../../../src/operator/training/resources';

/** Both as in `reconciler.ts`. */
const MAX_DECISIONS = 4;
const DECISIONS_PAUSE_MS = 200;

/** Wall clock's time of a process that never looks at it again. */
const BIRTH = Date.parse('2026-01-01T00:00:00Z');

/** See the top of this file. */
export class SimulatedOperator implements OperatorProcess {
  /** Whether the job's key waits in the queue. */
  private dirty = true;
  /** When the key comes back by itself. */
  private timers: number[] = [];
  private inDoubt = false;
  private readonly departed: DepartedPods;
  private readonly clockWatch: ClockWatch;
  private readonly leases: LeaseLooks;
  private readonly queues: SimulatedQueues;
  private readonly statuses: SimulatedStatuses;

  public constructor(
    private readonly server: ApiServer,
    private readonly client: ApiClient,
    private readonly random: Random,
    private readonly clock: Clock,
    private readonly jobName: string,
    private readonly variant: OperatorVariant,
    private readonly observer: OperatorObserver,
    /** Where it starts from. */
    public readonly caches: Caches,
  ) {
    Object.assign(this.caches, { listsAfterBreak: variant.listsAfterBreak, keepsOwnWrites: variant.keepsOwnWrites });
    this.caches.onChange(() => { this.dirty = true; });
    this.queues = new SimulatedQueues(server, client, caches);
    this.statuses = new SimulatedStatuses(server, client, clock, jobName, variant, caches);
    this.departed = new DepartedPods(this.caches.pods);
    this.leases = new LeaseLooks({ now: () => clock.now, monotonic: () => clock.monotonic });
    this.clockWatch = new ClockWatch({ now: () => clock.now, monotonic: () => clock.monotonic });
  }

  public get isDue(): boolean {
    return this.caches.synced && (this.dirty || this.timers.some((time) => time <= this.clock.monotonic));
  }

  public get nextTimer(): number | undefined {
    return this.timers.length > 0 ? Math.min(...this.timers) : undefined;
  }

  /** One turn of the work queue. A crash passes through. */
  public reconcile(): void {
    this.dirty = false;
    this.timers = this.timers.filter((time) => time > this.clock.monotonic);
    try {
      const requeueAfterMs = this.pass();
      if (requeueAfterMs !== undefined) {
        this.timers.push(this.clock.monotonic + requeueAfterMs);
      }
    } catch (error) {
      if (!(error instanceof Refusal) && !(error instanceof Told)) {
        throw error;
      }
      this.inDoubt ||= error instanceof Refusal && error.inDoubt;
      if (!(error instanceof Refusal) || error.reason !== this.variant.givesUpAfter) {
        this.timers.push(this.clock.monotonic + Math.max(1_000, error instanceof Refusal ? error.retryAfterMs : 0));
      }
    }
  }

  private pass(): number | undefined {
    if (this.inDoubt && this.variant.readsAfterDoubt) {
      this.readAgain();
    }
    const job = this.job();
    this.deleteOrphans(job);
    if (job === undefined) {
      return undefined;
    }
    try {
      return this.bringOn(job);
    } catch (error) {
      if (error instanceof Refusal && error.reason === 'Conflict') {
        this.refresh(job);
        return 1;
      }
      throw error;
    }
  }

  private bringOn(read: TrainingJobObject): number | undefined {
    let job = read;
    for (let decisions = 0; decisions <= MAX_DECISIONS; decisions++) {
      const observation = this.observe(job);
      const planned = this.variant.plan(observation);
      if (planned.decided) {
        job = this.carryOutDecision(job, observation, planned);
        continue;
      }
      const { problems, errors } = this.execute(job, planned.actions);
      this.inDoubt ||= errors.some((error) => error.inDoubt);
      const told = problems.length > 0 ? this.variant.plan({ ...observation, problems }) : planned;
      if (told.decided) {
        job = this.statuses.write(job, told.status);
        continue;
      }
      const dueInMs = this.statuses.writeWhenDue(job, told.status);
      if (errors.length > 0) {
        throw errors[0];
      }
      if (problems.length > 0) {
        throw new Told();
      }
      const waits = [planned.requeueAfterMs, dueInMs].filter((wait) => wait !== undefined);
      return waits.length > 0 ? Math.min(...waits) : undefined;
    }
    return DECISIONS_PAUSE_MS;
  }

  private carryOutDecision(job: TrainingJobObject, observation: Observation, planned: Plan): TrainingJobObject {
    if (!this.variant.writesFirst) {
      const next = this.variant.plan({ ...observation, job: { ...observation.job, status: planned.status } });
      this.execute(job, next.actions);
    }
    return this.statuses.write(job, planned.status);
  }

  private observe(job: TrainingJobObject): Observation {
    this.caches.planNumber++;
    const { name, uid, generation } = job.metadata!;
    const pods = this.caches.pods.byIndex(BY_OWNER, ownerKey(job.metadata!));
    return {
      job: { name: name!, uid: uid!, generation: generation!, spec: job.spec, status: job.status ?? {} },
      pods: pods.filter((pod) => !isHookPod(pod)).map((pod) => observePod(pod, this.nodeState(pod.spec?.nodeName))),
      hookPods: pods.filter(isHookPod).map((pod) => observeHookPod(pod, this.nodeState(pod.spec?.nodeName))),
      services: this.caches.services.byIndex(BY_OWNER, ownerKey(job.metadata!)).map((service) => service.metadata!.name!),
      departed: this.departed.of(ownerKey(job.metadata!)),
      queue: this.queues.observe(job),
      clockSteadySince: this.clockWatch.steadySince(),
      problems: [],
      now: this.variant.readsWallClock ? this.clock.now : this.clock.monotonic + BIRTH,
    };
  }

  /** As `NodeStates` has it. */
  private nodeState(node: string | undefined, state = this.caches.nodes.of(node)): NodeState | undefined {
    const lease = node === undefined ? undefined : this.leases.of(node);
    return state && lease ? { ...state, lease } : state;
  }

  private execute(job: TrainingJobObject, actions: readonly Action[]): { problems: Problem[]; errors: Refusal[] } {
    const problems: Problem[] = [];
    const errors: Refusal[] = [];
    const attempt = (what: () => void): boolean => {
      try {
        what();
        return true;
      } catch (error) {
        if (!(error instanceof Refusal)) {
          throw error;
        }
        if (error.reason === 'Forbidden') {
          problems.push({ reason: 'Forbidden', message: 'exceeded quota', permanent: false });
        } else if (error instanceof NameTaken) {
          problems.push({ reason: 'NameTaken', message: 'belongs to somebody else', permanent: false });
        } else {
          errors.push(error);
        }
        return false;
      }
    };
    const deletions = () => actions.forEach((action) => action.type === 'deletePod' && attempt(() => this.deletePodOf(job, action)));
    const creations = () => {
      const isReady = !actions.some((action) => action.type === 'ensureObjects') || attempt(() => this.ensureObjects(job));
      if (isReady) {
        actions.forEach((action) => action.type === 'createHookPod' && attempt(() => this.create('pods', hookPodOf(job, action))));
        actions.forEach((action) => action.type === 'createPod' && attempt(() => this.createPod(job, action)));
      }
    };
    // They run side by side: which requests come first, is a matter of chance.
    (this.random.chance(0.5) ? [deletions, creations] : [creations, deletions]).forEach((part) => part());
    actions.forEach((action) => {
      if (action.type === 'lookAtNode' && this.leases.isDue(action.node)) {
        try {
          this.lookAtNode(action.node);
        } catch (error) {
          if (!(error instanceof Refusal)) {
            throw error;
          }
        }
      }
    });
    actions.forEach((action) => action.type === 'queue' && attempt(() => this.queues.execute(job, action.step)));
    if (actions.some((action) => action.type === 'deleteJob') && errors.length === 0) {
      attempt(() => this.ignoring(['NotFound', 'Conflict'], () => this.client.write('delete the job', () => {
        this.server.check(this.server.jobs, this.jobName, { uid: job.metadata!.uid });
        this.observer.onDeleteJob(this.server.jobs.get(this.jobName)!);
        this.server.deleteJob(this.jobName);
      })));
    }
    return { problems, errors };
  }

  private ensureObjects(job: TrainingJobObject): void {
    for (const name of serviceNames(resolvedOnce(this.jobName, job.spec))) {
      const known = this.caches.services.get(`${NAMESPACE}/${name}`);
      if (known === undefined || controllerOf(known)?.uid !== job.metadata!.uid) {
        this.create('services', { metadata: { name, namespace: NAMESPACE, ownerReferences: [controllerReference(job)] } });
      }
    }
  }

  private createPod(job: TrainingJobObject, action: Extract<Action, { type: 'createPod' }>): void {
    if (this.variant.asksQueue) {
      this.queues.holdAdmission(job);
    }
    this.create('pods', podOf(job, action));
  }

  private create(kind: 'pods' | 'services', object: KubeObject): void {
    const { name } = object.metadata!;
    if (kind === 'pods') {
      this.observer.onCreatePod(object as PodObject, this.caches);
    }
    const request = () => (kind === 'pods' ? this.server.createPod(object as PodObject) : this.server.createOther(this.server.services, object));
    try {
      this.caches[kind].applyWritten(this.client.write(`create ${kind} ${name}`, request, kind === 'pods') as PodObject);
    } catch (error) {
      if (!(error instanceof Refusal && error.reason === 'AlreadyExists')) {
        throw error;
      }
      const found = this.client.read(`get ${kind} ${name}`, () => this.server[kind].get(name!));
      if (found === undefined) {
        throw error;
      }
      if (controllerOf(found)?.uid !== controllerOf(object)?.uid) {
        throw new NameTaken('AlreadyExists');
      }
      this.caches[kind].applyWritten(found as PodObject);
    }
  }

  private deletePodOf(job: TrainingJobObject, { name, uid, force }: Extract<Action, { type: 'deletePod' }>): void {
    if (!force || !this.variant.readsNodes || this.isStillLost(job, name, uid)) {
      this.deletePod(name, uid, force);
    }
  }

  /** As in `stuck-orphans.ts`. */
  private isStillLost(job: TrainingJobObject, name: string, uid: string): boolean {
    const pod = this.caches.pods.get(`${NAMESPACE}/${name}`);
    const node = pod?.spec?.nodeName;
    if (pod?.metadata?.uid !== uid || node === undefined) {
      return false;
    }
    const read = this.client.read(`get node ${node}`, () => this.caches.nodes.read(node));
    this.lookAtNode(node);
    const state = this.nodeState(node, read)!;
    const time = forceDeletionTime(observePod(pod, state), resolvedOnce(this.jobName, job.spec).runPolicy);
    return time !== undefined && time <= this.clock.now;
  }

  private lookAtNode(node: string): void {
    this.leases.note(node, this.client.read(`get the Lease of ${node}`, () => this.caches.nodes.leaseOf(node)));
  }

  private deletePod(name: string, uid: string, force = false): void {
    try {
      const response = this.client.write(`delete pod ${name} (${uid})${force ? ' by force' : ''}`, () => {
        const expected = this.variant.checksUid ? uid : undefined;
        this.server.check(this.server.pods, name, { uid: expected });
        this.observer.onDeletePod(this.server.pods.get(name)!, force);
        return this.variant.deletesGracefully && !force ? this.server.deletePod(name) : this.server.removePodByForce(name);
      }, true);
      this.caches.pods.applyDeleteResponse({ namespace: NAMESPACE, name, uid }, response);
    } catch (error) {
      if (error instanceof Refusal && (error.reason === 'NotFound' || error.reason === 'Conflict')) {
        this.caches.pods.markDeleted({ namespace: NAMESPACE, name, uid });
        return;
      }
      throw error;
    }
  }

  private deleteOrphans(job: TrainingJobObject | undefined): void {
    const key = `${NAMESPACE}/${this.jobName}`;
    const isOrphan = (object: KubeObject) => controllerOf(object)?.uid !== job?.metadata?.uid;
    const pods = this.caches.pods.byIndex(BY_JOB, key).filter(isOrphan);
    const services = this.caches.services.byIndex(BY_JOB, key).filter(isOrphan);
    const workloads = this.caches.workloads.list().filter(isOrphan);
    if ((pods.length === 0 && services.length === 0 && workloads.length === 0) || !this.variant.deletesOrphans) {
      return;
    }
    const live = this.client.read('get the job', () => this.server.jobs.get(this.jobName));
    this.queues.deleteOrphans(live?.metadata?.uid);
    const remains = (object: KubeObject) => controllerOf(object)?.uid !== live?.metadata?.uid;
    for (const pod of pods.filter(remains).filter((candidate) => candidate.metadata!.deletionTimestamp === undefined)) {
      this.deletePod(pod.metadata!.name!, pod.metadata!.uid!);
    }
    for (const service of services.filter(remains)) {
      const { name, uid } = service.metadata!;
      this.ignoring(['NotFound', 'Conflict'], () => this.client.write(`delete service ${name}`, () => this.server.deleteService(name!, uid)));
      this.caches.services.markDeleted({ namespace: NAMESPACE, name: name!, uid });
    }
  }

  private refresh(job: TrainingJobObject): void {
    const live = this.client.read('get the job', () => this.server.jobs.get(this.jobName));
    if (live === undefined) {
      this.caches.jobs.markDeleted({ namespace: NAMESPACE, name: this.jobName, uid: job.metadata!.uid });
    } else {
      this.caches.jobs.applyWritten(live);
    }
  }

  /** After a write whose outcome is unknown: what stands is asked for, so that nothing is planned from before it. */
  private readAgain(): void {
    const job = this.job();
    if (job) {
      this.refresh(job);
      this.queues.readAgain(job);
    }
    this.client.read('list the pods of the job', () => [...this.server.pods.objects.values()])
      .forEach((pod) => this.caches.pods.applyWritten(pod));
    this.inDoubt = false;
  }

  private job(): TrainingJobObject | undefined {
    return this.caches.jobs.get(`${NAMESPACE}/${this.jobName}`);
  }

  private ignoring(reasons: readonly string[], request: () => void): void {
    try {
      request();
    } catch (error) {
      if (!(error instanceof Refusal && reasons.includes(error.reason))) {
        throw error;
      }
    }
  }
}

/** A problem was told in the status; the pass is made again after a pause. */
class Told extends Error {}

class NameTaken extends Refusal {}
