/**
 * A plain Indexed Job and a headless service. All replicas come from one template, so their roles must be alike. Failed pods are replaced one by one,
 * so replicas that depend on each other are not retried.
 * @see https://kubernetes.io/docs/concepts/workloads/controllers/job/
 */
import type { EngineDefinition, EngineEnvironment, EngineJob, EngineObjects } from './engine';
import { constructCompanions, controlFields, engineOwnership, jobLabels, queueLabels } from './indexed/companions';
import { enginePodSpec, inFirstAttempt, podAddresses, templateMetadata, type EnginePods } from './indexed/engine-pods';
import { indexedSuccessPolicy, replacingPodFailurePolicy, retryLimit, successRule } from './indexed/outcome';
import type { IndexVariable } from './indexed/indexed-text';
import { constructPodSet, type PodSet } from './indexed/pod-set';
import { podSetViolations } from './indexed/pod-set-violations';
import { arrayJobFields, constructCopySet } from './job/array';
import { JOB_CAPABILITIES } from './job/capabilities';
import { constructPeerService } from '../job/services';
import { plainObject } from '../plain-object';
import type { EnvVar, Manifest } from '../kubernetes';
import { canonicalPodSpec } from '../pod/typed-pod';
import type { Replica } from '../../model/frameworks/contract';
import { JOB } from '../../model/kinds/job';
import { identityOf } from '../../model/kinds/workload-kind';
import { peerServiceName } from '../../model/names';
import { ATTEMPT_VARIABLE } from '../../model/training-job/environment/environment';
import { isArray } from '../../model/training-job/array';
import { resolveTrainingJob, type ResolvedTrainingJob } from '../../model/training-job/replicas/resolve';
import type { TrainingJobSpec } from '../../model/training-job/spec';
import type { Violation } from '../../model/violations';

export interface JobEngineSettings {
  /**
   * Whether each replica has its own `runPolicy.backoffLimit` restarts, and can read how many it has had (`TRAINYARD_ATTEMPT`).
   * @default false - all replicas share the limit and cannot read the count
   */
  readonly retryPerReplica?: boolean;

  /** Existing headless service of the pods. @default - the job gets its own */
  readonly sharedService?: string;
}

/** The index of a pod in an Indexed Job. Kubernetes appends the variable itself unless it exists. */
export const COMPLETION_INDEX: IndexVariable = {
  name: 'JOB_COMPLETION_INDEX', plus: 0, fieldPath: 'metadata.annotations[\'batch.kubernetes.io/job-completion-index\']',
};

const TITLE = 'a plain Job';

/** Field with the number of earlier failures of a pod's index. */
const FAILURE_COUNT = 'metadata.annotations[\'batch.kubernetes.io/job-index-failure-count\']';

export function jobEngine(settings: JobEngineSettings = {}): EngineDefinition {
  return {
    name: 'job',
    title: TITLE,
    upstream: 'Kubernetes Job (batch/v1), Kubernetes 1.33',
    capabilities: JOB_CAPABILITIES,
    kindOf: () => identityOf(JOB),
    rendersMore: true,
    sharingService: (sharedService) => jobEngine({ ...settings, sharedService }),
    validate: (name, spec) => violations(name, spec, settings),
    render: (job) => render(job, settings),
    environments: (job) => environments(job, settings),
  };
}

interface JobPlan {
  readonly pods: EnginePods;
  readonly set: PodSet;
}

function planJob(engineJob: EngineJob, { retryPerReplica = false, sharedService }: JobEngineSettings): JobPlan {
  const hasCopies = isArray(engineJob.spec);
  const job = resolveTrainingJob(engineJob.name, engineJob.spec);
  const subdomain = sharedService ?? peerServiceName(job.name);
  const pods: EnginePods = {
    job,
    addresses: podAddresses((replica) => `${hostname(job, replica)}.${subdomain}`),
    ownership: engineOwnership(engineJob),
    subdomain,
    oneTemplate: true,
    ...((retryPerReplica || hasCopies) && { live: { [ATTEMPT_VARIABLE]: FAILURE_COUNT } }),
  };
  if (hasCopies) {
    // A copy communicates only with itself.
    const podsOf = (index: number): EnginePods => ({ ...pods, addresses: podAddresses(() => `${job.name}-${index}.${subdomain}`) });
    return { pods, set: constructCopySet(engineJob, podsOf, COMPLETION_INDEX) };
  }
  const set = constructPodSet({
    count: job.replicas.length,
    podAt: (index) => enginePodSpec(pods, job.replicas[index]),
    firsts: new Set(job.replicas.filter(({ index }) => index === 0).map(({ ordinal }) => ordinal)),
    indexes: [COMPLETION_INDEX],
  });
  return { pods, set };
}

/** Host name of a replica's pod, as the Job controller sets it. */
function hostname({ name }: ResolvedTrainingJob, { ordinal }: Replica): string {
  return `${name}-${ordinal}`;
}

function render(engineJob: EngineJob, settings: JobEngineSettings): EngineObjects {
  const { pods, set } = planJob(engineJob, settings);
  const { job, ownership } = pods;
  const { name, namespace, spec } = engineJob;
  return {
    job: plainObject<Manifest & { readonly spec: object }>({
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name, namespace, labels: { ...jobLabels(name), ...queueLabels(engineJob) } },
      spec: {
        completionMode: 'Indexed',
        completions: job.replicas.length,
        parallelism: job.replicas.length,
        ...backoff(job, settings),
        podFailurePolicy: replacingPodFailurePolicy(job, job.roles[0].restartPolicy),
        // Two pods of one rank must not run at the same time.
        podReplacementPolicy: 'Failed',
        successPolicy: success(job),
        ...(isArray(spec) && { backoffLimit: undefined, successPolicy: undefined, ...arrayJobFields(engineJob) }),
        activeDeadlineSeconds: spec.runPolicy?.activeDeadlineSeconds,
        ttlSecondsAfterFinished: spec.runPolicy?.ttlSecondsAfterFinished,
        ...controlFields(spec),
        template: { metadata: templateMetadata(pods, job.replicas), spec: canonicalPodSpec(set.spec) },
      },
    }),
    companions: [...(settings.sharedService === undefined ? [constructPeerService(job, ownership)] : []), ...constructCompanions(pods)],
  };
}

function backoff(job: ResolvedTrainingJob, { retryPerReplica = false }: JobEngineSettings): object {
  const limit = retryLimit(job, job.roles[0].restartPolicy);
  return retryPerReplica ? { backoffLimitPerIndex: limit, maxFailedIndexes: 0 } : { backoffLimit: limit };
}

function success(job: ResolvedTrainingJob): object | undefined {
  const { replicas, one } = successRule(job);
  return indexedSuccessPolicy(job.replicas.length, replicas.map(({ ordinal }) => ordinal), one);
}

function environments(engineJob: EngineJob, settings: JobEngineSettings): EngineEnvironment[] {
  const { pods: { job }, set } = planJob(engineJob, settings);
  // For an array, this is the environment of the first copy.
  return job.replicas.map((replica) => ({
    role: replica.role,
    index: replica.index,
    pod: `${hostname(job, replica)}-*`,
    env: withCompletionIndex(inFirstAttempt(set.environmentAt(replica.ordinal)), replica.ordinal),
  }));
}

/** Variables of a pod of an Indexed Job, with the index that Kubernetes appends. */
export function withCompletionIndex(env: readonly EnvVar[], index: number): readonly EnvVar[] {
  return env.some(({ name }) => name === COMPLETION_INDEX.name) ? env : [...env, { name: COMPLETION_INDEX.name, value: String(index) }];
}

/** Names need no further rule: those of the model leave room for a role and an index, and these names have no role. */
function violations(name: string, spec: TrainingJobSpec, settings: JobEngineSettings): Violation[] {
  const { pods: { job }, set } = planJob({ name, spec }, settings);
  // The pods of an array are copies of one replica.
  const replicas = spec.array === undefined ? job.replicas : Array.from({ length: spec.array.count }, () => job.replicas[0]);
  return podSetViolations(job, replicas, set.problems, { title: TITLE, instead: 'JobSet or the Trainyard operator' });
}
