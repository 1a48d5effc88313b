/** `--set FIELD=VALUE`: fields of a job that are changed before it is created. */
import { parse } from 'yaml';
import { CliError } from '../../cli-error';
import { additionalSchema, fieldSchema, type StructuralSchema } from '../../crd/structural-schema';
import { trainingJobSchema } from '../../../model/training-job/schema/training-job-schema';
import { isRecord, type JsonRecord } from '../../../model/json-parts';
import { TRAINING_JOB_KIND } from '../../../model/labels';
import type { ManifestObject } from '../../../model/objects/manifest-object';
import { pathSteps, type PathStep } from '../../../model/shapes';

/** Maximum length of a path. */
const MAX_PATH = 500;

/** Names that would change the prototypes of objects. */
const NO_FIELDS = ['__proto__', 'constructor', 'prototype'];

/** The object with its changes. @param changes such as `replicas=4`, `spec.env[0].value=x`, `hyperparameters['LR']=0.1` @throws CliError */
export function withFields(object: ManifestObject, changes: readonly string[]): ManifestObject {
  return changes.reduce((changed, change) => withField(changed, change), object);
}

function withField(object: ManifestObject, change: string): ManifestObject {
  const at = change.indexOf('=');
  const path = at < 0 ? '' : change.slice(0, at).trim();
  const steps = path.length > MAX_PATH ? [] : pathSteps(path);
  if (at < 0 || steps.length === 0 || steps.some((step) => NO_FIELDS.includes(String(step)))) {
    throw new CliError(`--set ${change.slice(0, 100)}: it must be FIELD=VALUE, such as replicas=4 or spec.runPolicy.backoffLimit=3.`);
  }
  const full = ['spec', 'metadata'].includes(String(steps[0])) ? steps : ['spec', ...steps];
  if (full[0] === 'metadata' && !['labels', 'annotations'].includes(String(full[1]))) {
    throw new CliError(`--set ${path}: of metadata, labels and annotations can be set. The name is given by --name.`);
  }
  const text = change.slice(at + 1);
  const value = full[0] === 'metadata' || isText(object, full) ? text : parsed(text, path);
  return setAt(object as JsonRecord, full, value, path) as ManifestObject;
}

function parsed(text: string, path: string): unknown {
  try {
    // As in a manifest: 4 is a number, true is a flag, [a, b] is a list.
    return parse(text) as unknown;
  } catch (error) {
    throw new CliError(`--set ${path}: the value is not valid YAML: ${(error as Error).message.split('\n')[0]}`);
  }
}

/** Whether the field is a string, so that 0.1 stays a string: by the definition of our own jobs, otherwise by its current value. */
function isText(object: ManifestObject, steps: readonly PathStep[]): boolean {
  if (object.kind === TRAINING_JOB_KIND) {
    const schema = trainingJobSchema() as StructuralSchema;
    return steps.reduce<StructuralSchema | undefined>(below, schema)?.type === 'string';
  }
  return typeof valueAt(object, steps) === 'string';
}

function valueAt(value: unknown, steps: readonly PathStep[]): unknown {
  let found = value;
  for (const step of steps) {
    found = (found as { readonly [name: PathStep]: unknown } | null | undefined)?.[step];
  }
  return found;
}

function below(schema: StructuralSchema | undefined, step: PathStep): StructuralSchema | undefined {
  if (schema === undefined) {
    return undefined;
  }
  return typeof step === 'number' ? schema.items : fieldSchema(schema, step) ?? additionalSchema(schema);
}

function setAt(value: unknown, [step, ...rest]: readonly PathStep[], to: unknown, path: string): unknown {
  const inner = (there: unknown) => (rest.length === 0 ? to : setAt(there, rest, to, path));
  if (typeof step === 'number') {
    const list = Array.isArray(value) ? value as readonly unknown[] : value === undefined ? [] : undefined;
    if (list === undefined || step > list.length) {
      throw new CliError(`--set ${path}: [${step}]: ${list === undefined ? 'this is not a list' : `the list has ${list.length} entries; the next one is [${list.length}]`}.`);
    }
    return [...list.slice(0, step), inner(list[step]), ...list.slice(step + 1)];
  }
  if (value !== undefined && value !== null && !isRecord(value)) {
    throw new CliError(`--set ${path}: '${step}' cannot be set: ${Array.isArray(value) ? 'its parent is a list. Use [0], [1] and so on' : 'its parent is not an object'}.`);
  }
  const fields = (value ?? {}) as JsonRecord;
  return { ...fields, [step]: inner(fields[step]) };
}
