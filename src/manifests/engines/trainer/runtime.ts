/**
 * A job's own TrainingRuntime: its pods, restarts and success rules. It has the job's name and namespace, so only Trainer's controller must be
 * installed.
 */
import { mpiPolicy } from './node-pods';
import { LAUNCHER, NODE, type PluginPlan } from './plan';
import { TRAINER_API_VERSION } from './train-job';
import type { Cohort } from '../cohorts';
import type { EngineJob } from '../engine';
import { indexedSuccessPolicy, successRule } from '../indexed/outcome';
import { childFailurePolicy, failurePolicy } from '../jobset/failure-policy';
import type { Layout } from '../jobset/layout';
import { jobObjectMeta, type ObjectOwnership } from '../../job/job-metadata';
import type { Manifest } from '../../kubernetes';
import { plainObject } from '../../plain-object';
import type { PodTemplate } from '../../pod/pod-template';
import { TRAINING_CONTAINER } from '../../../model/names';
import { scheduleTimeoutSeconds } from '../../../model/training-job/scheduling';
import type { ResolvedTrainingJob } from '../../../model/training-job/replicas/resolve';

/** Marks the replicated job that is the TrainJob's `trainer`: it has the container `node`, and one replica. */
export const ANCESTOR_LABEL = 'trainer.kubeflow.org/trainjob-ancestor-step';

/** Framework of a runtime. SDKs find runtimes by this label. */
const FRAMEWORK_LABEL = 'trainer.kubeflow.org/framework';

/** Queue of the PodGroup that the controller creates for Volcano. */
const VOLCANO_QUEUE_ANNOTATION = 'scheduling.volcano.sh/queue-name';

/** `spec` of a runtime. */
export interface RuntimeSpec {
  readonly mlPolicy: object;
  readonly podGroupPolicy?: object;
  readonly template: { readonly metadata?: object; readonly spec: object };
}

export function constructRuntime({ name }: EngineJob, framework: string, spec: RuntimeSpec, ownership: ObjectOwnership): Manifest {
  const metadata = jobObjectMeta(name, name, ownership);
  return plainObject<Manifest & { readonly spec: RuntimeSpec }>({
    apiVersion: TRAINER_API_VERSION,
    kind: 'TrainingRuntime',
    metadata: { ...metadata, labels: { ...metadata.labels, [FRAMEWORK_LABEL]: framework } },
    spec,
  });
}

/** The runtime of a job with a plugin. */
export function pluginRuntime(plan: PluginPlan, templates: ReadonlyMap<Cohort, PodTemplate>): RuntimeSpec {
  const { job, layout: { cohorts }, nodes, plugin, shape } = plan;
  const layout: Layout = cohorts.map(({ name, role, replicas }) => ({ name, role, replicas, perReplica: false, firstInGroup: 0 }));
  const { gang } = job.spec.scheduling ?? {};
  return {
    mlPolicy: {
      // Nodes of the replicated job with the label below. The TrainJob has the number of MPI's nodes.
      numNodes: shape === 'launcher' ? 1 : nodes.replicas.length,
      ...(plugin !== undefined && { [plugin]: pluginPolicy(plan) }),
    },
    ...(gang && { podGroupPolicy: podGroupPolicy(job) }),
    template: {
      ...(gang?.queue !== undefined && { metadata: { annotations: { [VOLCANO_QUEUE_ANNOTATION]: gang.queue } } }),
      spec: forNode({
        ...successPolicy(plan),
        failurePolicy: failurePolicy(withoutDeadline(job), layout),
        replicatedJobs: cohorts.map((cohort) => replicatedJob(plan, cohort, templates.get(cohort)!)),
      }),
    },
  };
}

function pluginPolicy(plan: PluginPlan): object {
  switch (plan.plugin) {
    case 'mpi': return mpiPolicy(plan);
    case 'flux': return { numProcPerNode: plan.input.numProcPerNode };
    default: return {};
  }
}

/** The controller creates the group of all pods of the job: none of them waits for another one. */
function podGroupPolicy(job: ResolvedTrainingJob): object {
  return job.spec.scheduling?.gang?.scheduler === 'Volcano'
    ? { volcano: {} }
    : { coscheduling: { scheduleTimeoutSeconds: scheduleTimeoutSeconds(job) } };
}

function replicatedJob(plan: PluginPlan, cohort: Cohort, { metadata, spec }: PodTemplate): object {
  const isTrainer = cohort.name === (plan.shape === 'launcher' ? LAUNCHER : NODE);
  return {
    name: cohort.name,
    // The default, explicit because kubectl compares the list as a whole.
    groupName: 'default',
    replicas: 1,
    template: {
      ...(isTrainer && { metadata: { labels: { [ANCESTOR_LABEL]: 'trainer' } } }),
      spec: {
        ...childFailurePolicy(plan.job, cohort.role),
        successPolicy: childSuccess(plan, cohort),
        template: { metadata, spec },
      },
    },
  };
}

/** The TrainJob has the deadline. */
function withoutDeadline(job: ResolvedTrainingJob): ResolvedTrainingJob {
  const { activeDeadlineSeconds: _deadline, ...runPolicy } = job.runPolicy;
  return { ...job, runPolicy };
}

/** Which replicated jobs decide about success, if there are several. */
function successPolicy({ job, layout: { cohorts } }: PluginPlan): object {
  const { replicas, one } = successRule(job);
  const counting = cohorts.filter((cohort) => cohort.replicas.some((replica) => replicas.includes(replica)));
  return cohorts.length === 1 ? {} : {
    successPolicy: {
      operator: one ? 'Any' : 'All',
      ...(counting.length < cohorts.length && { targetReplicatedJobs: counting.map(({ name }) => name) }),
    },
  };
}

/** Which pods of a replicated job decide about its success. With Flux, the first pod is the launcher. */
function childSuccess({ job, shape }: PluginPlan, { replicas }: Cohort): object | undefined {
  const rule = successRule(job);
  const counting = replicas.flatMap((replica, position) => (rule.replicas.includes(replica) ? [position] : []));
  const positions = counting.length === 0 && shape === 'flux' ? [0] : counting;
  return positions.length === 0 ? undefined : indexedSuccessPolicy(replicas.length, positions, rule.one);
}

/** Renames the container `training` to `node` in an object. */
export function forNode<T>(value: T): T {
  if (Array.isArray(value)) {
    return value.map((item) => forNode(item)) as T;
  }
  if (typeof value !== 'object' || value === null) {
    return value;
  }
  return Object.fromEntries(Object.entries(value).map(([field, item]) => {
    switch (field) {
      case 'containers': return [field, (item as { readonly name: string }[]).map((container) => (
        container.name === TRAINING_CONTAINER ? { ...container, name: NODE } : container))];
      case 'onExitCodes': return [field, { ...item as object, containerName: NODE }];
      default: return [field, forNode(item)];
    }
  })) as T;
}
