/** Checks pod templates of a training job for fields that Kubernetes would drop, and for values that it would reject in each pod. */
import { checkSchema } from '../crd/check-schema';
import type { Definitions } from '../crd/definitions';
import type { SchemaFinding, StructuralSchema } from '../crd/structural-schema';
import { unknownFields } from '../crd/validate-object';
import type { TrainingJobSpec } from '../../model/training-job/spec';
import { isRecord } from '../../model/json-parts';

/** Checks the templates of a job that satisfies the model's rules. */
export function checkTemplates({ template, roles = [] }: TrainingJobSpec, definitions: Definitions): SchemaFinding[] {
  const given = [
    { path: 'spec.template.spec', spec: template?.spec },
    ...roles.map((role, index) => ({ path: `spec.roles[${index}].template.spec`, spec: role.template?.spec })),
  ].filter(({ spec }) => isRecord(spec) && Object.keys(spec).length > 0);
  if (given.length === 0) {
    return [];
  }
  const schema = podSpecSchema(definitions);
  return given.flatMap(({ path, spec }) => [...unknownFields(schema, spec, 'a pod', false), ...checkSchema(schema, spec, '')]
    // A template is merged into the operator's pod, so it may leave out what a pod needs.
    .filter(({ value }) => value !== undefined)
    .map((finding) => ({ ...finding, path: `${path}.${finding.path}`.replace('.[', '[') })));
}

function podSpecSchema(definitions: Definitions): StructuralSchema {
  const lookup = definitions.lookup('v1', 'Pod');
  const schema = 'found' in lookup ? lookup.found.schema.properties?.spec : undefined;
  if (schema === undefined) {
    throw new Error('the schemas that come with Trainyard have no Pod. Install the package again.');
  }
  return schema;
}
