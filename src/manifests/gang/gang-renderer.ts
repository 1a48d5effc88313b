/** What all gang schedulers have in common: what they are told of a job, and by which means. */
import type { Amounts } from './requests';
import type { Replica } from '../../model/frameworks/contract';
import type { ResolvedTrainingJob } from '../../model/training-job/replicas/resolve';
import type { GangSpec } from '../../model/training-job/scheduling';
import type { ObjectOwnership } from '../job/job-metadata';
import type { Manifest, PodSpec } from '../kubernetes';

/** A job that is a gang. */
export interface Gang {
  readonly job: ResolvedTrainingJob;
  readonly spec: GangSpec;
  /** Replicas that have to be placed together. */
  readonly minimum: number;
  readonly timeoutSeconds: number;
  readonly ownership: ObjectOwnership;
  /** What one replica of a role requests. */
  readonly requestsOf: (role: string) => Amounts;
}

/** A replica's pod of a gang. */
export interface GangPod {
  readonly replica: Replica;
  readonly attempt: number;
}

/** What a gang scheduler wants to see on a pod. */
export interface GangPodFields {
  readonly labels?: { readonly [name: string]: string };
  readonly annotations?: { readonly [name: string]: string };
  readonly spec?: Partial<PodSpec>;
}

/** The resource behind an object that a gang scheduler wants. */
export interface GangResource {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
}

/** One gang scheduler: data and pure functions. */
export interface GangRenderer {
  /** Name in messages. */
  readonly title: string;

  /** Scheduler of the pods, unless the job names another one. @default - the cluster's */
  readonly schedulerName?: string;

  /** What has to be in the cluster for {@link objects}, as a sentence. */
  readonly needs: string;

  /** Resources of {@link objects}, in the order in which they are created. Each object has the job's name. */
  readonly resources: readonly GangResource[];

  /** Objects that have to be there before the pods; one of each resource. */
  objects(gang: Gang): Manifest[];

  /** What the pod carries. */
  pod(gang: Gang, pod: GangPod): GangPodFields;
}

/** The replicas that make up the minimum: the first in rank order, because the others wait for those. */
export function minimumReplicas({ job, minimum }: Gang): readonly Replica[] {
  return job.replicas.slice(0, minimum);
}

/** `metadata.name` of a gang's objects. */
export function gangName(job: { readonly name: string }): string {
  return job.name;
}
