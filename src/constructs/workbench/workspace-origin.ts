/** A training job as it stands, for a workspace that is made of it. */
import type { EnvValue } from 'cdk8s-plus-28';
import type { CredentialUse } from '../credentials/credential-use';
import type { VolumeMount } from '../training-job/pods/kplus-types';
import type { TrainingRole } from '../training-job/pods/role';
import type { TrainingJobProps } from '../training-job/training-job-props';

/** What was said to the job when it was made, and what was added since. */
export interface WorkspaceOrigin {
  readonly props: TrainingJobProps;
  readonly roles: readonly TrainingRole[];
  readonly env: { readonly [name: string]: EnvValue };
  readonly volumeMounts: readonly VolumeMount[];
  readonly credentials: readonly CredentialUse[];
}
