/**
 * The operator of training jobs, put together: caches of jobs, pods and services, one controller over them, leader election, health. A standby
 * keeps its caches warm, so that it acts at once when it becomes the leader.
 */
import { addressBooks } from './addresses';
import { LEASE_NAME, type OperatorConfig } from './config';
import { Executor } from './executor';
import { TrainingJobReconciler } from './reconciler';
import {
  CHILD_INDEXES, TRAINING_JOBS, controllingJobKey, trimJob, trimPod, trimService, type PodObject, type TrainingJobObject,
} from './resources';
import { StatusWriter } from './status-writer';
import { MANAGED_BY_LABEL, MANAGED_BY_OPERATOR } from '../../model/labels';
import { catchUp } from '../runtime/catch-up';
import { SYSTEM_CLOCK, sleep } from '../runtime/clock';
import { Controller, storeSource } from '../runtime/controller';
import { EventRecorder } from '../runtime/events';
import { HealthServer } from '../runtime/health-server';
import type { KubeClient } from '../runtime/kube-client';
import { objectKey, type KubeObject } from '../runtime/kube-object';
import { LeaderElector } from '../runtime/leader-election';
import { ListWatch } from '../runtime/list-watch';
import type { Logger } from '../runtime/logger';
import { PODS, SERVICES, type ResourceKind } from '../runtime/resource-kind';
import { Store, type StoreOptions } from '../runtime/store';

/** Name under which the operator's events appear. */
const COMPONENT = 'trainyard-operator';

/** Selects what the operator created, so that its caches hold no other pods of the cluster. */
const CHILD_SELECTOR = `${MANAGED_BY_LABEL}=${MANAGED_BY_OPERATOR}`;

/** Pause before a new leader tries again to bring its caches up to date, milliseconds. */
const CATCH_UP_PAUSE_MS = 1_000;

/** What an operator needs from outside. */
export interface OperatorOptions {
  readonly client: KubeClient;
  readonly config: OperatorConfig;
  readonly logger: Logger;
  /** Aborts when the operator has to end. */
  readonly signal: AbortSignal;
  /** Called when the leadership is lost: another replica may act already, so the process has to end at once. */
  readonly onLeadershipLost: (reason: string) => void;
}

/** A resource type that is kept in memory. */
interface Cache<T extends KubeObject> {
  readonly store: Store<T>;
  readonly watch: ListWatch<T>;
  catchUp(): Promise<void>;
}

/** Caches of one namespace, or of all, and the controller over them. */
interface Yard {
  readonly watches: readonly ListWatch<never>[];
  readonly controller: Controller;
  /** Brings the caches up to this moment. */
  catchUp(): Promise<void>;
}

/** Runs the operator until its signal aborts. Never rejects for reasons that pass. */
export async function runOperator(options: OperatorOptions): Promise<void> {
  const { client, config, logger, signal } = options;
  const events = new EventRecorder({ client, component: COMPONENT, instance: config.identity, logger });
  const namespaces = config.watchNamespaces.length > 0 ? config.watchNamespaces : [undefined];
  const yards = namespaces.map((namespace) => buildYard(options, events, namespace));
  const watches = yards.flatMap((yard) => yard.watches);
  const health = new HealthServer({
    logger,
    host: config.healthHost,
    port: config.healthPort,
    liveness: { watches: () => firstComplaint(watches, ({ health: { alive, resource } }) => (alive ? undefined : `${resource} hangs`)) },
    readiness: { caches: () => firstComplaint(watches, ({ health: { synced, resource } }) => (synced ? undefined : `${resource} not listed yet`)) },
  });
  logger.info('operator starts', { healthPort: await health.listen(), namespaces: config.watchNamespaces, leaderElect: config.leaderElect });

  // Caches outlive the controllers: their last passes still read and write through them.
  const end = new AbortController();
  const running = watches.map((watch) => watch.run(end.signal));
  try {
    await lead(options, async () => {
      if (config.leaderElect) {
        await untilDone(() => Promise.all(yards.map((yard) => yard.catchUp())), signal, logger);
      }
      await Promise.all(yards.map((yard) => yard.controller.run(signal)));
    });
  } finally {
    end.abort();
    await Promise.all(running);
    await events.flush();
    await health.close();
  }
}

function buildYard(options: OperatorOptions, events: EventRecorder, namespace: string | undefined): Yard {
  const { client, config, logger } = options;
  const jobs = cache<TrainingJobObject>(options, namespace, TRAINING_JOBS, { transform: trimJob });
  const pods = cache<PodObject>(options, namespace, PODS, { transform: trimPod, indexes: CHILD_INDEXES }, CHILD_SELECTOR);
  const services = cache<KubeObject>(options, namespace, SERVICES, { transform: trimService, indexes: CHILD_INDEXES }, CHILD_SELECTOR);
  const children = { pods: pods.store, services: services.store };
  const reconciler = new TrainingJobReconciler({
    client,
    jobs: jobs.store,
    children,
    executor: new Executor(client, children, addressBooks(config.addresses), logger),
    statuses: new StatusWriter(client, jobs.store, SYSTEM_CLOCK),
    clock: SYSTEM_CLOCK,
    logger,
    publish: (job, event) => events.record(job, event),
  });
  const controller = new Controller({
    name: 'training-job',
    logger,
    concurrency: config.workers,
    reconcile: (key) => reconciler.reconcile(key),
    sources: [
      source('jobs', jobs, (job) => [objectKey(job)]),
      source('pods', pods, childKeys),
      source('services', services, childKeys),
    ],
  });
  return {
    controller,
    watches: [jobs.watch, pods.watch, services.watch] as unknown as readonly ListWatch<never>[],
    catchUp: async () => { await Promise.all([jobs.catchUp(), pods.catchUp(), services.catchUp()]); },
  };
}

/** Runs `work` as the leader, or at once where nobody else can be. */
async function lead({ client, config, logger, signal, onLeadershipLost }: OperatorOptions, work: () => Promise<void>): Promise<void> {
  if (!config.leaderElect) {
    await work();
    return;
  }
  const namespace = config.namespace ?? client.connection.namespace;
  if (!namespace) {
    throw new Error('Electing a leader: the operator\'s own namespace is unknown; set POD_NAMESPACE, or LEADER_ELECT=false for a single replica.');
  }
  const workEnded = new AbortController();
  let working: Promise<void> | undefined;
  signal.addEventListener('abort', () => {
    // The lease is given back when the last pass has ended, so that the successor finds nothing half done.
    void (working ?? Promise.resolve()).then(() => workEnded.abort());
  }, { once: true });
  await new LeaderElector({
    client,
    logger,
    identity: config.identity,
    lease: { namespace, name: LEASE_NAME },
    onStarted: () => { working = work(); },
    onLost: onLeadershipLost,
  }).run(workEnded.signal);
  await working;
}

/** Tries until it works or the operator ends. */
async function untilDone(work: () => Promise<unknown>, signal: AbortSignal, logger: Logger): Promise<void> {
  while (!signal.aborted) {
    try {
      await work();
      return;
    } catch (error) {
      logger.warn('the caches could not be brought up to date, will be tried again', { error });
      await sleep(SYSTEM_CLOCK, CATCH_UP_PAUSE_MS, signal);
    }
  }
}

function cache<T extends KubeObject>(
  { client, config, logger }: OperatorOptions,
  namespace: string | undefined,
  kind: ResourceKind,
  storeOptions: StoreOptions<T>,
  labelSelector?: string,
): Cache<T> {
  const store = new Store<T>(storeOptions);
  const watch = new ListWatch<T>({
    client, kind, store, logger, namespace, labelSelector, resyncMs: config.resyncSeconds * 1000,
  });
  return { store, watch, catchUp: () => catchUp(client, kind, store, { namespace, labelSelector }) };
}

function source<T extends KubeObject>(name: string, { store, watch }: Cache<T>, keysOf: (object: T) => readonly string[]) {
  return storeSource<T>({
    name,
    store,
    waitForSync: (signal) => watch.waitForSync(signal),
    keysOf,
  });
}

function childKeys(child: KubeObject): readonly string[] {
  const key = controllingJobKey(child);
  return key === undefined ? [] : [key];
}

function firstComplaint<T>(items: readonly T[], complaint: (item: T) => string | undefined): string | undefined {
  return items.map(complaint).find((text) => text !== undefined);
}
