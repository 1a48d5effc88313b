/** Rules on the compute of a replica, beyond the types and ranges of its fields. */
import type { ResourcesSpec } from '../spec';
import { tryParseQuantity } from '../../quantities';
import { fieldPath } from '../../shapes';
import { ViolationCollector, type Violation } from '../../violations';

/** Standard resources with fields of their own; `extended` is for all others. */
const STANDARD: { readonly [name: string]: string } = {
  cpu: 'cpu',
  memory: 'memory',
  'ephemeral-storage': 'ephemeralStorage',
  'google.com/tpu': 'tpu',
};

/**
 * Checks the resources of one role.
 * @param path where they stand
 */
export function validateResources(resources: ResourcesSpec, path: string): Violation[] {
  const violations = new ViolationCollector();
  if ((resources.gpu ?? 0) > 0 && (resources.tpu ?? 0) > 0) {
    violations.add(`${path}.tpu`, resources.tpu, 'cannot be combined with gpu: no node has both. Remove one of the two.');
  }
  if (resources.gpuResourceName !== undefined && !isExtendedName(resources.gpuResourceName)) {
    violations.add(`${path}.gpuResourceName`, resources.gpuResourceName, 'must be an extended resource, such as nvidia.com/gpu or amd.com/gpu.');
  }
  const { memory, sharedMemory } = resources;
  if (memory !== undefined && sharedMemory !== undefined && isLarger(sharedMemory, memory)) {
    violations.add(`${path}.sharedMemory`, sharedMemory, `counts against memory (${memory}) and cannot be more. Raise memory or lower it.`);
  }
  if (memory !== undefined && /^[0-9.]+m$/.test(memory)) {
    violations.add(`${path}.memory`, memory, 'is in thousandths of a byte. Did you mean \'M\' or \'Mi\'?');
  }
  validateExtended(resources, path, violations);
  return violations.violations;
}

/** Whether one quantity is more than another; false where one of them is none, which is said elsewhere. */
function isLarger(one: string, other: string): boolean {
  return (tryParseQuantity(one) ?? NaN) > (tryParseQuantity(other) ?? NaN);
}

function validateExtended(resources: ResourcesSpec, path: string, violations: ViolationCollector): void {
  for (const [name, value] of Object.entries(resources.extended ?? {})) {
    const where = fieldPath(`${path}.extended`, name);
    if (Object.hasOwn(STANDARD, name)) {
      violations.add(where, value, `has a field of its own. Set ${path}.${STANDARD[name]}.`);
    } else if (!isExtendedName(name)) {
      violations.add(where, value, 'is not an extended resource: DOMAIN/NAME, such as rdma/hca.');
    } else if ((resources.gpu ?? 0) > 0 && name === (resources.gpuResourceName ?? 'nvidia.com/gpu')) {
      violations.add(where, value, `is already asked for by ${path}.gpu. Remove one of the two.`);
    } else if (!/^[0-9]+$/.test(value)) {
      violations.add(where, value, 'must be a whole number: extended resources are not shared.');
    }
  }
}

/** `DOMAIN/NAME` outside Kubernetes' own domain. */
function isExtendedName(name: string): boolean {
  return /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?\/[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/.test(name) && !/^([^/]*\.)?kubernetes\.io\//.test(name);
}
