/**
 * Follows rules and jobs, and sends. A pass over a rule reads the jobs of its namespace, writes what is new into the status of the rule, and starts
 * what is due; answers come back as another pass. Each receiver of each rule has its own attempts, backoff and pace, so that none waits for another.
 */
import type { AddressGuard } from './addresses';
import { keptJob, keptRule, type JobObject, type RuleObject } from './kept';
import { send } from './send';
import { admit, due, LATENESS_MS, nextDue, settle, type Outcome } from '../../model/notifications/ledger';
import { outlookOf, type IdentifiedRule } from '../../model/notifications/occurrences';
import { NOTIFICATION_RULE_KIND, NOTIFICATION_RULE_PLURAL, resolveRule, type NotificationRuleSpec } from '../../model/notifications/rule';
import type { NotificationRuleStatus } from '../../model/notifications/status';
import { API_GROUP, API_VERSION } from '../../model/labels';
import { printable, shortened } from '../../model/text/printable';
import { Controller, storeSource, type ReconcileContext, type ReconcileResult } from '../runtime/controller';
import { TokenBuckets } from '../runtime/http/token-buckets';
import { isSameJson } from '../runtime/json-equality';
import type { KubeClient } from '../runtime/kube-client';
import { objectKey, splitKey, type KubeObject } from '../runtime/kube-object';
import { mergePatch } from '../runtime/merge-patch';
import { backoffDelay } from '../runtime/process/backoff';
import type { Logger } from '../runtime/process/logger';
import type { ResourceKind } from '../runtime/resource-kind';
import { ListWatch } from '../runtime/watch/list-watch';
import { Store } from '../runtime/watch/store';
import { TRAINING_JOBS } from '../training/resources';

/** NotificationRules. */
const RULES: ResourceKind = {
  group: API_GROUP, version: API_VERSION, plural: NOTIFICATION_RULE_PLURAL, kind: NOTIFICATION_RULE_KIND, namespaced: true,
};

/** What a {@link Notifier} works with. */
export interface NotifierOptions {
  /** Writes only while this process leads. */
  readonly client: KubeClient;
  readonly guard: AddressGuard;
  /** Name of the cluster in messages. */
  readonly cluster: string;
  readonly logger: Logger;
}

/** Attempts at the same time for one receiver. */
const CONCURRENCY = 2;

/** Longest time of one attempt, milliseconds. */
const ATTEMPT_MS = 15_000;

/** Pauses after attempts that fail. */
const BACKOFF = { initialMs: 2_000, maxMs: 300_000 };

/** Changes of a namespace in this time are one pass, milliseconds. */
const REST_MS = 500;

const BY_NAMESPACE = 'namespace';
const namespaceOf = ({ metadata }: KubeObject): string[] => [metadata?.namespace ?? ''];

/** What is known of a rule beyond its object. */
interface Work {
  readonly uid: string;
  /** As it was last written. */
  status: NotificationRuleStatus;
  readonly outcomes: Outcome[];
  /** Messages that are being sent, by receiver. */
  readonly sending: Map<string, Set<string>>;
  /** Messages that a receiver did not take go behind the others. */
  readonly tried: Map<string, number>;
  /** Pace of each receiver, for the rule's `maxPerMinute`. */
  pace: { readonly perMinute: number; readonly buckets: TokenBuckets };
}

/** See the top of this file. */
export class Notifier {
  /** For health. */
  public readonly watches: readonly ListWatch<never>[];
  private readonly jobs = new Store<JobObject>({ indexes: { [BY_NAMESPACE]: namespaceOf }, transform: keptJob });
  private readonly rules = new Store<RuleObject>({ indexes: { [BY_NAMESPACE]: namespaceOf }, transform: keptRule });
  private readonly works = new Map<string, Work>();
  private readonly controller: Controller;
  private readonly end = new AbortController();
  private attempts = 0;

  public constructor(private readonly options: NotifierOptions) {
    const { client, logger } = options;
    const ofJobs = new ListWatch<JobObject>({ client, logger, kind: TRAINING_JOBS, store: this.jobs });
    const ofRules = new ListWatch<RuleObject>({ client, logger, kind: RULES, store: this.rules });
    this.watches = [ofJobs, ofRules] as unknown as readonly ListWatch<never>[];
    this.controller = new Controller({
      name: 'notifications',
      logger,
      reconcile: async (key, context) => this.reconcile(key, context),
      sources: [
        storeSource({ name: 'rules', store: this.rules, waitForSync: async (signal) => ofRules.waitForSync(signal), keysOf: (rule) => [objectKey(rule)] }),
        storeSource({
          name: 'jobs', store: this.jobs, waitForSync: async (signal) => ofJobs.waitForSync(signal),
          keysOf: (job) => this.rules.byIndex(BY_NAMESPACE, namespaceOf(job)[0]).map(objectKey),
        }),
      ],
    });
  }

  /** Keeps the caches up to date until the signal aborts. */
  public async follow(signal: AbortSignal): Promise<void> {
    await Promise.all(this.watches.map(async (watch) => watch.run(signal)));
  }

  /** Sends until the signal aborts. Attempts that run then are given up: they are made again by whoever comes next. */
  public async run(signal: AbortSignal): Promise<void> {
    await this.controller.run(signal);
    this.end.abort();
  }

  private async reconcile(key: string, { logger }: ReconcileContext): Promise<ReconcileResult> {
    const object = this.rules.get(key);
    if (object === undefined) {
      this.works.delete(key);
      return {};
    }
    const work = this.workOf(key, object);
    const { namespace = '', name } = splitKey(key);
    const rule = resolveRule(object.spec);
    const identified: IdentifiedRule = { name, uid: work.uid, rule };
    const now = Date.now();
    const outlooks = this.jobs.byIndex(BY_NAMESPACE, namespace).map((job) => outlookOf(identified, job, now));
    const occurrences = outlooks.flatMap((outlook) => outlook.occurrences);
    const settled = [...work.outcomes];
    const pass = { rule, occurrences, now, createdAt: Date.parse(object.metadata?.creationTimestamp ?? '') };
    const next = admit(settled.reduce(settle, work.status), pass);
    if (!isSameJson(next, work.status)) {
      const patch = { metadata: { uid: work.uid }, status: mergePatch(work.status, next) };
      this.rules.applyWritten(await this.options.client.patch<RuleObject>(RULES, { namespace, name }, patch, { subresource: 'status' }));
      work.status = next;
      const waiting = new Set(next.waiting?.map(({ id }) => id));
      [...work.tried.keys()].filter((tried) => !waiting.has(tried.slice(tried.indexOf('/') + 1))).forEach((tried) => work.tried.delete(tried));
    }
    work.outcomes.splice(0, settled.length);

    const paced = rule.receivers.map((receiver) => this.start(key, work, identified, receiver, now, logger));
    const nextAt = Math.min(nextDue(work.status, rule, now), ...outlooks.map((outlook) => outlook.nextAt ?? Infinity), ...paced, now + LATENESS_MS);
    return { requeueAfterMs: Math.max(nextAt - now, REST_MS), restMs: REST_MS };
  }

  private workOf(key: string, { metadata, status = {}, spec }: RuleObject): Work {
    let work = this.works.get(key);
    if (work === undefined || work.uid !== metadata?.uid) {
      work = { uid: metadata?.uid ?? '', status, outcomes: [], sending: new Map(), tried: new Map(), pace: paceOf(spec) };
      this.works.set(key, work);
    }
    if (work.pace.perMinute !== resolveRule(spec).maxPerMinute) {
      work.pace = paceOf(spec);
    }
    return work;
  }

  /** Starts what may be sent to a receiver now. @returns when its pace lets it have more, milliseconds since the epoch */
  private start(
    key: string, work: Work, { name: rule, rule: { message: template } }: IdentifiedRule, receiver: NotificationRuleSpec['receivers'][number], now: number, logger: Logger,
  ): number {
    const sending = work.sending.get(receiver.name) ?? new Set<string>();
    work.sending.set(receiver.name, sending);
    const { buckets } = work.pace;
    const triedAt = (id: string) => work.tried.get(`${receiver.name}/${id}`) ?? 0;
    const waiting = due(work.status, receiver.name, now).filter(({ id }) => !sending.has(id))
      .sort((one, other) => triedAt(one.id) - triedAt(other.id));
    // A receiver that fails is asked with one message.
    const places = (work.status.receivers?.[receiver.name]?.failures ?? 0) > 0 ? 1 : CONCURRENCY;
    for (const message of waiting) {
      if (sending.size >= places) {
        break;
      }
      const waitMs = buckets.waitMs(receiver.name);
      if (waitMs > 0) {
        return now + waitMs;
      }
      buckets.take(receiver.name);
      sending.add(message.id);
      const signal = AbortSignal.any([this.end.signal, AbortSignal.timeout(ATTEMPT_MS)]);
      const notification = { receiver, message, context: { rule, template, cluster: this.options.cluster } };
      void send(this.options, notification, signal).then(() => undefined, (error: unknown) => (
        signal.aborted ? `no answer within ${ATTEMPT_MS / 1000} seconds` : shortened(printable(error instanceof Error ? error.message : String(error)), 500)
      )).then((error) => {
        sending.delete(message.id);
        if (this.end.signal.aborted && error !== undefined) {
          return;
        }
        const failures = work.status.receivers?.[receiver.name]?.failures ?? 0;
        const at = Date.now();
        work.outcomes.push({ id: message.id, receiver: receiver.name, error, at, retryAt: at + backoffDelay(failures, BACKOFF) });
        if (error === undefined) {
          logger.info('notified', { receiver: receiver.name, job: message.job, event: message.event, id: message.id });
        } else {
          work.tried.set(`${receiver.name}/${message.id}`, ++this.attempts);
          logger.warn('a receiver did not take a message', { receiver: receiver.name, job: message.job, event: message.event, id: message.id, error });
        }
        this.controller.queue.add(key);
      });
    }
    return Infinity;
  }
}

function paceOf(spec: NotificationRuleSpec): Work['pace'] {
  const { maxPerMinute } = resolveRule(spec);
  return { perMinute: maxPerMinute, buckets: new TokenBuckets({ perSecond: maxPerMinute / 60, burst: maxPerMinute }) };
}
