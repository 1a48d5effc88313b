/**
 * Pods of a workload, as they are counted: in TypeScript at synth and for their price, and in CEL in the API server, side by side for each kind. A
 * test holds the two against each other.
 */
import { record, type JsonRecord } from '../json-parts';
import type { CelVariable } from './cel';
import type { Range } from '../cost/ranges';

export interface CountedPods {
  readonly name: string;
  /** How many, as policies count them. */
  readonly count: number;
  /** How many there are at a time, where that may change or is not what policies count. @default count */
  readonly atATime?: Range;
  /** How many there are one after the other. @default - as many as at a time */
  readonly completions?: number;
  /** Seconds after which these pods are ended, where they have a deadline of their own. */
  readonly deadlineSeconds?: number;
  /** `spec` of each. */
  readonly pod: JsonRecord;
}

/**
 * Which objects of a kind that Kueue takes have to wait in a queue where a policy has some: jobs always; what may serve as well, where it asks for
 * devices.
 */
export type Queued = 'Always' | 'WithDevices';

/** What a workload consists of. */
export interface JobPods {
  /** @default - the object does not say */
  readonly sets?: readonly CountedPods[];
  /** Pods in addition to those, which cost something and which policies do not count. @default - none */
  readonly beside?: readonly CountedPods[];
  /** Deadline of kinds that have one; `null` where the object names none. */
  readonly deadlineSeconds?: number | null;
  readonly priorityClass?: string;
  /** @default - Kueue does not take the kind */
  readonly queued?: Queued;
}

/** How the API server looks at a kind. */
export interface PolicyPods {
  /** End of the admission policy's name. Kinds of one group with the same share a policy, and its CEL. */
  readonly target: string;
  /** Whether all versions of the API are looked at by one expression. @default - the kind's own versions */
  readonly everyVersion?: boolean;
  readonly cel: readonly CelVariable[];
}

/** `spec` of the pods in a template. */
export function podSpec(template: unknown): JsonRecord {
  return record(record(template).spec);
}

/** Number of pods where only the cluster limits it. */
export const UNLIMITED_PODS = 2_147_483_647;

/** A number, or what stands for a missing one. */
export function numberOf(value: unknown, otherwise: number): number {
  return typeof value === 'number' ? value : otherwise;
}

/** A number, or `null`. */
export function orNull(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}
