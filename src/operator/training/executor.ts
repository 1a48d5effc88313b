/**
 * Carries out what the planner asks for; the only code that writes pods and services. Every answer of the API server goes into the caches
 * at once, so that the next plan sees what this one did. What could not be done comes back as problems for the status.
 */
import type { AddressBooks } from './addresses';
import { conditionOf } from './plan/conditions';
import type { CopyAction } from './plan/array/types';
import type { TrialAction } from './plan/tuning/types';
import { atOnce, resolveOnce } from './plan/resolve-once';
import type { Action, Problem } from './plan/types';
import { CHILD_KINDS, GangSchedulerMissingError, createGangObject, describeChild, gangKindOf } from './children/children';
import type { ForcedDeletion } from './cleanup/stuck-orphans';
import type { JobCopies } from './children/child-jobs';
import type { JobTrials } from './children/job-trials';
import { canAvoid } from './nodes/node-fit';
import type { NodeLeases } from './nodes/node-leases';
import { removeLeftBehind } from './cleanup/orphans';
import { placementOfRole, QueueProblem, type JobQueues } from './children/job-queues';
import { BY_OWNER, ownerKey, TRAINING_JOBS, type ChildStores, type PodObject, type TrainingJobObject } from './resources';
import { newMpiSshKeys } from './ssh-keys';
import { constructJobObjects } from '../../manifests/job/job-objects';
import type { PodPlacement } from '../../manifests/pod/placement';
import { needsMpiFiles, withMpiSshKeys } from '../../manifests/job/mpi-files';
import { constructHookPod } from '../../manifests/pod/hook-pod';
import { constructReplicaPod } from '../../manifests/pod/replica-pod';
import { MPI_SECRET_VOLUME } from '../../manifests/pod/replica-volumes';
import { ATTEMPT_LABEL } from '../../model/labels';
import type { ProgressEndpoint } from '../../model/progress/contract';
import { runFactsOf, type RunFacts } from '../../model/training-job/run-facts';
import type { TrainingJobSpec } from '../../model/training-job/spec';
import { ApiError } from '../runtime/http/api-error';
import { inGrowingWindow } from '../runtime/http/growing-window';
import type { KubeClient } from '../runtime/kube-client';
import { controllerReference, isControlledBy, objectKey, type KubeObject } from '../runtime/kube-object';
import type { Logger } from '../runtime/process/logger';
import { PODS, type ResourceKind } from '../runtime/resource-kind';

/** Pods that are created at once at first; more follow with each that is accepted. */
const FIRST_PODS = 16;

/** Outcome of the actions of one plan. */
export interface Execution {
  /** What the status has to tell. */
  readonly problems: readonly Problem[];
  /** Failures that are nobody's fault and pass: the plan is made again after a pause. */
  readonly errors: readonly unknown[];
}

/** Carries out actions against the API server. */
export class Executor {
  private creating = 0;

  public constructor(
    private readonly client: KubeClient,
    private readonly stores: ChildStores,
    private readonly addresses: AddressBooks,
    private readonly logger: Logger,
    /** Where new pods report their progress to. @default - nowhere */
    private readonly progress: () => ProgressEndpoint | undefined = () => undefined,
    /** Queues that jobs wait in. @default - queued jobs are not let in */
    private readonly queues?: JobQueues,
    /** Trials of searches. @default - there are none */
    private readonly trials?: JobTrials,
    /** Looks at nodes again before a pod is deleted by force. @default - nothing is deleted by force: no node was ever seen */
    private readonly forced?: ForcedDeletion,
    /** Copies of arrays. @default - there are none */
    private readonly copies?: JobCopies,
    /** Looks at Leases of nodes. @default - nobody does */
    private readonly leases?: Pick<NodeLeases, 'look' | 'silentNodes'>,
    /** Where the operator's own pods are, if they take reports of progress. @default - they take none */
    private readonly operatorNamespace?: string,
  ) {}

  /** Jobs whose objects are being created at this moment. */
  public get creatingJobs(): number {
    return this.creating;
  }

  /** Carries out one plan's actions. Deletions and creations are independent of each other; objects come before pods that mount them. */
  public async execute(job: TrainingJobObject, actions: readonly Action[]): Promise<Execution> {
    const problems: Problem[] = [];
    const errors: unknown[] = [];
    const attempt = async (what: () => Promise<void>) => {
      try {
        await what();
        return true;
      } catch (error) {
        if (error instanceof ApiError && error.isNamespaceGone) {
          // The job goes with its namespace: there is nothing to tell, and nothing to try again.
          return false;
        }
        const problem = problemOf(error, job.spec);
        if (problem) {
          problems.push(problem);
        } else {
          errors.push(error);
        }
        return false;
      }
    };
    const deletions = actions.filter((action) => action.type === 'deletePod')
      .map((action) => attempt(() => this.deletePod(job, action)));
    const looks = actions.filter((action) => action.type === 'lookAtNode').map(async ({ node }) => this.leases?.look(node));
    const queueing = actions.filter((action) => action.type === 'queue').map(({ step }) => attempt(async () => this.queues?.execute(job, step)));
    const trials = actions.filter(isTrialAction)
      .map((action) => attempt(async () => this.trials?.execute(job, action, async (object) => this.create(job, object))));
    const copies = this.copies?.execute(job, actions.filter(isCopyAction), async (object) => this.create(job, object), attempt);
    const creates = Number(actions.some((action) => action.type === 'ensureObjects' || action.type === 'createPod'));
    this.creating += creates;
    try {
      const objects = actions.filter((action) => action.type === 'ensureObjects');
      const ready = objects.length === 0 || await attempt(() => this.ensureObjects(job, objects.some(({ gang }) => gang !== false)));
      if (ready) {
        await Promise.all(actions.filter((action) => action.type === 'createHookPod').map((action) => attempt(() => this.createHookPod(job, action))));
        await this.createPods(job, actions.filter((action) => action.type === 'createPod'), attempt);
      }
    } finally {
      this.creating -= creates;
    }
    await Promise.all([...deletions, ...looks, ...queueing, ...trials, copies]);
    if (actions.some((action) => action.type === 'deleteJob') && errors.length === 0) {
      await attempt(() => this.deleteJob(job));
    }
    return { problems, errors };
  }

  private async createPods(
    job: TrainingJobObject,
    creations: readonly Extract<Action, { type: 'createPod' }>[],
    attempt: (what: () => Promise<void>) => Promise<boolean>,
  ): Promise<void> {
    if (creations.length === 0) {
      return;
    }
    const { resolved } = resolveOnce(job.metadata!.name!, job.spec);
    const addresses = new Map<number, ReturnType<AddressBooks>>();
    // Replicas of a role can run on the same nodes.
    const avoidable = new Map<string, Promise<boolean>>();
    const mpiSecret = needsMpiFiles(resolved!) ? this.mpiSecretOf(job, creations[0].attempt) : undefined;
    // After a refusal one pod is the probe: the status of each pod that is there wakes us, and none of them means that there is room now.
    const first = conditionOf(job.status ?? {}, 'Created')?.status === 'False' ? 1 : FIRST_PODS;
    await inGrowingWindow(creations, first, ({ replica, attempt: number }) => attempt(async () => {
      if (!addresses.has(number)) {
        addresses.set(number, this.addresses({ name: resolved!.name, uid: job.metadata!.uid! }, number));
      }
      const construct = (facts: RunFacts, placement?: PodPlacement) => constructReplicaPod({
        job: resolved!,
        replica,
        attempt: number,
        namespace: job.metadata!.namespace!,
        owner: controllerReference(job),
        addresses: addresses.get(number),
        facts,
        progress: this.progress(),
        placement,
      });
      const silent = this.leases?.silentNodes(resolved!.runPolicy.nodeLoss.leaseGraceSeconds * 1000);
      const facts: RunFacts = { ...runFactsOf(job.status ?? {}, silent), ...(mpiSecret !== undefined && { mpiSecret }) };
      if (facts.avoidNodes !== undefined && !avoidable.has(replica.role)) {
        const placement = placementOfRole(await this.queues?.placementsOf(job), replica.role);
        avoidable.set(replica.role, canAvoid(this.client, construct({ ...facts, avoidNodes: undefined }, placement).spec!, facts.avoidNodes));
      }
      const avoidStrictly = facts.avoidNodes === undefined ? undefined : await avoidable.get(replica.role);
      const pod = construct({ ...facts, avoidStrictly }, placementOfRole(await this.queues?.placementsOf(job), replica.role));
      // Asked last and without a pause, so that the admission is not taken back between the answer and the pod.
      this.queues?.checkAdmission(job);
      await this.create(job, pod);
    }), atOnce(job.spec));
  }

  private async createHookPod(job: TrainingJobObject, { hook, tries }: Extract<Action, { type: 'createHookPod' }>): Promise<void> {
    const { resolved } = resolveOnce(job.metadata!.name!, job.spec);
    await this.create(job, constructHookPod({
      job: resolved!, hook, tries, status: job.status ?? {}, namespace: job.metadata!.namespace!, owner: controllerReference(job),
    }));
  }

  /**
   * Secret that pods of an attempt have their keys from, where one of them is there: those that come to it need the same keys, and a version of the
   * operator before this one named the Secret otherwise.
   */
  private mpiSecretOf({ metadata }: TrainingJobObject, attempt: number): string | undefined {
    const pods = this.stores.pods.byIndex(BY_OWNER, ownerKey(metadata!)).filter((pod) => pod.metadata?.labels?.[ATTEMPT_LABEL] === String(attempt));
    const volume = pods.flatMap(({ spec }) => spec?.volumes ?? []).find(({ name }) => name === MPI_SECRET_VOLUME);
    return (volume?.secret as { readonly secretName: string } | undefined)?.secretName;
  }

  /** Creates the services and files of the job that are not there. */
  private async ensureObjects(job: TrainingJobObject, withGang: boolean): Promise<void> {
    const { resolved } = resolveOnce(job.metadata!.name!, job.spec);
    const { namespace } = job.metadata!;
    const { services, configMaps, generatedSecrets, gangObjects, networkPolicies } = constructJobObjects({
      // The planner asks for objects of valid jobs only.
      job: resolved!,
      namespace: namespace!,
      owner: controllerReference(job),
      operatorNamespace: this.operatorNamespace,
      // Always by the names of pods: a hostfile of `127.0.0.1` twice is none, and under `trainyard dev` a stand-in for ssh drops the names.
    });
    const missing = services.filter((service) => {
      const known = this.stores.services.get(objectKey(service));
      return known === undefined || !isControlledBy(known, job);
    });
    await Promise.all([
      ...[...missing, ...configMaps, ...networkPolicies].map((object) => this.create(job, object)),
      ...generatedSecrets.map(({ secret }) => this.create(job, withMpiSshKeys(secret, newMpiSshKeys()))),
    ]);
    for (const object of withGang ? gangObjects : []) {
      await createGangObject(object, async (missing) => this.create(job, missing));
    }
  }

  /**
   * Creates an object and takes the answer into the caches. Of a pod only metadata are asked back: everything else of it is known here, and of a
   * large template it is most of the answer.
   */
  private async createNew(kind: ResourceKind, object: KubeObject): Promise<void> {
    if (kind === PODS) {
      const { metadata, status } = await this.client.create<PodObject>(kind, object as PodObject, { metadataOnly: true });
      this.written(kind, { ...object, metadata, status: status ?? { phase: 'Pending' } } as PodObject);
    } else {
      this.written(kind, await this.client.create(kind, object));
    }
  }

  /**
   * Creates an object. One that is already there is taken for ours if the job controls it, and is a problem if not. Of a Secret nothing is read: its
   * name holds the job's uid, so that one which is there was created in an earlier pass.
   */
  private async create(job: TrainingJobObject, object: KubeObject): Promise<void> {
    const kind = gangKindOf(object) ?? CHILD_KINDS[object.kind!];
    const { namespace, name } = object.metadata!;
    try {
      await this.createNew(kind, object);
      this.logger.debug('created', { kind: kind.kind, object: name });
    } catch (error) {
      if (!(error instanceof ApiError && error.isAlreadyExists)) {
        throw error;
      }
      if (kind === CHILD_KINDS.Secret) {
        return;
      }
      const found = await this.client.tryGet<KubeObject>(kind, { namespace, name: name! });
      if (found === undefined) {
        // What bore the name was on its way out and has gone in between, so the name is free.
        await this.createNew(kind, object);
        return;
      }
      if (isControlledBy(found, job)) {
        this.written(kind, found);
        return;
      }
      if (!await removeLeftBehind(this.client, kind, found, job)) {
        throw new NameTakenError(describeChild(found, kind), found.metadata?.deletionTimestamp !== undefined);
      }
      await this.createNew(kind, object);
    }
  }

  private async deletePod(job: TrainingJobObject, { name, uid, force }: Extract<Action, { type: 'deletePod' }>): Promise<void> {
    const namespace = job.metadata!.namespace;
    if (force && !await this.forced?.isRight(job, { name, uid })) {
      this.logger.info('a pod is not force-deleted: its node is no longer lost', { pod: name, job: job.metadata!.name });
      return;
    }
    try {
      const response = await this.client.delete(PODS, { namespace, name }, { preconditions: { uid }, ...(force && { gracePeriodSeconds: 0 }) });
      this.stores.pods.applyDeleteResponse({ namespace, name, uid }, response);
      this.logger.debug('deleted', { kind: 'Pod', object: name });
    } catch (error) {
      // Gone, or another pod bears the name by now: what was to be deleted is not there.
      if (error instanceof ApiError && (error.isNotFound || error.isConflict)) {
        this.stores.pods.markDeleted({ namespace, name, uid });
        return;
      }
      throw error;
    }
  }

  private async deleteJob(job: TrainingJobObject): Promise<void> {
    const { namespace, name, uid } = job.metadata!;
    try {
      await this.client.delete(TRAINING_JOBS, { namespace, name: name! }, { preconditions: { uid }, propagationPolicy: 'Background' });
    } catch (error) {
      if (!(error instanceof ApiError && (error.isNotFound || error.isConflict))) {
        throw error;
      }
    }
  }

  private written(kind: ResourceKind, object: KubeObject): void {
    if (kind === PODS) {
      this.stores.pods.applyWritten(object as PodObject);
    } else if (kind === CHILD_KINDS.Service) {
      this.stores.services.applyWritten(object);
    } else if (kind === TRAINING_JOBS) {
      this.trials?.written(object);
    }
  }
}

/** The name that the job needs belongs to an object of somebody else. */
class NameTakenError extends Error {
  public constructor(object: string, isLeaving: boolean) {
    super(isLeaving
      ? `${object} is being deleted; its name is available after that`
      : `${object} exists and belongs to another owner. Delete or rename it, or rename the job`);
  }
}

function isTrialAction(action: Action): action is TrialAction {
  return ['createTrial', 'deleteTrial', 'suspendTrial', 'readObjective'].includes(action.type);
}

function isCopyAction(action: Action): action is CopyAction {
  return ['createCopy', 'deleteCopy', 'suspendCopy'].includes(action.type);
}

/** What the status tells of an error; undefined for errors that are retried without a word. */
function problemOf(error: unknown, spec: TrainingJobSpec): Problem | undefined {
  if (error instanceof NameTakenError) {
    return { reason: 'NameTaken', message: error.message, permanent: false };
  }
  if (error instanceof GangSchedulerMissingError) {
    return { reason: 'GangSchedulerMissing', message: error.message, permanent: false };
  }
  if (error instanceof QueueProblem) {
    return { reason: error.reason, message: error.message, permanent: false };
  }
  if (!(error instanceof ApiError)) {
    return undefined;
  }
  // Refusals of webhooks (400) and admission policies (422) look like invalid objects; what they say today they need not say tomorrow.
  const isFromAdmission = /denied (the )?request/.test(error.serverMessage);
  if ((error.isInvalid || error.isBadRequest) && !isFromAdmission) {
    return { reason: 'InvalidPod', message: `The API server rejects an object of the job: ${error.serverMessage}`, permanent: true };
  }
  if (error.status === 403 || isFromAdmission) {
    const message = `The API server does not admit an object of the job: ${error.serverMessage}${restrictedHint(error.serverMessage, spec)}`;
    return { reason: 'Forbidden', message, permanent: false };
  }
  return undefined;
}

/** What mends the refusal of a namespace that takes restricted pods only. */
function restrictedHint(refusal: string, { security }: TrainingJobSpec): string {
  return /violates PodSecurity "restricted/.test(refusal) && security?.restricted !== true
    ? '. Set spec.security to { restricted: true, runAsUser: UID }, with the number of a non-root user of the image. It can be changed while the job has no pod'
    : '';
}
