/** From what a `TrainingJob` was given to `MLTrainingJob.spec`. Pure; fields that were not given stay out, so that defaults are the CRD's. */
import type { Size } from 'cdk8s';
import type { EnvValue } from 'cdk8s-plus-28';
import { blockSpec } from './block-spec';
import type { Checkpoint } from './checkpoints/checkpoint';
import type { ElasticRange } from './elastic';
import type { Framework } from './framework';
import type { Gang } from './gang';
import type { AutoTuning } from './generated/auto-tuning';
import type { IdlePolicy, Preflight } from './generated/health';
import type { JobArray } from './generated/job-array';
import type { RunPolicy } from './generated/run-policy';
import type { Scheduling } from './generated/scheduling';
import type { JobSecurity } from './generated/security';
import type { TuningParameter } from './search-space';
import { envVars } from './pods/kplus-values';
import { podTemplate, type PodTemplateInput } from './pods/pod-template';
import type { JobHelper } from './pods/helper';
import type { TrainingResources } from './pods/resources';
import type { TrainingRole } from './pods/role';
import { toleration } from './pods/kubernetes-toleration';
import { ARRAY } from '../../model/training-job/array';
import type { CodeSpec } from '../../model/training-job/code';
import {
  AUTO_TUNING, BUDGET, CHECKPOINT, ELASTIC, IDLE, PARAMETER, PREFLIGHT, type CheckpointSpec,
} from '../../model/training-job/fields/features';
import type { HelperSpec } from '../../model/training-job/replicas/role-specs';
import { RUN_POLICY } from '../../model/training-job/run-policy';
import { GANG, SCHEDULING } from '../../model/training-job/scheduling';
import { SECURITY } from '../../model/training-job/security';
import type { FrameworkName, ResourcesSpec, RoleSpec, TrainingJobSpec } from '../../model/training-job/spec';

/** Everything that a job says. */
export interface TrainingJobInput extends PodTemplateInput {
  readonly framework: Framework;
  readonly image: string;
  readonly replicas?: number;
  readonly roles: readonly TrainingRole[];
  readonly helpers: readonly JobHelper[];
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly code?: CodeSpec;
  readonly workingDir?: string;
  readonly env: { readonly [name: string]: EnvValue };
  readonly resources?: TrainingResources;
  readonly hyperparameters: { readonly [name: string]: string };
  readonly autoTuning?: AutoTuning;
  readonly array?: JobArray;
  readonly checkpoint?: Checkpoint;
  readonly port?: number;
  readonly runPolicy?: RunPolicy;
  readonly scheduling?: Scheduling;
  readonly debug?: boolean;
  readonly preflight?: Preflight;
  readonly init?: boolean;
  readonly idle?: IdlePolicy;
  readonly security?: JobSecurity;
  readonly elastic?: ElasticRange;
  readonly suspend?: boolean;
}

/** Renders the spec. */
export function toTrainingJobSpec(input: TrainingJobInput): TrainingJobSpec {
  return given<TrainingJobSpec>({
    // Framework is a class with factories, so the name is one of the model's.
    framework: input.framework.name as FrameworkName,
    image: input.image,
    replicas: input.replicas,
    roles: nonEmpty(input.roles.map(role)),
    helpers: nonEmpty(input.helpers.map(helper)),
    command: input.command,
    args: input.args,
    code: input.code,
    workingDir: input.workingDir,
    env: nonEmpty(envVars(input.env)),
    resources: input.resources && resources(input.resources),
    hyperparameters: Object.keys(input.hyperparameters).length > 0 ? input.hyperparameters : undefined,
    autoTuning: input.autoTuning && autoTuning(input.autoTuning),
    array: input.array && array(input.array),
    checkpointPath: input.checkpoint?.location,
    checkpoint: input.checkpoint && checkpoint(input.checkpoint),
    nprocPerNode: nprocPerNode(input.framework.nprocPerNode),
    port: input.port,
    template: podTemplate(input),
    runPolicy: input.runPolicy && runPolicy(input.runPolicy),
    scheduling: input.scheduling && scheduling(input.scheduling),
    debug: input.debug ? {} : undefined,
    preflight: input.preflight && preflight(input.preflight),
    init: input.init,
    idle: input.idle && idle(input.idle),
    security: input.security && security(input.security),
    elastic: input.elastic && elastic(input.elastic),
    suspend: input.suspend,
  });
}

function role(written: TrainingRole): RoleSpec {
  return given<RoleSpec>({ ...group(written), restartPolicy: written.restartPolicy });
}

function helper(written: JobHelper): HelperSpec {
  return given<HelperSpec>({ ...group(written), port: written.port, onFailure: written.onFailure });
}

/** What roles and helpers say alike. */
function group(written: TrainingRole | JobHelper): RoleSpec & HelperSpec {
  return {
    name: written.name,
    replicas: written.replicas,
    image: written.image,
    command: written.command,
    args: written.args,
    env: nonEmpty(envVars(written.env ?? {})),
    resources: written.resources && resources(written.resources),
    template: written.podTemplate,
  };
}

/** Compute, of replicas and of model servers. */
export function resources(written: TrainingResources): ResourcesSpec {
  const extended = Object.entries(written.extended ?? {}).map(([name, count]) => [name, String(count)]);
  return given<ResourcesSpec>({
    gpu: written.gpu?.count,
    // The default goes without saying, as in the blog's manifests.
    gpuResourceName: written.gpu?.resourceName === 'nvidia.com/gpu' ? undefined : written.gpu?.resourceName,
    tpu: written.tpu?.count,
    cpu: written.cpu?.amount,
    memory: quantity(written.memory),
    ephemeralStorage: quantity(written.ephemeralStorage),
    sharedMemory: quantity(written.sharedMemory),
    extended: extended.length > 0 ? Object.fromEntries(extended) : undefined,
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
const runPolicy = blockSpec(RUN_POLICY);
const security = blockSpec(SECURITY);
const elastic = blockSpec(ELASTIC);
const array = blockSpec(ARRAY);
const preflight = blockSpec(PREFLIGHT);
const idle = blockSpec(IDLE);
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

/** A number where it is one, so that manifests read `nprocPerNode: 8`. */
function nprocPerNode(written: string | undefined): number | string | undefined {
  return written !== undefined && /^-?[0-9]+$/.test(written) ? Number(written) : written;
}

function quantity(size: Size | undefined): string | undefined {
  return size?.asString();
}

function nonEmpty<T>(list: readonly T[]): readonly T[] | undefined {
  return list.length > 0 ? list : undefined;
}

/**
 * Leaves out what was not given, because the model reads a field that is there as a wish. With `in`, which takes an eighth of the time of
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
