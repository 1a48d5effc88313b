/**
 * `runPolicy` of training-operator v1 and of the MPI operator. Its fields are nearly the same as ours; defaults that differ are set explicitly.
 */
import type { Fields } from './fields';
import type { JobFields, JobMetadata, MigrationOptions, RoleDraft } from './job';
import type { Notes } from './notes';
import { totalReplicas } from './roles';
import { frameworkContract } from '../../model/frameworks/registry';
import { defined } from '../../model/lists';
import {
  CLEAN_POD_POLICIES, RESTART_POLICIES, RUN_POLICY_DEFAULTS, type CleanPodPolicy, type RestartPolicy, type RunPolicySpec,
} from '../../model/training-job/run-policy';
import type { GangScheduler, GangSpec, SchedulingSpec } from '../../model/training-job/scheduling';
import type { FrameworkName } from '../../model/training-job/spec';
import { MULTI_KUEUE_CONTROLLER } from '../../model/kueue-names';

/** The result of reading a v1 run policy. */
export interface V1RunPolicy {
  readonly runPolicy: RunPolicySpec;
  readonly scheduling: SchedulingSpec;
  readonly control: Pick<JobFields, 'suspend' | 'managedBy'>;
}

/** Further input of {@link readRunPolicy}. */
export interface RunPolicyHints {
  /** `spec.cleanPodPolicy` of MPIJob v1, which the run policy's overrides. */
  readonly cleanPodPolicy?: CleanPodPolicy;
  /** `schedulerName` of the pods. */
  readonly schedulerName?: string;
  /** Whether `backoffLimit` is a Job's. */
  readonly countsAsJob?: boolean;
}

/** Gang schedulers by the `schedulerName` of pods in their usual installations. */
const SCHEDULERS: { readonly [name: string]: GangScheduler } = { 'volcano': 'Volcano', 'scheduler-plugins-scheduler': 'Coscheduling' };

/** Reads `spec.runPolicy`. @param spec the job's spec */
export function readRunPolicy(spec: Fields, metadata: JobMetadata, notes: Notes, options: MigrationOptions, hints: RunPolicyHints = {}): V1RunPolicy {
  const policy = spec.object('runPolicy');
  const path = spec.at('runPolicy');
  const cleanPodPolicy = policy?.oneOf('cleanPodPolicy', CLEAN_POD_POLICIES) ?? hints.cleanPodPolicy;
  if (cleanPodPolicy === undefined) {
    notes.changed(`${path}.cleanPodPolicy`, undefined, `defaults to None there, and to ${RUN_POLICY_DEFAULTS.cleanPodPolicy} here; set explicitly.`);
  }
  const backoffLimit = policy?.count('backoffLimit');
  if (backoffLimit !== undefined && !hints.countsAsJob) {
    notes.differs(`${path}.backoffLimit`, backoffLimit,
      'counts restarts of the job here, without evictions and lost nodes; there it is the sum of the restarts of its running containers.');
  }
  const activeDeadlineSeconds = policy?.count('activeDeadlineSeconds');
  if (activeDeadlineSeconds !== undefined && !hints.countsAsJob) {
    notes.differs(`${path}.activeDeadlineSeconds`, activeDeadlineSeconds,
      'is kept to the second here; training-operator v1 notices a deadline only when something else happens to the job.');
  }
  const control = readControl(policy, metadata, notes);
  const gangScheduler = options.gangScheduler ?? (policy?.has('schedulingPolicy') ? SCHEDULERS[hints.schedulerName ?? ''] : undefined);
  return {
    runPolicy: {
      backoffLimit,
      activeDeadlineSeconds,
      ttlSecondsAfterFinished: policy?.count('ttlSecondsAfterFinished'),
      cleanPodPolicy: cleanPodPolicy ?? 'None',
    },
    scheduling: { ...metadata.scheduling, ...readSchedulingPolicy(policy, `${path}.schedulingPolicy`, notes, gangScheduler) },
    control,
  };
}

/** `suspend`. Kueue sets it for a queued job, so a file should not. */
export function readSuspend(holder: Fields | undefined, isQueued: boolean, notes: Notes): boolean | undefined {
  const suspend = holder?.flag('suspend');
  if (suspend && isQueued) {
    notes.changed(holder!.at('suspend'), true, 'is left out: Kueue set it while the job waited. A queued job waits here without it; with it, the job would wait forever.');
    return undefined;
  }
  return suspend || undefined;
}

/** `managedBy`, the controller of the object. Only MultiKueue's value applies to the new job. */
export function readManagedBy(holder: Fields | undefined, notes: Notes): string | undefined {
  const managedBy = holder?.text('managedBy');
  if (managedBy !== undefined && managedBy !== MULTI_KUEUE_CONTROLLER) {
    notes.changed(holder!.at('managedBy'), managedBy, 'is left out: it names the controller of the old kind.');
    return undefined;
  }
  return managedBy;
}

/** Reads both. */
export function readControl(holder: Fields | undefined, { scheduling }: JobMetadata, notes: Notes): Pick<JobFields, 'suspend' | 'managedBy'> {
  const suspend = readSuspend(holder, scheduling.queueName !== undefined, notes);
  return defined({ suspend, managedBy: readManagedBy(holder, notes) });
}

function readSchedulingPolicy(policy: Fields | undefined, path: string, notes: Notes, gangScheduler: GangScheduler | undefined): SchedulingSpec {
  const written = policy?.object('schedulingPolicy');
  const queue = written?.text('queue');
  const priorityClass = written?.text('priorityClass');
  const minAvailable = written?.count('minAvailable');
  const minResources = written?.take('minResources');
  const scheduleTimeoutSeconds = written?.count('scheduleTimeoutSeconds');
  // Only Volcano's groups have queues, so a queue implies its scheduler.
  const scheduler = gangScheduler ?? (queue === undefined ? undefined : 'Volcano');
  if (scheduler === undefined) {
    if (written !== undefined) {
      notes.lost(path, written.value,
        'has an effect only if the operator was started with --gang-scheduler-name, which a job does not show. Migrate again with --gang-scheduler, or set scheduling.gang.');
    }
    return {};
  }
  if (gangScheduler === undefined) {
    notes.differs(`${path}.queue`, queue, 'is a queue of Volcano, so the job is a gang of Volcano here, regardless of the operator\'s flags.');
  }
  if (minResources !== undefined) {
    notes.changed(`${path}.minResources`, minResources, 'is left out: the sum of what the replicas request is computed.');
  }
  if (priorityClass !== undefined) {
    notes.differs(`${path}.priorityClass`, priorityClass, 'is also the priority of the pods here: scheduling.priorityClassName.');
  }
  const gang: GangSpec = {
    scheduler,
    ...(queue !== undefined && { queue }),
    ...(minAvailable !== undefined && { minAvailable }),
    ...(scheduleTimeoutSeconds !== undefined && { scheduleTimeoutSeconds }),
  };
  return { gang, ...(priorityClass !== undefined && { priorityClassName: priorityClass }) };
}

/** Restart policy of a role of a v1 job. @param otherwise the kind's default */
export function readRestartPolicy(replicaSpec: Fields, podPolicy: string | undefined, otherwise: RestartPolicy, notes: Notes): RestartPolicy {
  const written = replicaSpec.oneOf('restartPolicy', RESTART_POLICIES);
  if (podPolicy !== undefined) {
    notes.changed(`${replicaSpec.at('template')}.spec.restartPolicy`, podPolicy, `is left out: the replica's own (${written ?? otherwise}) overrode it.`);
  }
  return written ?? otherwise;
}

/**
 * Reports differences in restarts, once for a job.
 * @param path path of the run policy, if its absent backoffLimit means no limit
 */
export function noteRestarts(framework: FrameworkName, roles: readonly RoleDraft[], fields: JobFields, path: string | undefined, notes: Notes): void {
  const restarting = roles.filter(({ restartPolicy }) => restartPolicy !== 'Never');
  if (restarting.length === 0) {
    return;
  }
  const { title, restartScope } = frameworkContract(framework);
  if (restartScope === 'gang' && fields.elastic === undefined && totalReplicas(roles) > 1) {
    notes.differs(`${restarting[0].path}.restartPolicy`, restarting[0].restartPolicy,
      `restarts all replicas of ${title} together, because the others cannot continue; there only the failed one restarted.`);
  }
  if (path !== undefined && fields.runPolicy?.backoffLimit === undefined) {
    notes.differs(`${path}.backoffLimit`, undefined,
      `is unlimited by default there, and ${RUN_POLICY_DEFAULTS.backoffLimit} here, not counting evictions and lost nodes. Set runPolicy.backoffLimit for more.`);
  }
}
