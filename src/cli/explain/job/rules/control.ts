/** Control of the job: no controller acts on it, another one does, or the job is suspended or being deleted. */
import type { Cause, DiagnosisRule } from '../diagnosis';
import { ageOf, describe, isTrainingJob, resourceOf, trainingSpec, trainingStatus, trueCondition } from '../facts';
import { hasFreshLease, podTrouble, readiness, watchedNamespaces, watches } from '../operator';
import type { JobSnapshot } from '../snapshot';
import { count, listed } from '../../../text';
import { record, textIn, type JsonRecord } from '../../../../model/json-parts';
import { explainedKindOf, workloadKindOf } from '../../../../model/kinds/registry';
import { duration } from '../../../../model/text/times';
import { MULTI_KUEUE_CONTROLLER } from '../../../../model/kueue-names';

/** How long a job may have no status; milliseconds. */
const UNSEEN_MS = 20_000;

/** The job is being deleted. */
export const deletion: DiagnosisRule = ({ job, now }) => {
  const { deletionTimestamp, finalizers = [] } = job.metadata ?? {};
  return deletionTimestamp === undefined ? [] : [{
    id: 'Deleting',
    what: `The job has been terminating for ${duration(now - Date.parse(deletionTimestamp))}.`,
    evidence: finalizers.length > 0 ? [`Held by ${count(finalizers.length, 'finalizer')}: ${listed(finalizers)}`] : [],
    fix: finalizers.length > 0
      ? 'Wait for the controllers behind these finalizers. If one no longer exists, remove its finalizer from metadata.finalizers.'
      : 'Wait until it is deleted, then create it again.',
  }];
};

/** The job is assigned to another controller. */
export const managedByOther: DiagnosisRule = (snapshot) => {
  const { job } = snapshot;
  const managedBy = textIn(job.spec?.managedBy ?? record(job.spec?.runPolicy).managedBy);
  const own = workloadKindOf(job)?.controller;
  if (managedBy === undefined || own === undefined || managedBy === own) {
    return [];
  }
  const isMultiKueue = managedBy === MULTI_KUEUE_CONTROLLER;
  return [{
    id: 'ManagedByOther',
    what: `The job is assigned to another controller: managedBy is ${managedBy}.`,
    evidence: [`${describe(job)} is managed by ${own} only if managedBy has that value or is absent.`],
    fix: isMultiKueue && isTrainingJob(snapshot)
      ? 'MultiKueue cannot run MLTrainingJobs. Delete the job and create it without managedBy, or use another engine, such as Engine.jobSet().'
      : isMultiKueue
        ? 'MultiKueue runs it in another cluster: find the cluster\'s name in the Workload here, and explain the job there.'
        : 'Install that controller, or delete the job and create it without managedBy: the field cannot change.',
  }];
};

/** No controller has processed the job, or its last change. */
export const unseen: DiagnosisRule = (snapshot) => {
  const { job } = snapshot;
  const { observedGeneration, conditions } = (job.status ?? {}) as { readonly observedGeneration?: number; readonly conditions?: readonly unknown[] };
  const isUnseen = job.status === undefined || (Object.keys(job.status).length === 0) || (isTrainingJob(snapshot) && conditions === undefined);
  const isBehind = observedGeneration !== undefined && job.metadata?.generation !== undefined && observedGeneration < job.metadata.generation;
  // A suspended job of another kind that is in a queue waits for Kueue, and not for its own controller.
  // A schedule has no status before it is due.
  const isSchedule = explainedKindOf(job)?.scheduled !== undefined;
  if (!isTrainingJob(snapshot) && (snapshot.pods.length > 0 || isSchedule || (snapshot.queue !== undefined && job.spec?.suspend === true))) {
    return [];
  }
  if (!(isUnseen || isBehind) || ageOf(snapshot, job) < UNSEEN_MS || managedByOther(snapshot).length > 0) {
    return [];
  }
  const since = isUnseen ? `It was created ${duration(ageOf(snapshot, job))} ago and has no status.`
    : `Its spec is at generation ${job.metadata?.generation}, but its status is at ${observedGeneration}.`;
  if (!isTrainingJob(snapshot)) {
    return [{
      id: 'NoController',
      what: `No controller acts on ${job.kind}s.`,
      evidence: [since],
      fix: `Install the controller of ${job.kind} (${job.apiVersion}), or check the pods of the installed one: kubectl get pods -A.`,
    }];
  }
  return [operatorCause(snapshot, since)];
};

function operatorCause(snapshot: JobSnapshot, since: string): Cause {
  const { operator, job } = snapshot;
  const namespace = job.metadata?.namespace ?? '';
  if (operator === undefined) {
    return {
      id: 'OperatorUnknown',
      what: 'The Trainyard operator has not acted on the job.',
      evidence: [since, 'You do not have permission to check whether it is running.'],
      fix: 'Ask an administrator whether the operator is running and watches this namespace.',
    };
  }
  const watchers = operator.deployments.filter((deployment) => watches(deployment, namespace));
  const running = operator.pods.filter((pod) => (pod.status?.containerStatuses ?? []).some(({ ready }) => ready));
  if (operator.deployments.length === 0 && running.length === 0 && !hasFreshLease(operator, snapshot.now)) {
    return {
      id: 'NoOperator',
      what: 'No Trainyard operator is running in this cluster.',
      evidence: [since, 'There is no Deployment, no pod and no current Lease of it in any namespace.'],
      fix: 'Apply the TrainingOperator construct (docs/operator/README.md), or run the job on another engine.',
    };
  }
  if (operator.deployments.length > 0 && watchers.length === 0) {
    return {
      id: 'NamespaceNotWatched',
      what: `The operator does not watch the namespace ${namespace}.`,
      evidence: [since, ...operator.deployments.map((deployment) => `${describe(deployment)} watches ${watchedNamespaces(deployment).join(', ')}`)],
      fix: `Add ${namespace} to watchNamespaces of the TrainingOperator, or create the job in a namespace that it watches.`,
    };
  }
  if (running.length === 0 && operator.deployments.length > 0) {
    return {
      id: 'OperatorDown',
      what: 'The Trainyard operator is installed but not running.',
      evidence: [since, ...operator.deployments.map(readiness), ...operator.pods.flatMap((pod) => podTrouble(pod) ?? [])],
      fix: 'Fix what its pods report, or check their logs: kubectl logs -n NAMESPACE deploy/trainyard-operator.',
    };
  }
  return {
    id: 'OperatorBehind',
    what: 'The operator is running but has not processed the job yet.',
    evidence: [since],
    fix: 'Wait a few seconds. If nothing changes, check its log for this job: kubectl logs -A -l app.kubernetes.io/name=trainyard-operator.',
  };
}

/** The job is suspended. */
export const suspension: DiagnosisRule = (snapshot) => {
  const { job } = snapshot;
  const status = trainingStatus(snapshot);
  const { idle } = status;
  if (idle?.suspended !== undefined && trueCondition(job, 'Suspended') !== undefined && job.spec?.suspend !== true) {
    return [{
      id: 'SuspendedIdle',
      what: 'The operator has suspended the job because it did not use its accelerators.',
      evidence: [`${idle.percent} % of them were in use, since ${idle.since}; spec.idle requires ${String(trainingSpec(snapshot).idle?.belowPercent ?? '')} %.`],
      fix: `Resume it once: kubectl annotate ${resourceOf(job)} ${job.metadata?.name} ml.collabnix.io/resume="$(date +%s)" --overwrite. Or change spec.idle.`,
    }];
  }
  const annotation = stopAnnotation(job);
  if (annotation !== undefined) {
    return [{
      id: 'Suspended',
      what: 'It is stopped by an annotation: it has no pods until the annotation is removed.',
      evidence: [`The annotation ${annotation} is ${job.metadata?.annotations?.[annotation]}.`],
      fix: `Start it: kubectl annotate ${resourceOf(job)} ${job.metadata?.name} -n ${job.metadata?.namespace} ${annotation}-`,
    }];
  }
  const suspended = job.spec?.suspend ?? (job.spec?.runPolicy as { readonly suspend?: boolean } | undefined)?.suspend;
  if (suspended !== true || snapshot.queue !== undefined) {
    return [];
  }
  const who = suspender(job);
  return [{
    id: 'Suspended',
    what: 'The job is suspended: it has no pods until it is resumed.',
    evidence: [who === undefined ? 'spec.suspend is true.' : `spec.suspend was set by ${who.manager}${who.time === undefined ? '' : ` at ${who.time}`}.`],
    fix: who !== undefined && /argo|flux|kustomize|helm/i.test(who.manager)
      ? `Set suspend to false where ${who.manager} reads it from; a change in the cluster would be reverted.`
      : `Resume it: kubectl patch ${resourceOf(job)} ${job.metadata?.name} -n ${job.metadata?.namespace} --type merge -p '${JSON.stringify(resumePatch(job))}'`,
  }];
};

/** The annotation that suspends the object now. */
function stopAnnotation(job: JobSnapshot['job']): string | undefined {
  const [place, , name] = explainedKindOf(job)?.suspend ?? [];
  const value = place === 'metadata' ? job.metadata?.annotations?.[name] : undefined;
  return value === undefined || value === 'false' ? undefined : name;
}

function resumePatch({ spec }: JobSnapshot['job']): object {
  return spec?.suspend === undefined ? { spec: { runPolicy: { suspend: false } } } : { spec: { suspend: false } };
}

/** The last field manager of `spec.suspend`. */
function suspender({ metadata }: JobSnapshot['job']): { readonly manager: string; readonly time?: string } | undefined {
  const entries = ((metadata as { readonly managedFields?: readonly ManagedFields[] } | undefined)?.managedFields ?? [])
    .filter(({ fieldsV1 }) => owns(fieldsV1, ['f:spec', 'f:suspend']) || owns(fieldsV1, ['f:spec', 'f:runPolicy', 'f:suspend']));
  const [entry] = [...entries].sort((one, other) => Date.parse(other.time ?? '') - Date.parse(one.time ?? ''));
  return entry?.manager === undefined ? undefined : { manager: entry.manager, time: entry.time };
}

interface ManagedFields {
  readonly manager?: string;
  readonly time?: string;
  readonly fieldsV1?: object;
}

function owns(fields: unknown, [step, ...rest]: readonly string[]): boolean {
  if (step === undefined) {
    return true;
  }
  const below = (fields as JsonRecord | undefined)?.[step];
  return below !== undefined && owns(below, rest);
}
