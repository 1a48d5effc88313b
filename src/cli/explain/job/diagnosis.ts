/** The result of `trainyard explain JOB`. */
import { podName } from './facts';
import type { JobSnapshot } from './snapshot';
import type { PodObject } from '../../jobs/objects';
import { listed } from '../../text';
import type { WorkloadState } from '../../../model/kinds/standing';

/** One reason why a job does not run. */
export interface Cause {
  /** Stable name, such as `Unschedulable`. */
  readonly id: string;
  /** The problem, as one sentence. */
  readonly what: string;
  /** Messages of the cluster, numbers, the last lines of a log. */
  readonly evidence: readonly string[];
  readonly fix: string;
}

export interface Diagnosis {
  /** `MLTrainingJob ml/digits`. */
  readonly job: string;
  readonly state: WorkloadState;
  /** The state, as one line. */
  readonly summary: string;
  /** The first one may cause the others. */
  readonly causes: readonly Cause[];
  /** Notes about what could not be read. */
  readonly notes: readonly string[];
}

/** A rule of the diagnosis: a pure function that finds one kind of causes in a snapshot. */
export type DiagnosisRule = (snapshot: JobSnapshot) => readonly Cause[];

/** Fixes by the text that a cluster reports. */
export type FixTable = readonly (readonly [pattern: RegExp, fix: string])[];

/** The fix of the first pattern that matches. */
export function fixFor(text: string, table: FixTable, otherwise: string): string {
  return table.find(([pattern]) => pattern.test(text))?.[1] ?? otherwise;
}

/** The names of pods as a line of evidence; none for a single pod, which the cause names. */
export function podEvidence(pods: readonly PodObject[]): string[] {
  return pods.length > 1 ? [`Pods: ${listed(pods.map(podName))}`] : [];
}
