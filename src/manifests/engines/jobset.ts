/**
 * A JobSet: a template for each role, host names from its own service, and restarts of all roles together.
 * @see https://jobset.sigs.k8s.io/docs/overview/
 */
import type { EngineDefinition, EngineEnvironment, EngineJob, EngineObjects } from './engine';
import { roomBefore } from './generated-name';
import { constructCompanions, controlFields, engineOwnership, jobLabels, queueLabels } from './indexed/companions';
import { enginePodSpec, inFirstAttempt, templateMetadata, type EnginePods } from './indexed/engine-pods';
import { constructPodSet, type PodSet } from './indexed/pod-set';
import { indexedSuccessPolicy, successRule } from './indexed/outcome';
import { withCompletionIndex } from './job';
import { jobSetCapabilities, jobSetViolations, type JobSetEngineSettings, type JobSetPlan } from './jobset/capabilities';
import { canRestart, childFailurePolicy, failurePolicy } from './jobset/failure-policy';
import { HOOK_JOBS, beforeDependency, constructHookJob, jobSetHooks } from './jobset/hooks';
import {
  RESTART_ATTEMPT, addressesOf, childJobs, gridOf, hostname, indexesOf, layoutByReplica, layoutByRole, podsOfChild, type Layout, type ReplicatedJob,
} from './jobset/layout';
import type { Manifest } from '../kubernetes';
import { plainObject } from '../plain-object';
import { canonicalPodSpec } from '../pod/typed-pod';
import { NODE_LABELS } from '../../model/accelerators/labels';
import { JOB_SET } from '../../model/kinds/job-set';
import { identityOf } from '../../model/kinds/workload-kind';
import { DNS_LABEL_MAX_LENGTH } from '../../model/names';
import { ATTEMPT_VARIABLE } from '../../model/training-job/environment/environment';
import { coordinatorOf } from '../../model/training-job/replicas/replicas';
import { resolveTrainingJob, type ResolvedTrainingJob } from '../../model/training-job/replicas/resolve';
import type { FrameworkName } from '../../model/training-job/spec';
import { tpuSlicesOf } from '../../model/training-job/replicas/tpu-slices';

const EXCLUSIVE_TOPOLOGY_ANNOTATION = 'alpha.jobset.sigs.k8s.io/exclusive-topology';

export function jobSetEngine(settings: JobSetEngineSettings = {}): EngineDefinition {
  return {
    name: 'jobset',
    title: 'JobSet',
    upstream: 'JobSet v0.12 (jobset.x-k8s.io/v1alpha2)',
    capabilities: jobSetCapabilities(settings.sshSecretName !== undefined),
    hasSlices: true,
    kindOf: () => identityOf(JOB_SET),
    generatedNameMaxLength: jobSetNameMaxLength,
    rendersMore: true,
    validate: (name, spec) => jobSetViolations(planJobSet({ name, spec }, settings), settings),
    render: (job) => render(job, settings),
    environments: (job) => environments(job, settings),
  };
}

/** A pod is NAME-ROLE-JOB-INDEX and six more characters. The coordinator of PaddlePaddle's workers has its own replicated job. */
export function jobSetNameMaxLength(framework: FrameworkName): number {
  return roomBefore(framework === 'paddle' ? '-worker-coordinator-0-0-abcde' : '-evaluator-0-9999-abcde');
}

/** The first layout that needs no shell. If there is none, or the settings ask for it: one child Job per role. */
function planJobSet(engineJob: EngineJob, settings: JobSetEngineSettings): JobSetPlan {
  const job = resolveTrainingJob(engineJob.name, engineJob.spec);
  const { dependsOn = [], jobPerRole = settings.exclusiveTopology !== undefined } = settings;
  const byRole = planLayout(engineJob, job, layoutByRole(job, dependsOn), settings);
  // One child Job per replica would split slices.
  if (jobPerRole || isComplete(byRole) || tpuSlicesOf(job).length > 0) {
    return byRole;
  }
  return [false, true]
    .map((apart) => layoutByReplica(job, dependsOn, apart))
    .filter((layout) => canSucceed(job, layout))
    .map((layout) => planLayout(engineJob, job, layout, settings))
    .find(isComplete) ?? byRole;
}

function isComplete({ sets }: JobSetPlan): boolean {
  return sets.every(({ problems, shells }) => problems.length === 0 && shells.length === 0);
}

/** The success policy of a JobSet cannot distinguish the child Jobs of one replicated job. */
function canSucceed(job: ResolvedTrainingJob, layout: Layout): boolean {
  const counting = new Set(successRule(job).replicas);
  return layout.every(({ perReplica, replicas }) => {
    const counted = replicas.filter((replica) => counting.has(replica)).length;
    return !perReplica || counted === 0 || counted === replicas.length;
  });
}

function planLayout(engineJob: EngineJob, job: ResolvedTrainingJob, layout: Layout, { sshSecretName }: JobSetEngineSettings): JobSetPlan {
  const pods: EnginePods = {
    job,
    addresses: addressesOf(job.name, layout),
    ownership: engineOwnership(engineJob),
    placesSlices: true,
    live: { [ATTEMPT_VARIABLE]: RESTART_ATTEMPT },
    ...(sshSecretName !== undefined && { mpiSecret: { secretName: sshSecretName, defaultMode: 0o444 } }),
  };
  const sets = layout.map((part) => constructPodSet({
    count: part.replicas.length,
    podAt: (index) => enginePodSpec(pods, part.replicas[index]),
    indexes: indexesOf(part),
    grid: gridOf(part),
  }));
  return { pods, layout, sets };
}

function render(engineJob: EngineJob, settings: JobSetEngineSettings): EngineObjects {
  const plan = planJobSet(engineJob, settings);
  const { pods: { job }, layout } = plan;
  const { name, namespace, spec } = engineJob;
  const { exclusiveTopology } = settings;
  const hooks = jobSetHooks(job);
  return {
    job: plainObject<Manifest & { readonly spec: object }>({
      apiVersion: identityOf(JOB_SET).apiVersion,
      kind: JOB_SET.kind,
      metadata: {
        name,
        namespace,
        labels: { ...jobLabels(name), ...queueLabels(engineJob) },
        // Annotations of the JobSet also apply to its hooks, which need no domain.
        ...(exclusiveTopology !== undefined && hooks.length === 0 && { annotations: { [EXCLUSIVE_TOPOLOGY_ANNOTATION]: exclusiveTopology } }),
      },
      spec: {
        ...controlFields(spec),
        ttlSecondsAfterFinished: spec.runPolicy?.ttlSecondsAfterFinished,
        network: { enableDNSHostnames: true, publishNotReadyAddresses: true },
        coordinator: coordinator(job, layout),
        successPolicy: success(job, layout),
        failurePolicy: failurePolicy(job, layout),
        replicatedJobs: withHooks(plan, layout.map((part, index) => replicatedJob(plan, part, plan.sets[index], settings))),
      },
    }),
    companions: constructCompanions(plan.pods),
  };
}

/** JobSet requires each job to follow its dependencies. */
function withHooks({ pods, layout }: JobSetPlan, replicatedJobs: readonly object[]): readonly object[] {
  const { job } = pods;
  const hooks = jobSetHooks(job);
  const restarts = canRestart(job, layout);
  return [
    ...(hooks.includes('before') ? [constructHookJob(pods, { hook: 'before', restarts })] : []),
    ...replicatedJobs,
    ...(hooks.includes('after') ? [constructHookJob(pods, { hook: 'after', after: layout.map(({ name }) => name), restarts })] : []),
  ];
}

function replicatedJob({ pods, layout }: JobSetPlan, part: ReplicatedJob, set: PodSet, settings: JobSetEngineSettings): object {
  const { dependsOn = [], exclusiveTopology } = settings;
  const { job } = pods;
  const { name, role, replicas, perReplica, group, slices } = part;
  const size = podsOfChild(part);
  const metadata = templateMetadata(pods, replicas);
  const others = dependsOn.filter((dependency) => dependency.role === role.name)
    .flatMap(({ on, status }) => layout.filter((other) => other.role.name === on).map((other) => ({ name: other.name, status })));
  const dependencies = others.length > 0 ? others : beforeDependency(job);
  const topology = slices && exclusiveTopology === undefined ? NODE_LABELS.nodePool
    : jobSetHooks(job).length > 0 ? exclusiveTopology : undefined;
  return {
    name,
    groupName: group,
    replicas: childJobs(part),
    dependsOn: dependencies.length > 0 ? dependencies : undefined,
    template: {
      metadata: {
        labels: { ...pods.ownership.labels, ...jobLabels(job.name) },
        ...(topology !== undefined && { annotations: { [EXCLUSIVE_TOPOLOGY_ANNOTATION]: topology } }),
      },
      spec: {
        completionMode: 'Indexed',
        completions: size,
        parallelism: size,
        ...childFailurePolicy(job, role),
        podReplacementPolicy: 'Failed',
        successPolicy: perReplica ? undefined : childSuccess(job, part),
        activeDeadlineSeconds: job.runPolicy.activeDeadlineSeconds,
        // Canonical, because Kueue writes the list of jobs back when it admits the JobSet.
        template: { metadata, spec: canonicalPodSpec(set.spec) },
      },
    },
  };
}

/** Which replicated jobs decide about success. */
function success(job: ResolvedTrainingJob, layout: Layout): object {
  const hooks = jobSetHooks(job);
  if (hooks.includes('after')) {
    return { operator: 'All', targetReplicatedJobs: [HOOK_JOBS.after] };
  }
  const { replicas, one } = successRule(job);
  const counting = layout.filter((part) => part.replicas.some((replica) => replicas.includes(replica)));
  return {
    operator: one ? 'Any' : 'All',
    ...((counting.length < layout.length || hooks.length > 0) && { targetReplicatedJobs: counting.map(({ name }) => name) }),
  };
}

/** Child Jobs of slices all have the rule of the first one: a job whose success distinguishes between their replicas is rejected. */
function childSuccess(job: ResolvedTrainingJob, part: ReplicatedJob): object | undefined {
  const rule = successRule(job);
  const pods = podsOfChild(part);
  const positions = part.replicas.slice(0, pods).flatMap((replica, position) => (rule.replicas.includes(replica) ? [position] : []));
  return positions.length === 0 ? undefined : indexedSuccessPolicy(pods, positions, rule.one);
}

/** JobSet labels all pods with the coordinator's host name, if it fits into a label. */
function coordinator(job: ResolvedTrainingJob, layout: Layout): object | undefined {
  const part = layout.find(({ replicas }) => replicas[0] === coordinatorOf(job))!;
  return `${hostname(job.name, part, 0)}.${job.name}`.length > DNS_LABEL_MAX_LENGTH ? undefined : { replicatedJob: part.name, jobIndex: 0, podIndex: 0 };
}

function environments(engineJob: EngineJob, settings: JobSetEngineSettings): EngineEnvironment[] {
  const { pods: { job }, layout, sets } = planJobSet(engineJob, settings);
  const found = layout.flatMap((part, at) => part.replicas.map((replica, position): [number, EngineEnvironment] => [replica.ordinal, {
    role: replica.role,
    index: replica.index,
    pod: `${hostname(job.name, part, position)}-*`,
    env: withCompletionIndex(inFirstAttempt(sets[at].environmentAt(position)), position % podsOfChild(part)),
  }]));
  return found.sort(([one], [other]) => one - other).map(([, environment]) => environment);
}
