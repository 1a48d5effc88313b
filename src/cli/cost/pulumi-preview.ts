/** Resources in the JSON of `pulumi preview --json` or `pulumi stack export`. */
import { fieldsAt, listAt, textAt } from './fields';
import { pulumiPool } from './pool-objects';
import type { ManifestObject } from '../../model/objects/manifest-object';
import type { Pool } from '../../model/cost/pools';
import { isRecord, type JsonRecord } from '../../model/json-parts';

export interface StackResource {
  /** Such as `gcp:container/nodePool:NodePool`. */
  readonly type: string;
  readonly name: string;
  readonly stack: string;
  readonly inputs: JsonRecord;
}

/** The placeholder in the inputs of a preview for a value that is unknown before the update. */
const UNKNOWN = '04da6b54-80e4-46f7-96ec-b56ff0331ba9';

const NODE_POOL = 'gcp:container/nodePool:NodePool';

/** Steps that remove a resource. */
const GONE: readonly string[] = ['delete', 'delete-replaced', 'discard', 'discard-replaced', 'remove-pending-replace'];

/** The resources; undefined when the text is neither a preview nor an export. */
export function stackResources(text: string): StackResource[] | undefined {
  if (!/^\s*\{/.test(text)) {
    return undefined;
  }
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return undefined;
  }
  const exported = fieldsAt(parsed, 'deployment').resources;
  const states = Array.isArray(exported) ? exported.filter(isRecord) : isPreview(parsed)
    ? listAt(parsed, 'steps').filter(({ op }) => !GONE.includes(String(op))).map((step) => fieldsAt(step, 'newState'))
    : undefined;
  // A resource that is replaced has two steps.
  const byUrn = new Map(states?.map((state) => [textAt(state, 'urn') ?? '', state]));
  return states && [...byUrn].flatMap(([urn, state]) => resource(urn, state));
}

function isPreview(value: unknown): boolean {
  return isRecord(value) && Array.isArray(value.steps) && value.steps.every((step) => isRecord(step) && typeof step.op === 'string');
}

/** `urn:pulumi:STACK::PROJECT::PARENTS$TYPE::NAME`. */
function resource(urn: string, state: JsonRecord): StackResource[] {
  const [prefix = '', , types = '', name = ''] = urn.split('::');
  const type = textAt(state, 'type') ?? types.split('$').pop()!;
  return type === '' ? [] : [{ type, name, stack: prefix.replace('urn:pulumi:', ''), inputs: known(fieldsAt(state, 'inputs')) as JsonRecord }];
}

/** Inputs without unknown values. */
function known(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.filter((item) => item !== UNKNOWN).map(known);
  }
  if (!isRecord(value)) {
    return value;
  }
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== UNKNOWN).map(([name, field]) => [name, known(field)]));
}

export function stackPools(resources: readonly StackResource[]): Pool[] {
  return resources.filter(({ type }) => type === NODE_POOL).map(({ name, stack, inputs }) => pulumiPool(name, stack, inputs));
}

/** Objects that the stack applies to its cluster. */
export function stackObjects(resources: readonly StackResource[]): ManifestObject[] {
  return resources.filter(({ type, inputs }) => type.startsWith('kubernetes:') && typeof inputs.kind === 'string' && typeof inputs.apiVersion === 'string')
    .map(({ inputs }) => inputs as ManifestObject);
}
