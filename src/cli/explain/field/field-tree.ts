/** All fields of an MLTrainingJob, and a lookup by path or name. */
import type { JsonSchema } from '../../../model/training-job/schema/json-schema';
import { trainingJobSchema } from '../../../model/training-job/schema/training-job-schema';
import { didYouMean } from '../../../model/violations';

export interface FieldNode {
  /** Path from the object, such as `spec.roles[].image`; a key that the user chooses is `<name>`. */
  readonly path: string;
  readonly schema: JsonSchema;
  /** The field that contains it; absent for the roots. */
  readonly parent?: FieldNode;
  readonly required: boolean;
}

/** First steps of full paths. */
const ROOTS = ['spec', 'status', 'metadata', 'apiVersion', 'kind'];

/** The field of a path, several fields of a name, or a guess. */
export type FieldLookup =
  | { readonly field: FieldNode }
  | { readonly several: readonly FieldNode[] }
  /** " Did you mean ...?", or empty. */
  | { readonly hint: string };

/** Finds a field. @param written `spec.runPolicy.backoffLimit`, `runPolicy.backoffLimit`, `roles[0].image`, `roles.image` or `backoffLimit` */
export function lookupField(written: string): FieldLookup {
  const steps = written.replace(/\[[^[\]]*\]/g, '').split('.').filter((step) => step !== '');
  const wanted = ROOTS.includes(steps[0]) ? steps : ['spec', ...steps];
  const found = descend(wanted);
  if ('field' in found) {
    return found;
  }
  const all = allFields();
  const named = all.filter(({ path }) => endsWith(path, steps));
  if (named.length > 0) {
    const candidates = meant(named);
    return candidates.length === 1 ? { field: candidates[0] } : { several: candidates };
  }
  // No field has that name: suggest the nearest name at any path.
  const spec = all.filter(({ path }) => path.startsWith('spec'));
  const guess = /'(.*)'/.exec(didYouMean(steps.at(-1) ?? '', spec.map(({ path }) => nameOf(path))))?.[1];
  const near = meant(spec.filter(({ path }) => nameOf(path) === guess)).slice(0, 3).map(({ path }) => `'${path}'`);
  return { hint: near.length > 0 ? ` Did you mean ${near.join(' or ')}?` : found.hint };
}

/** Prefers fields of the spec over those of the status, and fields of the job over those of hooks. */
function meant(nodes: readonly FieldNode[]): readonly FieldNode[] {
  const inSpec = nodes.filter(({ path }) => path.startsWith('spec'));
  const ofJob = inSpec.filter(({ path }) => !path.startsWith('spec.hooks.'));
  return [ofJob, inSpec, nodes].find(({ length }) => length > 0) ?? [];
}

/** Fields directly below a field, or below an entry of a list or map. */
export function fieldsBelow(node: FieldNode): FieldNode[] {
  const inner = entryOf(node);
  return Object.entries(inner.schema.properties ?? {}).map(([name, schema]) => child(inner, name, schema));
}

/** Name of a field without its path. */
export function nameOf(path: string): string {
  return path.split('.').at(-1)!.replace('[]', '');
}

function descend(steps: readonly string[]): { readonly field: FieldNode } | { readonly hint: string } {
  const root = trainingJobSchema();
  let node: FieldNode | undefined;
  for (const step of steps) {
    const inner = node && entryOf(node);
    const schema = (inner?.schema ?? root).properties?.[step];
    if (schema !== undefined) {
      node = inner === undefined ? { path: step, schema, required: root.required?.includes(step) ?? false } : child(inner, step, schema);
    } else if (node?.schema.additionalProperties !== undefined) {
      // A key that the user chooses.
      node = { path: `${node.path}.<name>`, schema: node.schema.additionalProperties, parent: node, required: false };
    } else if (inner?.schema['x-kubernetes-preserve-unknown-fields']) {
      return { hint: ` ${inner.path} is passed on unchanged: see the Kubernetes documentation of that field.` };
    } else {
      return { hint: didYouMean(step, Object.keys(inner?.schema.properties ?? {})) };
    }
  }
  return node === undefined ? { hint: '' } : { field: node };
}

/** The entry of a list of objects, or the value of a map of objects; other fields unchanged. */
function entryOf(node: FieldNode): FieldNode {
  const { schema } = node;
  if (schema.items?.properties !== undefined) {
    return { ...node, path: `${node.path}[]`, schema: schema.items };
  }
  const value = schema.additionalProperties;
  return value?.properties !== undefined ? { ...node, path: `${node.path}.<name>`, schema: value } : node;
}

function child(parent: FieldNode, name: string, schema: JsonSchema): FieldNode {
  return { path: `${parent.path}.${name}`, schema, parent, required: parent.schema.required?.includes(name) ?? false };
}

let fields: readonly FieldNode[] | undefined;

/** Every field of spec and status. */
export function allFields(): readonly FieldNode[] {
  fields ??= ['spec', 'status'].flatMap((root) => {
    const found = descend([root]);
    return 'field' in found ? below(found.field) : [];
  });
  return fields;
}

function below(node: FieldNode): FieldNode[] {
  return [node, ...fieldsBelow(node).flatMap(below)];
}

function endsWith(path: string, steps: readonly string[]): boolean {
  const own = path.replaceAll('[]', '').split('.').filter((step) => step !== '<name>');
  return steps.length <= own.length && steps.every((step, index) => own[own.length - steps.length + index] === step);
}
