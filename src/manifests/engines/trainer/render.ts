/** A job as objects of Kubeflow Trainer, and what its replicas see. */
import { mpiCompanions } from './mpi';
import { nodeTemplates, pluginEnvironments } from './node-pods';
import { planTrainJob, type PluginPlan } from './plan';
import type { TrainerOptions } from './options';
import { renderRoles, rolesEnvironments } from './roles';
import { constructRuntime, pluginRuntime } from './runtime';
import { runtimePatches, splitTrainer, TRAINER_API_VERSION, trainJobSpec, type Trainer } from './train-job';
import type { EngineEnvironment, EngineJob, EngineObjects } from '../engine';
import { engineOwnership, jobLabels, queueLabels } from '../indexed/companions';
import type { Manifest } from '../../kubernetes';
import { constructNetworkPolicies } from '../../job/network-policy';
import { plainObject } from '../../plain-object';
import { constructToolsConfigMap, needsTools } from '../../tools/tools-config-map';

/** Renders a job that keeps all rules. */
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

/** What each replica of a job sees. */
export function trainerEnvironments(engineJob: EngineJob, options: TrainerOptions): readonly EngineEnvironment[] {
  const plan = planTrainJob(engineJob.name, engineJob.spec, options);
  return plan.shape === 'roles' ? rolesEnvironments(engineJob) : pluginEnvironments(plan);
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
    // The webhook refuses a TrainJob whose runtime is not there yet, and so the runtime is the last before it.
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
