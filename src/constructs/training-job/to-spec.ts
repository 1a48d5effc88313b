/** From what a `TrainingJob` was given to `MLTrainingJob.spec`. Pure; fields that were not given stay out, so that defaults are the CRD's. */
import type { Duration, Size } from 'cdk8s';
import type { EnvValue } from 'cdk8s-plus-28';
import type { Checkpoint } from './checkpoint';
import type { Framework } from './framework';
import { envVars } from './kplus-values';
import { podTemplate, type PodTemplateInput } from './pod-template';
import type { TrainingResources } from './resources';
import type { TrainingRole } from './role';
import type { RunPolicy } from './run-policy';
import type { Scheduling } from './scheduling';
import { toleration } from './kubernetes-toleration';
import type { CheckpointSpec } from '../../model/training-job/features';
import type { RunPolicySpec } from '../../model/training-job/run-policy';
import type { SchedulingSpec } from '../../model/training-job/scheduling';
import type { FrameworkName, ResourcesSpec, RoleSpec, TrainingJobSpec } from '../../model/training-job/spec';

/** Everything that a job says. */
export interface TrainingJobInput extends PodTemplateInput {
  readonly framework: Framework;
  readonly image: string;
  readonly replicas?: number;
  readonly roles: readonly TrainingRole[];
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly workingDir?: string;
  readonly env: { readonly [name: string]: EnvValue };
  readonly resources?: TrainingResources;
  readonly hyperparameters: { readonly [name: string]: string };
  readonly checkpoint?: Checkpoint;
  readonly port?: number;
  readonly runPolicy?: RunPolicy;
  readonly scheduling?: Scheduling;
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
    command: input.command,
    args: input.args,
    workingDir: input.workingDir,
    env: nonEmpty(envVars(input.env)),
    resources: input.resources && resources(input.resources),
    hyperparameters: Object.keys(input.hyperparameters).length > 0 ? input.hyperparameters : undefined,
    checkpointPath: input.checkpoint?.location,
    checkpoint: input.checkpoint && checkpoint(input.checkpoint),
    nprocPerNode: nprocPerNode(input.framework.nprocPerNode),
    port: input.port,
    template: podTemplate(input),
    runPolicy: input.runPolicy && runPolicy(input.runPolicy),
    scheduling: input.scheduling && scheduling(input.scheduling),
    suspend: input.suspend,
  });
}

function role(written: TrainingRole): RoleSpec {
  return given<RoleSpec>({
    name: written.name,
    replicas: written.replicas,
    image: written.image,
    command: written.command,
    args: written.args,
    env: nonEmpty(envVars(written.env ?? {})),
    resources: written.resources && resources(written.resources),
    restartPolicy: written.restartPolicy,
    template: written.podTemplate,
  });
}

function resources(written: TrainingResources): ResourcesSpec {
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

function checkpoint(written: Checkpoint): CheckpointSpec | undefined {
  const spec = given<CheckpointSpec>({
    resumeFrom: written.resumeFrom,
    gracePeriodSeconds: seconds(written.gracePeriod),
    claimName: written.claimName,
    subPath: written.subPath,
  });
  return Object.keys(spec).length > 0 ? spec : undefined;
}

function runPolicy(written: RunPolicy): RunPolicySpec {
  return given<RunPolicySpec>({
    restartPolicy: written.restartPolicy,
    backoffLimit: written.backoffLimit,
    backoff: written.backoff && given({
      initialSeconds: seconds(written.backoff.initial),
      maxSeconds: seconds(written.backoff.max),
      resetAfterSeconds: seconds(written.backoff.resetAfter),
    }),
    exitCodes: written.exitCodes && given({ ...written.exitCodes }),
    disruptionLimit: written.disruptionLimit,
    activeDeadlineSeconds: seconds(written.activeDeadline),
    ttlSecondsAfterFinished: seconds(written.ttlAfterFinished),
    cleanPodPolicy: written.cleanPodPolicy,
    successPolicy: written.successPolicy,
  });
}

function scheduling(written: Scheduling): SchedulingSpec {
  return given<SchedulingSpec>({
    priorityClassName: written.priorityClassName,
    schedulerName: written.schedulerName,
    nodeSelector: written.nodeSelector,
    tolerations: nonEmpty((written.tolerations ?? []).map(toleration)),
  });
}

/** A number where it is one, so that manifests read `nprocPerNode: 8`. */
function nprocPerNode(written: string | undefined): number | string | undefined {
  return written !== undefined && /^-?[0-9]+$/.test(written) ? Number(written) : written;
}

function seconds(duration: Duration | undefined): number | undefined {
  return duration?.toSeconds();
}

function quantity(size: Size | undefined): string | undefined {
  return size?.asString();
}

function nonEmpty<T>(list: readonly T[]): readonly T[] | undefined {
  return list.length > 0 ? list : undefined;
}

/** Leaves out what was not given, because the model reads a field that is there as a wish. */
function given<T extends object>(fields: T): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;
}
