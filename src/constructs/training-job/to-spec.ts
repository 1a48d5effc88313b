/**
 * Converts the properties of a `TrainingJob` to `MLTrainingJob.spec`. Pure; fields that are not given are left out, so that the CRD's defaults apply.
 */
import type { Duration } from 'cdk8s';
import type { Checkpoint } from './checkpoints/checkpoint';
import type { Gang } from './gang';
import type { AutoTuning } from './generated/auto-tuning';
import type { JobHook, JobHooks } from './generated/hooks';
import type { Scheduling } from './generated/scheduling';
import type { TuningParameter } from './search-space';
import { containerMount, envFromSource, envVars, podVolume } from './pods/kplus-values';
import type { VolumeMount, IEnvFrom } from './pods/kplus-types';
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
import { SPEC, type ResourcesSpec, type PodTemplateSpec } from '../../model/training-job/spec';
import type { ISecret, IServiceAccount } from 'cdk8s-plus-28';
import type { PodSpec } from '../../manifests/kubernetes';
import { mergePodSpec } from '../../manifests/pod/pod-template';
import { propertyOf, type Block, type Field, type Fields, type SpecOf } from '../../model/training-job/schema/field';

/** The state of a job that methods can change. */
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
    ephemeralStorage: written.ephemeralStorage?.asString(),
    extended: extended.length > 0 ? Object.fromEntries(extended) : undefined,
    gpu: written.gpu?.count,
    // The default is left out, as in the blog's manifests.
    gpuResourceName: written.gpu?.resourceName === 'nvidia.com/gpu' ? undefined : written.gpu?.resourceName,
    memory: written.memory?.asString(),
    sharedMemory: written.sharedMemory?.asString(),
    tpu: written.tpu?.count,
  });
}

const checkpointSpec = blockSpec<typeof CHECKPOINT.fields, Checkpoint>(CHECKPOINT, {
  // The empty string is the claim's root.
  subPath: ({ folder }) => (folder === '' ? undefined : folder),
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

/** Fields of blocks that have pods: roles, helpers and hooks. */
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

/** Renders the spec. Fields without an entry here are plain values, or blocks of them. */
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

/** A number if possible, so that manifests read `nprocPerNode: 8`. */
function nprocPerNode(written: string | undefined): number | string | undefined {
  return written !== undefined && /^-?[0-9]+$/.test(written) ? Number(written) : written;
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

/** Name of the container that trains. */
const TRAINING_CONTAINER = 'training';

/** Properties that affect the pod template. */
interface PodTemplateInput {
  readonly podTemplate?: { readonly [field: string]: unknown };
  readonly envFrom?: readonly IEnvFrom[];
  readonly serviceAccount?: IServiceAccount;
  readonly imagePullSecrets?: readonly ISecret[];
}

/** Builds `spec.template`; `undefined` if no property affects it. */
function podTemplate(input: PodTemplateInput, volumeMounts: readonly VolumeMount[]): PodTemplateSpec | undefined {
  const typed = typedPodSpec(input, volumeMounts);
  if (typed === undefined) {
    return input.podTemplate;
  }
  const written: PodTemplateSpec = input.podTemplate ?? {};
  return { ...written, spec: mergePodSpec((written.spec ?? {}) as PodSpec, typed) };
}

/** Undefined if no typed property affects the pod, as in most jobs. */
function typedPodSpec(
  { envFrom = [], serviceAccount, imagePullSecrets = [] }: PodTemplateInput, volumeMounts: readonly VolumeMount[],
): Partial<PodSpec> | undefined {
  if (volumeMounts.length === 0 && envFrom.length === 0 && imagePullSecrets.length === 0 && serviceAccount === undefined) {
    return undefined;
  }
  const volumes = [...new Set(volumeMounts.map(({ volume }) => volume))];
  const training = {
    ...(volumeMounts.length > 0 && { volumeMounts: volumeMounts.map(containerMount) }),
    ...(envFrom.length > 0 && { envFrom: envFrom.map(envFromSource) }),
  };
  return {
    ...(volumes.length > 0 && { volumes: volumes.map(podVolume) }),
    ...(Object.keys(training).length > 0 && { containers: [{ name: TRAINING_CONTAINER, ...training }] }),
    ...(imagePullSecrets.length > 0 && { imagePullSecrets: imagePullSecrets.map(({ name }) => ({ name })) }),
    ...(serviceAccount && { serviceAccountName: serviceAccount.name }),
  };
}

/** Properties of a block, from any interface. */
interface Props { readonly [property: string]: unknown }

/** Functions that compute fields whose property is not a plain value. @typeParam S state in addition to the properties */
export interface OwnFields<P, S> { readonly [field: string]: (props: P, state: S) => unknown }

/** One field of a block, computed by its own function or copied from a property. */
interface Step {
  readonly name: string;
  readonly own?: (props: object, state: unknown) => unknown;
  readonly property: string;
  readonly convert?: (value: unknown) => unknown;
}

/**
 * Returns the function that renders a block. Fields that are not given are left out, because a field that is present counts as set.
 * @param own fields with a function of their own
 */
export function blockSpec<F extends Fields, P extends object, S = void>(
  block: Block<F>, own: OwnFields<P, S> = {},
): (props: P, state: S) => SpecOf<F> {
  const steps = Object.entries<Field>(block.fields).flatMap(([name, field]): Step[] => {
    const property = propertyOf(name, field);
    if (Object.hasOwn(own, name)) {
      return [{ name, own: own[name] as Step['own'], property: name }];
    }
    return property === undefined ? [] : [{ name, property, convert: converter(field) }];
  });
  return (props, state) => {
    const spec: { [name: string]: unknown } = {};
    // Not `for`, which takes twice as long until the code is compiled.
    steps.forEach((step) => {
      const given = step.own === undefined ? (props as Props)[step.property] : step.own(props, state);
      const value = given === undefined || step.convert === undefined ? given : step.convert(given);
      if (value !== undefined) {
        spec[step.name] = value;
      }
    });
    return spec as SpecOf<F>;
  };
}

/** Converts properties that are not plain values. */
function converter(field: Field): Step['convert'] {
  if (field.conversion === 'duration') {
    return (duration) => (duration as Duration).toSeconds();
  }
  return field.fields === undefined ? undefined : blockSpec<Fields, object>(field as Block) as Step['convert'];
}
