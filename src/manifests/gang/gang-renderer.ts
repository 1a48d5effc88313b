/**
 * What all gang schedulers have in common: what they are told of a job, and by which means.
 *
 * What a pod asks a scheduler for, in sum. Schedulers that reserve room for a gang before its pods exist have to be told.
 * @see https://kubernetes.io/docs/concepts/workloads/pods/init-containers/#resource-sharing-within-containers
 */
import { jobObjectMeta, type ObjectOwnership } from '../job/job-metadata';
import type { Container, Manifest, PodSpec } from '../kubernetes';
import type { Replica } from '../../model/frameworks/contract';
import { canonicalQuantity, tryParseQuantity } from '../../model/quantities';
import type { ResolvedTrainingJob } from '../../model/training-job/replicas/resolve';
import type { GangSpec } from '../../model/training-job/scheduling';

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

/** A group of the kind that Volcano and the Coscheduling plugin share. @param more fields of the scheduler's own */
export function constructPodGroup(gang: Gang, apiVersion: string, more: object): Manifest {
  const requests = sumOf(minimumReplicas(gang).map(({ role }) => gang.requestsOf(role)));
  return {
    apiVersion,
    kind: 'PodGroup',
    metadata: jobObjectMeta(gang.job.name, gangName(gang.job), gang.ownership),
    spec: { minMember: gang.minimum, ...(Object.keys(requests).length > 0 && { minResources: toQuantities(requests) }), ...more },
  } as Manifest;
}

/** Amounts by resource, in cores, bytes and pieces. */
export type Amounts = { readonly [resource: string]: number };

/** What a pod requests: the sum of its containers and sidecars, or its greediest init step if that is more. */
export function podRequests(spec: PodSpec): Amounts {
  const steps = spec.initContainers ?? [];
  const sidecars = steps.filter((container) => container.restartPolicy === 'Always');
  const running = sumOf([...spec.containers, ...sidecars].map(containerRequests));
  return steps.filter((container) => !sidecars.includes(container)).map(containerRequests).reduce<Amounts>(largest, running);
}

export function sumOf(all: readonly Amounts[]): Amounts {
  const sum: { [resource: string]: number } = {};
  for (const amounts of all) {
    for (const [resource, amount] of Object.entries(amounts)) {
      sum[resource] = (sum[resource] ?? 0) + amount;
    }
  }
  return sum;
}

/**
 * Amounts as canonical quantities, which a scheduler that writes a group back leaves as they are. Sorted by resource, so that the same job gives the
 * same bytes.
 */
export function toQuantities(amounts: Amounts): { [resource: string]: string } {
  return Object.fromEntries(Object.keys(amounts).sort().map((resource) => [resource, toQuantity(amounts[resource])]));
}

function toQuantity(amount: number): string {
  // Rounded first: 0.1 + 0.2 cores are 300m and not a hair more.
  const thousandths = Math.round(amount * 1000);
  return canonicalQuantity(thousandths % 1000 === 0 ? String(thousandths / 1000) : `${thousandths}m`);
}

/** Requests, and where a container has only limits, those: the API server fills them in the same way. */
function containerRequests({ resources }: Container): Amounts {
  const quantities = Object.entries({ ...resources?.limits, ...resources?.requests });
  return Object.fromEntries(quantities.map(([resource, text]) => [resource, tryParseQuantity(String(text)) ?? 0]));
}

function largest(one: Amounts, other: Amounts): Amounts {
  const resources = new Set([...Object.keys(one), ...Object.keys(other)]);
  return Object.fromEntries([...resources].map((resource) => [resource, Math.max(one[resource] ?? 0, other[resource] ?? 0)]));
}
