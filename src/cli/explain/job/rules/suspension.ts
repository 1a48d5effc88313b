/** Whether the job is switched off, and by whom. */
import type { DiagnosisRule } from './rule';
import { resourceOf, trainingSpec, trainingStatus, trueCondition } from '../facts';
import type { JobSnapshot } from '../snapshot';

/** The job is switched off. */
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

function resumePatch({ spec }: JobSnapshot['job']): object {
  return spec?.suspend === undefined ? { spec: { runPolicy: { suspend: false } } } : { spec: { suspend: false } };
}

/** Who wrote `spec.suspend` last. */
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
  const below = (fields as { readonly [field: string]: unknown } | undefined)?.[step];
  return below !== undefined && owns(below, rest);
}
