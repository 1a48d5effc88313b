/**
 * A feature of a job: accelerators, capacity, a store, a run, code, an autoscaler. A feature is a file here and an entry of the list in `index.ts`;
 * the job refers to none of them by name.
 */
import type { EnvValue } from 'cdk8s-plus-28';
import type { Construct, IConstruct } from 'constructs';
import type { CredentialUse } from '../../credentials/credential-use';
import type { IComputeClass } from '../capacity';
import type { Engine } from '../engines/engine';
import type { VolumeMount } from '../pods/kplus-types';
import type { TrainingRole } from '../pods/role';
import type { TrainingJobProps } from '../training-job-props';
import type { EngineJob } from '../../../manifests/engines/engine';
import type { Finding } from '../../../model/findings';
import type { TrainingJobSpec } from '../../../model/training-job/spec';
import type { Violation } from '../../../model/violations';

/** The job, as its parts see it. Call the functions late: a job may change until synth. */
export interface JobContext {
  /** Scope of what a part creates. */
  readonly construct: Construct;
  readonly props: TrainingJobProps;
  readonly engine: Engine;
  /** Available once the job has its object, like `namespace`. */
  name(): string;
  namespace(): string | undefined;
  roles(): readonly TrainingRole[];
  /** The object that the job becomes. */
  object(): { readonly apiVersion: string; readonly kind: string; readonly hasScale?: boolean };
}

/** See the top of this file. A feature leaves out the members that it does not need. */
export interface JobPart {
  /** Labels of the job's object. `values` gets the spec before the part is applied. */
  readonly labels?: { readonly names: readonly string[]; values(spec: TrainingJobSpec): { readonly [label: string]: string } };
  /** Credentials for the `training` container of all roles. */
  readonly credentials?: CredentialUse;
  /** Called when the job has its object. Returns the constructs to apply before the job. */
  bind?(): readonly IConstruct[];
  /** The spec with the feature. Parts apply in the order of the list. */
  apply?(spec: TrainingJobSpec): TrainingJobSpec;
  /** Violations of the feature, given the spec with the parts before it. If there are any, later parts and the rules of the job are skipped. */
  problems?(spec: TrainingJobSpec): readonly Violation[];
  /** Findings about the feature in a job that satisfies all rules. Warnings are shown by the checks of the program. */
  findings?(job: EngineJob): readonly Finding[];
  /** Registers the job with the owner of the feature, such as a store. */
  join?(findings: () => readonly Finding[]): void;
  /** Properties with which another job, such as a workspace, shares what this feature created. */
  shared?(): Partial<TrainingJobProps>;
  /** ComputeClass of the job's nodes. */
  computeClass?(): IComputeClass;
}

/** What another construct, such as a workspace, needs to build a similar job. */
export interface JobOrigin {
  readonly props: TrainingJobProps;
  readonly roles: readonly TrainingRole[];
  readonly env: { readonly [name: string]: EnvValue };
  readonly volumeMounts: readonly VolumeMount[];
  readonly credentials: readonly CredentialUse[];
}
