/** Compute of the training container: the part that a job's `resources` express, and the rest. */
import { type JsonObject, MigrationError } from './fields';
import type { Notes } from './notes';
import { TPU_RESOURCE } from '../pod/resources';
import { nonEmptyObject } from '../plain-object';
import { defined, entryOf } from '../../model/lists';
import { tryParseQuantity } from '../../model/quantities';
import { DEFAULT_GPU_RESOURCE } from '../../model/training-job/replicas/resolve';
import type { ResourcesSpec } from '../../model/training-job/spec';
import { isRecord } from '../../model/json-parts';

/** The two parts of a container's resources. */
export interface ReadCompute {
  /** The job's `resources`; undefined if they are empty. */
  readonly resources?: ResourcesSpec;
  /** The part that remains in the pod template: requests that differ from limits, huge pages, claims. */
  readonly rest?: JsonObject;
}

const SHARED = { 'cpu': 'cpu', 'memory': 'memory', 'ephemeral-storage': 'ephemeralStorage' } as const;

/** Devices for the field `gpu`. It takes the first one; others are extended resources. */
const GPU = /^(nvidia\.com\/(gpu|mig-.+)|amd\.com\/gpu|gpu\.intel\.com\/.+)$|^[^/]+\/.*gpu/;

/** Reads `resources` of a container. */
export function readCompute(given: JsonObject | undefined, path: string, notes: Notes): ReadCompute {
  const { requests, limits, ...rest } = given ?? {};
  const wanted = { requests: amounts(requests, `${path}.requests`), limits: amounts(limits, `${path}.limits`) };
  const names = [...new Set([...Object.keys(wanted.limits), ...Object.keys(wanted.requests)])];
  const resources: { -readonly [K in keyof ResourcesSpec]: ResourcesSpec[K] } = {};
  const extended: { [name: string]: string } = {};
  const kept = { requests: {} as { [name: string]: string }, limits: {} as { [name: string]: string } };
  for (const name of names) {
    const [request, limit] = [entryOf(wanted.requests, name), entryOf(wanted.limits, name)];
    if (Object.hasOwn(SHARED, name) && limit !== undefined && (request === undefined || isEqual(request, limit))) {
      resources[SHARED[name as keyof typeof SHARED]] = limit;
    } else if (isDevice(name)) {
      addDevice(name, (limit ?? request)!, resources, extended);
    } else {
      Object.assign(kept.requests, request !== undefined && { [name]: request });
      Object.assign(kept.limits, limit !== undefined && { [name]: limit });
    }
  }
  if (Object.keys(extended).length > 0) {
    resources.extended = extended;
  }
  const written = defined({ requests: nonEmptyObject(kept.requests), limits: nonEmptyObject(kept.limits) });
  if (nonEmptyObject(written) !== undefined) {
    notes.changed(path, written,
      `${Object.keys({ ...kept.requests, ...kept.limits }).join(' and ')}: kept in the pod template as written; the field resources sets request and limit to the same.`);
  }
  return defined({ resources: nonEmptyObject(resources), rest: nonEmptyObject({ ...written, ...rest }) });
}

function addDevice(
  name: string, count: string, resources: { -readonly [K in keyof ResourcesSpec]: ResourcesSpec[K] }, extended: { [name: string]: string },
): void {
  const whole = tryParseQuantity(count);
  if (name === TPU_RESOURCE && Number.isInteger(whole)) {
    resources.tpu = whole;
  } else if (GPU.test(name) && resources.gpu === undefined && Number.isInteger(whole)) {
    resources.gpu = whole;
    if (name !== DEFAULT_GPU_RESOURCE) {
      resources.gpuResourceName = name;
    }
  } else {
    extended[name] = count;
  }
}

/** Whether it is an extended resource, whose name has a domain; Kubernetes' own are `cpu`, `hugepages-2Mi` and so on. */
function isDevice(name: string): boolean {
  return name.includes('/') && !/^([^/]*\.)?kubernetes\.io\//.test(name);
}

function isEqual(one: string, other: string): boolean {
  return one === other || (tryParseQuantity(one) !== undefined && tryParseQuantity(one) === tryParseQuantity(other));
}

/** Quantities as text: `4` in YAML is a number. */
function amounts(value: unknown, path: string): { [name: string]: string } {
  if (value === undefined || value === null) {
    return {};
  }
  if (!isRecord(value)) {
    throw new MigrationError(path, value, 'must be a map of resources to quantities.');
  }
  return Object.fromEntries(Object.entries(value).filter(([, amount]) => amount !== null).map(([name, amount]) => {
    if (typeof amount !== 'string' && typeof amount !== 'number') {
      throw new MigrationError(`${path}.${name}`, amount, 'must be a quantity such as "4" or "16Gi".');
    }
    return [name, String(amount)];
  }));
}
