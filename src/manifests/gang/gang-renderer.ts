/**
 * The common part of all gang schedulers: the data of a gang, and the sum of its pods' requests, for schedulers that reserve room for a gang before
 * its pods exist.
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
  /** Number of replicas that must be placed together. */
  readonly minimum: number;
  readonly timeoutSeconds: number;
  readonly ownership: ObjectOwnership;
  /** Requests of one replica of a role. */
  readonly requestsOf: (role: string) => Amounts;
}

export interface GangPod {
  readonly replica: Replica;
  readonly attempt: number;
}

/** Fields of a pod for its gang scheduler. */
export interface GangPodFields {
  readonly labels?: { readonly [name: string]: string };
  readonly annotations?: { readonly [name: string]: string };
  readonly spec?: Partial<PodSpec>;
}

/** The API resource of an object for a gang scheduler. */
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
  /** What the cluster must have for {@link objects}, as a sentence. */
  readonly needs: string;
  /** Resources of {@link objects}, in the order in which they are created. Each object has the job's name. */
  readonly resources: readonly GangResource[];
  /** Objects that must exist before the pods; one of each resource. */
  objects(gang: Gang): Manifest[];
  /** Fields of the pod. */
  pod(gang: Gang, pod: GangPod): GangPodFields;
}

/** Number of replicas by role. */
export function countByRole(replicas: readonly Replica[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  replicas.forEach(({ role }) => counts.set(role, (counts.get(role) ?? 0) + 1));
  return counts;
}

/** The replicas of the minimum: the first ones in rank order, because the others wait for them. */
export function minimumReplicas({ job, minimum }: Gang): readonly Replica[] {
  return job.replicas.slice(0, minimum);
}

/** `metadata.name` of a gang's objects. */
export function gangName(job: { readonly name: string }): string {
  return job.name;
}

/** A PodGroup for Volcano or the Coscheduling plugin. @param more further fields of the scheduler */
export function constructPodGroup(gang: Gang, apiVersion: string, more: object): Manifest {
  const requests = sumOf(minimumReplicas(gang).map(({ role }) => gang.requestsOf(role)));
  return {
    apiVersion,
    kind: 'PodGroup',
    metadata: jobObjectMeta(gang.job.name, gangName(gang.job), gang.ownership),
    spec: { minMember: gang.minimum, ...(Object.keys(requests).length > 0 && { minResources: toQuantities(requests) }), ...more },
  } as Manifest;
}

/** Amounts by resource, in cores, bytes or pieces. */
export type Amounts = { readonly [resource: string]: number };

/** Requests of a pod: the sum of its containers and sidecars, or those of its largest init container if that is more. */
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
 * Amounts as canonical quantities, which a scheduler that writes a group back does not change. Sorted by resource, so the same job has the same
 * bytes.
 */
export function toQuantities(amounts: Amounts): { [resource: string]: string } {
  return Object.fromEntries(Object.keys(amounts).sort().map((resource) => [resource, toQuantity(amounts[resource])]));
}

function toQuantity(amount: number): string {
  // Rounded first: 0.1 + 0.2 cores are exactly 300m.
  const thousandths = Math.round(amount * 1000);
  return canonicalQuantity(thousandths % 1000 === 0 ? String(thousandths / 1000) : `${thousandths}m`);
}

/** Requests of a container, which default to its limits, as in the API server. */
function containerRequests({ resources }: Container): Amounts {
  const quantities = Object.entries({ ...resources?.limits, ...resources?.requests });
  return Object.fromEntries(quantities.map(([resource, text]) => [resource, tryParseQuantity(String(text)) ?? 0]));
}

function largest(one: Amounts, other: Amounts): Amounts {
  const resources = new Set([...Object.keys(one), ...Object.keys(other)]);
  return Object.fromEntries([...resources].map((resource) => [resource, Math.max(one[resource] ?? 0, other[resource] ?? 0)]));
}
