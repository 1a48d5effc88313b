/**
 * Works on jobs of a watch scope: on all of them, as the leader, or on those of one shard. It has the work queue and all that writes, by the client
 * of whoever holds the jobs; what it reads are the caches of the scope, which all workers share.
 */
import { addressBooks } from './addresses';
import { ChildJobs, JobCopies } from './children/child-jobs';
import { JobQueues, queueSource } from './children/job-queues';
import { JobTrials } from './children/job-trials';
import { ForcedDeletion } from './cleanup/stuck-orphans';
import { Executor } from './executor';
import { LargePasses } from './large-passes';
import { nodeSource } from './nodes/nodes';
import { LARGE_AT_ONCE, largeSize, refusalOfLarge } from './plan/resolve-once';
import { TrainingJobReconciler } from './reconciler';
import { controllingJobKey, isNewsOfPod, type TrainingJobObject } from './resources';
import { StatusWriter } from './status-writer';
import { latest, type WatchScope } from './watch-scope';
import type { Workload } from '../kueue/workload';
import { Controller, storeSource, type Source } from '../runtime/controller';
import type { EventRecorder } from '../runtime/events';
import type { KubeClient } from '../runtime/kube-client';
import { objectKey, type KubeObject } from '../runtime/kube-object';
import { SYSTEM_CLOCK } from '../runtime/process/clock';
import type { Store, StoreChange } from '../runtime/watch/store';
import type { WorkQueue } from '../runtime/work-queue';

/** For whom a worker works. */
export interface JobHolder {
  /** Writes as the holder of the jobs alone may. */
  readonly client: KubeClient;
  readonly events: EventRecorder;
  /** Whether a job is the holder's, by its key. @default - all are */
  readonly owns?: (key: string) => boolean;
  /** Part of the workers and of the room for large jobs that the holder has. @default 1 */
  readonly part?: number;
}

/** See the top of this file. */
export class JobWorker {
  private readonly controller: Controller;
  /** Since when reports can have arrived that it knows of, outages aside; milliseconds since the epoch. */
  private heardSince?: number;

  /** What changes from now on waits in the queue until {@link run}. */
  public constructor(private readonly scope: WatchScope, { client, events, owns, part = 1 }: JobHolder) {
    const { jobs, nodes, workloads, positions, options: { config, logger, progress, observers, utilization, progressNamespace } } = scope;
    const children = { pods: scope.pods, services: scope.services };
    const queues = new JobQueues({ client, cache: workloads, positions, clock: SYSTEM_CLOCK, logger });
    const trials = new JobTrials(client, jobs, logger, scope.logged);
    const copies = new JobCopies(jobs, new ChildJobs(client, jobs, logger));
    const forced = nodes && new ForcedDeletion(nodes, children.pods, SYSTEM_CLOCK);
    const executor = new Executor(
      client, children, addressBooks(config.addresses), logger, progress, queues, trials, forced, copies, nodes?.leases, progressNamespace,
    );
    const workers = Math.ceil(config.workers * part);
    // Many jobs wait for a worker, or some for their pods: those come first.
    const isCrowded = (): boolean => this.queue.depth > workers;
    const isBusy = (): boolean => executor.creatingJobs > 0 || isCrowded();
    const reconciler = new TrainingJobReconciler({
      client,
      queues,
      trials,
      copies,
      jobs,
      children,
      departed: scope.departed,
      former: scope.former,
      nodes: nodes?.states,
      ...(nodes && forced && { nodeKnowledge: { states: nodes.states, leases: nodes.leases, forced } }),
      utilization: utilization && (({ metadata }, podNames) => utilization.of(metadata?.namespace ?? '', podNames)),
      executor,
      statuses: new StatusWriter(client, jobs, SYSTEM_CLOCK, observers.statusWritten, isBusy, config.statusCountsSeconds * 1000),
      clock: SYSTEM_CLOCK,
      logger,
      publish: (job, event) => events.record(job, event),
      budget: scope.budget,
      isBusy,
      passesPerSecond: () => this.queue.takenPerSecond,
      onPodsCreated: observers.podsCreated,
      heardSince: () => latest(this.heardSince, scope.writableSince),
    });
    const largePasses = new LargePasses((key) => this.queue.add(key), LARGE_AT_ONCE * part);
    const source = <T extends KubeObject>(
      name: string, store: Store<T>, keysOf: (object: T) => readonly string[], concerns?: (change: StoreChange<T>) => boolean,
    ) => storeSource<T>({ name, store, waitForSync: async (signal) => scope.waitForSync(signal), keysOf, concerns });
    const sources: readonly Source[] = [
      source('jobs', jobs, (job) => [objectKey(job), ...childKeys(job)]),
      source('pods', children.pods, childKeys, (change) => isNewsOfPod(change, jobs)),
      source('services', children.services, childKeys),
      ...(nodes ? [nodeSource(nodes, children)] : []),
      queueSource(workloads, jobs),
      // Never waited for: most clusters have none.
      storeSource<Workload>({ name: 'workloads', store: workloads.store, waitForSync: async () => undefined, keysOf: childKeys }),
    ];
    this.controller = new Controller({
      name: 'training-job',
      logger,
      concurrency: workers,
      reconcile: async (key) => largePasses.run(key, placeOf(jobs.get(key)), async () => reconciler.reconcile(key)),
      onReconcile: observers.reconciled,
      sources: owns === undefined ? sources : sources.map((each) => ownedPart(each, owns)),
    });
  }

  /** Jobs that wait for a pass. */
  public get queue(): WorkQueue {
    return this.controller.queue;
  }

  /** Works until the signal aborts and the passes that run have ended. */
  public async run(signal: AbortSignal): Promise<void> {
    if (this.scope.options.config.leaderElect) {
      await this.scope.untilCaughtUp(signal);
    }
    await this.scope.waitForSync(signal);
    this.heardSince = SYSTEM_CLOCK.now();
    await this.controller.run(signal);
  }
}

/** The changes of a source that concern the holder. */
function ownedPart(source: Source, owns: (key: string) => boolean): Source {
  return { ...source, subscribe: (onChange, onError) => source.subscribe((keys, lowPriority) => onChange(keys.filter(owns), lowPriority), onError) };
}

/** Room that a pass over the job takes. A spec that is too large for a job is not read. */
function placeOf(job: TrainingJobObject | undefined): number {
  return job === undefined || refusalOfLarge(job.spec).length > 0 ? 0 : largeSize(job.spec);
}

function childKeys(child: KubeObject): readonly string[] {
  const key = controllingJobKey(child);
  return key === undefined ? [] : [key];
}
