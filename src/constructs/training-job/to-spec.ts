/** From what a `TrainingJob` was given to `MLTrainingJob.spec`. Pure; fields that were not given stay out, so that defaults are the CRD's. */
import type { Duration, Size } from 'cdk8s';
import type { EnvValue } from 'cdk8s-plus-28';
import type { AutoTuning } from './tuning/auto-tuning';
import { autoTuningSpec } from './tuning/auto-tuning-spec';
import type { Checkpoint } from './checkpoints/checkpoint';
import type { ElasticRange } from './elastic';
import type { Framework } from './framework';
import type { IdlePolicy, Preflight } from './health';
import { envVars } from './pods/kplus-values';
import { podTemplate, type PodTemplateInput } from './pods/pod-template';
import type { JobHelper } from './pods/helper';
import type { JobArray } from './job-array';
import type { TrainingResources } from './pods/resources';
import type { TrainingRole } from './pods/role';
import type { RunPolicy } from './run-policy';
import type { Scheduling } from './scheduling';
import type { JobSecurity } from './security';
import { toleration } from './pods/kubernetes-toleration';
import type { ArraySpec } from '../../model/training-job/array';
import type { CheckpointSpec, ElasticSpec, IdleSpec, PreflightSpec } from '../../model/training-job/fields/features';
import type { HelperSpec } from '../../model/training-job/replicas/helpers';
import type { RunPolicySpec, StallSpec } from '../../model/training-job/run-policy';
import type { NetworkPolicySpec, SecuritySpec } from '../../model/training-job/security';
import type { CodeSpec } from '../../model/training-job/code';
import type { GangScheduler, GangSpec, SchedulingSpec } from '../../model/training-job/scheduling';
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
    autoTuning: input.autoTuning && autoTuningSpec(input.autoTuning),
    array: input.array && given<ArraySpec>({ ...input.array }),
    checkpointPath: input.checkpoint?.location,
    checkpoint: input.checkpoint && checkpoint(input.checkpoint),
    nprocPerNode: nprocPerNode(input.framework.nprocPerNode),
    port: input.port,
    template: podTemplate(input),
    runPolicy: input.runPolicy && runPolicy(input.runPolicy),
    scheduling: input.scheduling && scheduling(input.scheduling),
    debug: input.debug ? {} : undefined,
    preflight: input.preflight && given<PreflightSpec>({ image: input.preflight.image, timeoutSeconds: seconds(input.preflight.timeout) }),
    init: input.init,
    idle: input.idle && given<IdleSpec>({
      belowPercent: input.idle.belowPercent, forSeconds: input.idle.duration.toSeconds(), action: input.idle.action,
    }),
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

function checkpoint(written: Checkpoint): CheckpointSpec | undefined {
  const spec = given<CheckpointSpec>({
    resumeFrom: written.resumeFrom,
    gracePeriodSeconds: seconds(written.gracePeriod),
    claimName: written.claimName,
    // An empty text is the claim's root.
    subPath: written.subPath === '' ? undefined : written.subPath,
    keepLast: written.keepLast,
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
    restartInPlace: written.restartInPlace,
    startTimeoutSeconds: seconds(written.startTimeout),
    nodeLoss: written.nodeLoss && given({
      graceSeconds: seconds(written.nodeLoss.grace),
      leaseGraceSeconds: seconds(written.nodeLoss.leaseGrace),
      stuckPods: written.nodeLoss.stuckPods,
      forceDeleteAfterSeconds: seconds(written.nodeLoss.forceDeleteAfter),
    }),
    nodeAvoidance: written.nodeAvoidance && given({
      afterFailures: written.nodeAvoidance.afterFailures,
      forSeconds: seconds(written.nodeAvoidance.avoidFor),
    }),
    disruptionLimit: written.disruptionLimit,
    activeDeadlineSeconds: seconds(written.activeDeadline),
    ttlSecondsAfterFinished: seconds(written.ttlAfterFinished),
    cleanPodPolicy: written.cleanPodPolicy,
    successPolicy: written.successPolicy,
    stall: written.stall && given<StallSpec>({ timeoutSeconds: written.stall.timeout.toSeconds(), action: written.stall.action }),
  });
}

function security(written: JobSecurity): SecuritySpec {
  return given<SecuritySpec>({
    restricted: written.restricted,
    runAsUser: written.runAsUser,
    fsGroup: written.fsGroup,
    networkPolicy: written.networkPolicy && given<NetworkPolicySpec>({
      fromNamespaces: written.networkPolicy.fromNamespaces,
      egress: written.networkPolicy.egress,
      toCidrs: written.networkPolicy.toCidrs,
    }),
  });
}

function elastic({ minReplicas, maxReplicas, maxRestarts }: ElasticRange): ElasticSpec {
  return given<ElasticSpec>({ minReplicas, maxReplicas, maxRestarts });
}

function scheduling(written: Scheduling): SchedulingSpec {
  return given<SchedulingSpec>({
    queueName: written.queueName,
    queuePriorityClassName: written.queuePriorityClassName,
    queueMode: written.queueMode,
    gang: written.gang && given<GangSpec>({
      // Gang is a class with factories, so the scheduler is one of the model's.
      scheduler: written.gang.scheduler as GangScheduler,
      queue: written.gang.queue,
      minAvailable: written.gang.minAvailable,
      scheduleTimeoutSeconds: seconds(written.gang.scheduleTimeout),
    }),
    topology: written.topology && given({ ...written.topology }),
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
