/** What the pods of most systems are given, in the model's terms. A system that has less or more says so in a type of its own. */
import type { JsonRecord } from './json-parts';
import type { EnvVarSpec, ResourcesSpec } from './training-job/spec';

type Texts = { readonly [name: string]: string };

export interface PodSettings {
  readonly image?: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly env?: readonly EnvVarSpec[];
  readonly envFrom?: readonly JsonRecord[];
  readonly resources?: ResourcesSpec;
  readonly volumes?: readonly JsonRecord[];
  readonly volumeMounts?: readonly JsonRecord[];
  readonly serviceAccountName?: string;
  readonly imagePullSecrets?: readonly string[];
  readonly nodeSelector?: Texts;
  readonly tolerations?: readonly JsonRecord[];
  readonly priorityClassName?: string;
  readonly schedulerName?: string;
  readonly labels?: Texts;
  readonly annotations?: Texts;
  /** Further fields of the pod, as Kubernetes spells them. */
  readonly podSpec?: JsonRecord;
}
