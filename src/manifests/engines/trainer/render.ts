/**
 * A job as objects of Kubeflow Trainer, and the environments of its replicas.
 *
 * The runtime of a job without a plugin contains the JobSet that the JobSet engine renders, including the environment. The TrainJob starts it with
 * the same name, so its host names are right. Fields of the TrainJob itself (suspension, deadline, manager) are not in it.
 */
import { mpiCompanions, nodeTemplates, pluginEnvironments } from './node-pods';
import type { TrainerOptions } from './options';
import { planTrainJob, type PluginPlan } from './plan';
import { ANCESTOR_LABEL, constructRuntime, forNode, pluginRuntime, type RuntimeSpec } from './runtime';
import { runtimePatches, splitTrainer, TRAINER_API_VERSION, trainJobSpec, type Trainer } from './train-job';
import type { EngineEnvironment, EngineJob, EngineObjects } from '../engine';
import { engineOwnership, jobLabels, queueLabels } from '../indexed/companions';
import { jobSetEngine } from '../jobset';
import { HOOK_JOBS } from '../jobset/hooks';
import { constructNetworkPolicies } from '../../job/network-policy';
import type { Manifest } from '../../kubernetes';
import { plainObject } from '../../plain-object';
import { constructToolsConfigMap, needsTools } from '../../tools/tools-config-map';
import type { TrainingJobSpec } from '../../../model/training-job/spec';
import type { Violation } from '../../../model/violations';

/** Renders a job that complies with all rules. */
export function renderTrainJob(engineJob: EngineJob, options: TrainerOptions): EngineObjects {
  const { name, spec } = engineJob;
  const plan = planTrainJob(name, spec, options);
  if (plan.shape !== 'roles') {
    return pluginObjects(engineJob, plan, options);
  }
  const { runtime, numNodes, companions } = renderRoles(engineJob);
  const ownership = engineOwnership(engineJob);
  return {
    job: trainJob(engineJob, { numNodes }, options),
    companions: [...companions, constructRuntime(engineJob, spec.framework, runtime, ownership)],
  };
}

/** The environment of each replica of a job. */
export function trainerEnvironments(engineJob: EngineJob, options: TrainerOptions): readonly EngineEnvironment[] {
  const plan = planTrainJob(engineJob.name, engineJob.spec, options);
  return plan.shape === 'roles' ? JOB_SET.environments({ ...engineJob, spec: jobSetPart(engineJob.spec) }) : pluginEnvironments(plan);
}

function pluginObjects(engineJob: EngineJob, plan: PluginPlan, options: TrainerOptions): EngineObjects {
  const { job, nodes, plugin, shape } = plan;
  const ownership = engineOwnership(engineJob);
  const templates = nodeTemplates(plan, engineJob.namespace);
  const { trainer, template } = splitTrainer(plan, templates.get(nodes)!, options);
  templates.set(nodes, template);
  const companions = [
    ...constructNetworkPolicies(job, ownership),
    ...(needsTools(job) ? [constructToolsConfigMap(job, ownership)] : []),
    ...(shape === 'launcher' ? mpiCompanions(plan, ownership) : []),
  ];
  if (options.runtime !== undefined) {
    return { job: trainJob(engineJob, trainer, options, runtimePatches(template)), companions };
  }
  const framework = plugin === 'mpi' ? job.framework.name : plugin ?? job.framework.name;
  return {
    job: trainJob(engineJob, trainer, options),
    // The webhook rejects a TrainJob whose runtime does not exist, so the runtime comes before it.
    companions: [...companions, constructRuntime(engineJob, framework, pluginRuntime(plan, templates), ownership)],
  };
}

function trainJob(engineJob: EngineJob, trainer: Trainer, options: TrainerOptions, patches?: readonly object[]): EngineObjects['job'] {
  const { name, namespace, spec } = engineJob;
  return plainObject<Manifest & { readonly spec: object }>({
    apiVersion: TRAINER_API_VERSION,
    kind: 'TrainJob',
    metadata: { name, namespace, labels: { ...jobLabels(name), ...queueLabels(engineJob) } },
    spec: trainJobSpec(name, spec, trainer, options, patches),
  });
}

/** The part of a JobSet's replicated job that is used here. */
interface ReplicatedJob {
  readonly name: string;
  readonly replicas: number;
  readonly template: { readonly metadata?: { readonly labels?: object }; readonly spec: { readonly completions?: number } };
}

const JOB_SET = jobSetEngine();

/** The objects of a job without a plugin. */
interface RolesObjects {
  readonly runtime: RuntimeSpec;
  /** Number of nodes of the TrainJob: those of the replicated job that is its trainer. */
  readonly numNodes: number;
  readonly companions: EngineObjects['companions'];
}

function renderRoles(engineJob: EngineJob): RolesObjects {
  const { job, companions } = JOB_SET.render({ ...engineJob, spec: jobSetPart(engineJob.spec) });
  const { replicatedJobs, ...spec } = job.spec as { readonly replicatedJobs: readonly ReplicatedJob[]; readonly [field: string]: unknown };
  // Trainer requires one replica in the replicated job with its label. If each replica is a Job, none has the label.
  const trainer = replicatedJobs.find(({ name, replicas }) => replicas === 1 && !Object.values(HOOK_JOBS).includes(name));
  const numNodes = trainer?.template.spec.completions ?? 1;
  return {
    runtime: {
      mlPolicy: { numNodes },
      template: { spec: forNode({ ...spec, replicatedJobs: replicatedJobs.map((entry) => (entry === trainer ? labelled(entry) : entry)) }) },
    },
    numNodes,
    companions,
  };
}

/** Violations of the JobSet of such a job. */
export function rolesViolations(name: string, spec: TrainingJobSpec): Violation[] {
  return [...JOB_SET.validate?.(name, jobSetPart(spec)) ?? []];
}

/** The job without the fields of the TrainJob. */
function jobSetPart({ suspend: _suspend, managedBy: _managedBy, ...spec }: TrainingJobSpec): TrainingJobSpec {
  const { activeDeadlineSeconds: _deadline, ttlSecondsAfterFinished: _ttl, ...runPolicy } = spec.runPolicy ?? {};
  return { ...spec, ...(spec.runPolicy && { runPolicy }) };
}

function labelled(entry: ReplicatedJob): ReplicatedJob {
  const { metadata } = entry.template;
  return { ...entry, template: { ...entry.template, metadata: { ...metadata, labels: { ...metadata?.labels, [ANCESTOR_LABEL]: 'trainer' } } } };
}
