/**
 * A feature of a job (accelerators, capacity, a store, a run, code, an autoscaler), as the job sees it. A feature is a file here and an entry of the
 * list in `index.ts`; the job knows none of them by name.
 */
import type { Construct, IConstruct } from 'constructs';
import type { CredentialUse } from '../../credentials/credential-use';
import type { GpuComputeClass } from '../../gke/node-pools/gpu-compute-class';
import type { Engine } from '../engines/engine';
import type { TrainingRole } from '../pods/role';
import type { TrainingJobProps } from '../training-job-props';
import type { EngineJob } from '../../../manifests/engines/engine';
import type { Finding } from '../../../model/findings';
import type { TrainingJobSpec } from '../../../model/training-job/spec';
import type { Violation } from '../../../model/violations';

/** The job, as its parts see it. Functions are asked when they are needed: a job may change until synth. */
export interface JobContext {
  /** Scope of what a part creates. */
  readonly construct: Construct;
  readonly props: TrainingJobProps;
  readonly engine: Engine;
  /** Known once the job has its object, as is `namespace`. */
  name(): string;
  namespace(): string | undefined;
  roles(): readonly TrainingRole[];
  /** What the job becomes. */
  object(): { readonly apiVersion: string; readonly kind: string; readonly hasScale?: boolean };
}

/** See the top of this file. Each member is left out where a feature has nothing to say. */
export interface JobPart {
  /** Labels of the job's object. `values` gets the spec as it is before the part has applied. */
  readonly labels?: { readonly names: readonly string[]; values(spec: TrainingJobSpec): { readonly [label: string]: string } };

  /** What the `training` container of all roles gets too. */
  readonly credentials?: CredentialUse;

  /** The job has its object now. Returns what is applied before it. */
  bind?(): readonly IConstruct[];

  /** The spec with the feature. Parts apply in the order of the list. */
  apply?(spec: TrainingJobSpec): TrainingJobSpec;

  /** What is wrong with the feature, given the spec as the parts before it left it. Later parts are not asked then, nor are the rules of the job. */
  problems?(spec: TrainingJobSpec): readonly Violation[];

  /** What is wrong with the feature in a job that keeps all rules; with warnings, which are for the checks of the program. */
  findings?(job: EngineJob): readonly Finding[];

  /** Tells whom the feature belongs to of the job. */
  join?(findings: () => readonly Finding[]): void;

  /** Properties of another job that shares what this one's feature made, such as a workspace. */
  shared?(): Partial<TrainingJobProps>;

  /** ComputeClass of the job's nodes. */
  computeClass?(): GpuComputeClass;
}
