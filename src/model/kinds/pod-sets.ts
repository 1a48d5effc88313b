/**
 * Pods of a workload as policies count them: in TypeScript at synth and in CEL in the API server, side by side for each kind. A test holds the two
 * against each other.
 */
import { record, type JsonRecord } from '../json-parts';
import type { CelVariable } from './cel';

/** Pods that are alike. */
export interface CountedPods {
  readonly count: number;
  /** `spec` of each. */
  readonly pod: JsonRecord;
}

/**
 * Which objects of a kind that Kueue takes have to wait in a queue where a policy has some: jobs always; what may serve as well, where it asks for
 * devices.
 */
export type Queued = 'Always' | 'WithDevices';

/** What a workload is made of. */
export interface JobPods {
  /** @default - the object does not say */
  readonly sets?: readonly CountedPods[];
  /** Deadline of kinds that have one; `null` where the object names none. */
  readonly deadlineSeconds?: number | null;
  /** Priority class that the job names for all of its pods. */
  readonly priorityClass?: string;
  /** @default - Kueue does not take the kind */
  readonly queued?: Queued;
}

/** What a policy looks at in a kind, in both languages. */
export interface PolicyPods {
  /** End of the admission policy's name. Kinds of one group with the same share a policy, and its CEL. */
  readonly target: string;
  /** Whether all versions of the API are looked at by one expression. @default - the kind's own versions */
  readonly everyVersion?: boolean;
  readonly pods: (spec: JsonRecord) => JobPods;
  readonly cel: readonly CelVariable[];
}

/** `spec` of the pods in a template. */
export function podSpec(template: unknown): JsonRecord {
  return record(record(template).spec);
}

/** A number, or what stands for a missing one. */
export function numberOf(value: unknown, otherwise: number): number {
  return typeof value === 'number' ? value : otherwise;
}

/** A number, or `null`. */
export function orNull(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}
