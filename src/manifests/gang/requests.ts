/**
 * What a pod asks a scheduler for, in sum. Schedulers that reserve room for a gang before its pods exist have to be told.
 * @see https://kubernetes.io/docs/concepts/workloads/pods/init-containers/#resource-sharing-within-containers
 */
import { canonicalQuantity, tryParseQuantity } from '../../model/quantities';
import type { Container, PodSpec } from '../kubernetes';

/** Amounts by resource, in cores, bytes and pieces. */
export type Amounts = { readonly [resource: string]: number };

/** What a pod requests: the sum of its containers and sidecars, or its greediest init step if that is more. */
export function podRequests(spec: PodSpec): Amounts {
  const steps = spec.initContainers ?? [];
  const sidecars = steps.filter((container) => container.restartPolicy === 'Always');
  const running = sumOf([...spec.containers, ...sidecars].map(containerRequests));
  return steps.filter((container) => !sidecars.includes(container)).map(containerRequests).reduce<Amounts>(largest, running);
}

/** The sum of amounts. */
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
