/**
 * What is known of a kind of workload, our own or another system's: one file for each kind, or for kinds of one system that are alike. Policies,
 * teams, Argo CD, Kueue, `cost`, `graph`, `explain`, `migrate` and the security checks read it, so that none of them has a list of kinds.
 */
import type { JobPods, PolicyPods } from './pod-sets';
import type { Standing } from './standing';
import type { JsonRecord } from '../json-parts';

/** A field, by the names that lead to it. */
export type FieldNames = readonly string[];

/**
 * What Argo CD learns about a kind, in addition to the field that suspends it, which others write. Conditions are Lua: `status` is the object's, and
 * `is(TYPE, STATUS)` asks for a condition of it (`programs/argo-cd/shared.lua`).
 */
export interface ArgoCdFacts {
  /** Program of its health. */
  readonly health: string;
  /** True of an object that has ended. @default - none does */
  readonly finished?: string;
  /** True of an object that has failed, which can be tried again as a new one. @default - none is */
  readonly failed?: string;
  /** True of an object that its controller refuses to suspend. @default - it refuses none */
  readonly unsuspendable?: string;
  /** Fields of the spec that a new try does not take over, in addition to the one that suspends it. @default - it takes all */
  readonly forgotten?: readonly FieldNames[];
  /** Fields that controllers write, in addition to the one that suspends it, as paths of jq. @default - none */
  readonly written?: readonly string[];
}

export interface ScaledRole {
  /** @default - the object has one number for all of its pods */
  readonly role?: string;
  /** Where it is below `spec`. */
  readonly field: readonly (string | number)[];
  readonly replicas?: number;
}

/** Readers of `cost`, of which `cli/cost/workloads.ts` has one each: for kinds whose objects do not contain their pods. */
export type CostReader = 'MLTrainingJob' | 'TrainJob' | 'Experiment' | 'Spark' | 'InferenceService' | 'LLMInferenceService';

/** Readers of `migrate`, of which `manifests/migrate/readers.ts` has one each. */
export type MigrationReader = 'MLTrainingJob' | 'TrainJob' | 'PyTorchJob' | 'TFJob' | 'MPIJob' | 'XGBoostJob' | 'PaddleJob' | 'JAXJob' | 'MXJob' | 'JobSet'
  | 'VolcanoJob' | 'RayJob' | 'Job';

export interface WorkloadKind {
  readonly group: string;
  readonly kind: string;
  readonly plural: string;
  /** Versions that are served, the preferred one first. */
  readonly versions: readonly string[];
  /** Versions that earlier releases served, and that `migrate` reads as it reads the others. @default - none */
  readonly pastVersions?: readonly string[];
  /** Short names, as kubectl takes them. */
  readonly shortNames?: readonly string[];
  /** No supported release of its system has it: where it is met it is known, and nothing is offered for it. @default false */
  readonly isRetired?: boolean;
  /** Whether it has a namespace. @default true */
  readonly isNamespaced?: boolean;
  /** Whether its pods end when their work is done. @default false: they serve until they are deleted */
  readonly hasEndingPods?: boolean;
  /** Whether the object itself runs once, and cannot be changed once it has run. @default false */
  readonly isJob?: boolean;
  /** Whether it runs nothing by itself: other objects are created from it. @default false */
  readonly isTemplate?: boolean;
  /** The kind of which it makes an object each time that `spec.schedule` says, and where the spec of that stands. @default - it makes none */
  readonly scheduled?: { readonly of: WorkloadKind; readonly spec: FieldNames };
  /** Field that suspends it; an annotation is a text. @default - none does */
  readonly suspend?: FieldNames;
  /** Field of the seconds after which a finished job deletes itself. @default - it does not */
  readonly ttl?: FieldNames;
  /** What `spec.managedBy` says of its own controller. @default - it has no such field */
  readonly controller?: string;
  /** Labels that its controller puts on all of its pods, with the object's name as value. @default - no label has the name */
  readonly podLabels?: readonly string[];
  /** Label of log streams that has its name. @default - its logs are found by other labels, or not collected */
  readonly logStream?: string;
  /** Label of its pods from which that is taken. @default - the first of `podLabels` */
  readonly logLabel?: string;
  /** Label selectors that find its pods, of which each finds some. @default - by the first of `podLabels` */
  readonly podSelectors?: (object: JsonRecord) => readonly string[];
  /** Kinds of objects between it and its pods, each owned by the one before or by itself: they say why pods cannot be made. @default - none */
  readonly between?: readonly KindIdentity[];
  /** Label of its pods that says which role or group of pods they are of. @default - its pods are alike */
  readonly roleLabel?: string;
  /** Label of its pods that counts those of a role. @default - they are distinguished by their names */
  readonly indexLabel?: string;
  /** How it stands, as its status says. @default - by its conditions */
  readonly standing?: (object: JsonRecord) => Standing;
  /** Number of pods of each role that can be changed while it runs, and where it is. @default - none can */
  readonly scales?: (spec: JsonRecord) => readonly ScaledRole[];
  /** Whether its controller adds volumes and containers to the pods in it. @default false */
  readonly fillsPods?: boolean;
  /** Its pods, and how many there are. @default - the object does not say */
  readonly pods?: (spec: JsonRecord) => JobPods;
  /** What policies look at in `pods`. @default - its pods are looked at when they come */
  readonly policy?: PolicyPods;
  /** Whether Kueue has an integration for it, as `GROUP/KIND` in lower case. @default false */
  readonly isQueued?: boolean;
  /** Feature gate of Kueue without which Kueue does not start with that integration. @default - none */
  readonly kueueFeatureGate?: string;
  /** @default - Argo CD knows its health, and offers nothing more */
  readonly argoCd?: ArgoCdFacts;
  /** What reads it for `cost`. @default - `pods` says all */
  readonly cost?: CostReader;
  /** What reads it for `migrate`. @default - nothing does */
  readonly migrated?: MigrationReader;
  /** Why `migrate` reads no job from it, and what to do. @default - it says that it does not know the kind */
  readonly notMigrated?: string;
}

/** What identifies new objects of a kind. */
export interface KindIdentity {
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural: string;
}

/** @see KindIdentity */
export function identityOf({ group, versions, kind, plural }: WorkloadKind): KindIdentity {
  return { apiVersion: `${group}/${versions[0]}`, kind, plural };
}
