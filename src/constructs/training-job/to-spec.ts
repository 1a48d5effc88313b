/** From what a `TrainingJob` was given to `MLTrainingJob.spec`. Pure; fields that were not given stay out, so that defaults are the CRD's. */
import type { Size } from 'cdk8s';
import { blockSpec, type OwnFields } from './block-spec';
import type { Checkpoint } from './checkpoints/checkpoint';
import type { Gang } from './gang';
import type { AutoTuning } from './generated/auto-tuning';
import type { JobHook, JobHooks } from './generated/hooks';
import type { Scheduling } from './generated/scheduling';
import type { TuningParameter } from './search-space';
import { envVars } from './pods/kplus-values';
import type { VolumeMount } from './pods/kplus-types';
import { podTemplate } from './pods/pod-template';
import type { JobHelper } from './pods/helper';
import type { TrainingResources } from './pods/resources';
import type { TrainingRole } from './pods/role';
import { toleration } from './pods/kubernetes-toleration';
import type { TrainingJobProps } from './training-job-props';
import { nonEmpty } from '../../model/lists';
import { AUTO_TUNING, BUDGET, CHECKPOINT, PARAMETER, type CheckpointSpec } from '../../model/training-job/fields/features';
import { HOOK, HOOKS } from '../../model/training-job/hooks';
import { HELPER, ROLE } from '../../model/training-job/replicas/role-specs';
import { GANG, SCHEDULING } from '../../model/training-job/scheduling';
import { SPEC, type ResourcesSpec } from '../../model/training-job/spec';

/** What a job has in addition to its properties, or has made of them since. */
export interface JobState {
  readonly roles: readonly TrainingRole[];
  readonly env: NonNullable<TrainingJobProps['env']>;
  readonly checkpoint?: Checkpoint;
  readonly volumeMounts: readonly VolumeMount[];
}

/** Compute, of replicas and of model servers. */
export function resources(written: TrainingResources): ResourcesSpec {
  const extended = written.extended === undefined ? [] : Object.entries(written.extended).map(([name, count]) => [name, String(count)]);
  return given<ResourcesSpec>({
    cpu: written.cpu?.amount,
    ephemeralStorage: quantity(written.ephemeralStorage),
    extended: extended.length > 0 ? Object.fromEntries(extended) : undefined,
    gpu: written.gpu?.count,
    // The default goes without saying, as in the blog's manifests.
    gpuResourceName: written.gpu?.resourceName === 'nvidia.com/gpu' ? undefined : written.gpu?.resourceName,
    memory: quantity(written.memory),
    sharedMemory: quantity(written.sharedMemory),
    tpu: written.tpu?.count,
  });
}

const checkpointSpec = blockSpec<typeof CHECKPOINT.fields, Checkpoint>(CHECKPOINT, {
  // An empty text is the claim's root.
  subPath: ({ subPath }) => (subPath === '' ? undefined : subPath),
});

function checkpoint(written: Checkpoint): CheckpointSpec | undefined {
  const spec = checkpointSpec(written);
  return Object.keys(spec).length > 0 ? spec : undefined;
}

const gang = blockSpec<typeof GANG.fields, Gang>(GANG);
const scheduling = blockSpec<typeof SCHEDULING.fields, Scheduling>(SCHEDULING, {
  gang: (written) => written.gang && gang(written.gang),
  tolerations: (written) => nonEmpty((written.tolerations ?? []).map(toleration)),
});

/** Fields of whatever has pods of its own. */
const OF_PODS: OwnFields<Pick<TrainingRole, 'env' | 'resources'>, void> = {
  env: ({ env }) => env && nonEmpty(envVars(env)),
  resources: (written) => written.resources && resources(written.resources),
};

const role = blockSpec<typeof ROLE.fields, TrainingRole>(ROLE, OF_PODS);
const helper = blockSpec<typeof HELPER.fields, JobHelper>(HELPER, OF_PODS);
const hook = blockSpec<typeof HOOK.fields, JobHook>(HOOK, OF_PODS);
const hooks = blockSpec<typeof HOOKS.fields, JobHooks>(HOOKS, {
  before: ({ before }) => before && hook(before),
  after: ({ after }) => after && hook(after),
  onExit: ({ onExit }) => onExit && hook(onExit),
});
const budget = blockSpec(BUDGET);
const parameter = blockSpec<typeof PARAMETER.fields, TuningParameter>(PARAMETER, {
  type: ({ kind }) => kind,
  values: ({ numbers, words }) => numbers ?? words,
});

/** Renders a search. */
export const autoTuning = blockSpec<typeof AUTO_TUNING.fields, AutoTuning>(AUTO_TUNING, {
  algorithm: ({ algorithm }) => algorithm?.name,
  budget: ({ algorithm }) => algorithm?.budget && budget(algorithm.budget),
  parameters: ({ parameters }) => Object.fromEntries(Object.entries(parameters).map(([name, written]) => [name, parameter(written)])),
});

/** Renders the spec; what has no entry here is a plain value, or a block of such. */
export const toTrainingJobSpec = blockSpec<typeof SPEC.fields, TrainingJobProps, JobState>(SPEC, {
  framework: ({ framework }) => framework.name,
  roles: (_props, { roles }) => nonEmpty(roles.map((each) => role(each))),
  helpers: ({ helpers }) => helpers && nonEmpty(helpers.map((each) => helper(each))),
  code: ({ code }) => code?._toSpec(),
  env: (_props, { env }) => nonEmpty(envVars(env)),
  resources: (props) => props.resources && resources(props.resources),
  hyperparameters: ({ hyperparameters }) => (hyperparameters && Object.keys(hyperparameters).length > 0 ? hyperparameters : undefined),
  autoTuning: (props) => props.autoTuning && autoTuning(props.autoTuning),
  checkpointPath: (_props, state) => state.checkpoint?.location,
  checkpoint: (_props, state) => state.checkpoint && checkpoint(state.checkpoint),
  nprocPerNode: ({ framework }) => nprocPerNode(framework.nprocPerNode),
  template: (props, { volumeMounts }) => podTemplate(props, volumeMounts),
  scheduling: (props) => props.scheduling && scheduling(props.scheduling),
  hooks: (props) => props.hooks && hooks(props.hooks),
  debug: ({ debug }) => (debug ? {} : undefined),
});

/** A number where it is one, so that manifests read `nprocPerNode: 8`. */
function nprocPerNode(written: string | undefined): number | string | undefined {
  return written !== undefined && /^-?[0-9]+$/.test(written) ? Number(written) : written;
}

function quantity(size: Size | undefined): string | undefined {
  return size?.asString();
}

/**
 * Leaves out what is not given, because a field that is present counts as set. With `in`, which takes an eighth of the time of
 * `Object.entries`: few fields of many are given, and a job is read several times in a synth.
 */
function given<T extends object>(fields: T): T {
  const present: Partial<T> = {};
  for (const name in fields) {
    if (fields[name] !== undefined) {
      present[name] = fields[name];
    }
  }
  return present as T;
}
