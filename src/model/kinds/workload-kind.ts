/**
 * What is known of a kind of workload, our own or another system's: one file for each kind, or for kinds of one system that are alike. Policies,
 * teams, Argo CD, `graph`, `explain`, `migrate` and the security checks read it, so that none of them has a list of kinds.
 */
import type { PolicyPods } from './pod-sets';
import type { JsonRecord } from '../json-parts';

/** A field, by the names that lead to it. */
export type FieldNames = readonly string[];

/** See the top of this file. */
export interface WorkloadKind {
  readonly group: string;
  readonly kind: string;
  readonly plural: string;
  /** Versions that are served, the preferred one first. */
  readonly versions: readonly string[];
  /** Short names, as kubectl takes them. */
  readonly shortNames?: readonly string[];
  /** No supported release of its system has it: where it is met it is known, and nothing is offered for it. @default false */
  readonly isRetired?: boolean;
  /** Whether it has a namespace. @default true */
  readonly isNamespaced?: boolean;

  /** Whether its pods end when their work is done. @default false: they serve until somebody ends them */
  readonly hasEndingPods?: boolean;
  /** Whether the object itself runs once, and cannot be changed once it has run. @default false */
  readonly isJob?: boolean;
  /** Field that suspends a job. @default - none does */
  readonly suspend?: FieldNames;
  /** Field of the seconds after which a finished job deletes itself. @default - it does not */
  readonly ttl?: FieldNames;
  /** What `spec.managedBy` says of its own controller. @default - it has no such field */
  readonly controller?: string;

  /** Labels that its controller puts on all of its pods, with the object's name as value. @default - no label has the name */
  readonly podLabels?: readonly string[];
  /** Label selectors that find its pods, of which each finds some. @default - by the first of `podLabels` */
  readonly podSelectors?: (object: JsonRecord) => readonly string[];

  /** What policies look at. @default - its pods are looked at when they come */
  readonly policy?: PolicyPods;
  /** Why `migrate` reads no job from it, and what to do. @default - it does, or says that it does not know the kind */
  readonly notMigrated?: string;
}
