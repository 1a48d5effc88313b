/** The pod templates of a training job: fields that Kubernetes would drop, and values that it would refuse in each pod. */
import { checkSchema } from '../crd/check-schema';
import type { Definitions } from '../crd/definitions';
import { podSpecSchema } from '../crd/pod-schema';
import type { SchemaFinding } from '../crd/structural-schema';
import { unknownFields } from '../crd/unknown-fields';
import type { TrainingJobSpec } from '../../model/training-job/spec';
import { isRecord } from '../../model/json-parts';

/** What is wrong with templates, or that nobody can tell. */
export interface TemplateResults {
  readonly findings: readonly SchemaFinding[];
  /** Templates that were not checked, because no definition says what a pod is. */
  readonly unchecked: readonly string[];
}

/** Checks the templates of a job that keeps the model's rules. */
export function checkTemplates({ template, roles = [] }: TrainingJobSpec, definitions: Definitions): TemplateResults {
  const given = [
    { path: 'spec.template.spec', spec: template?.spec },
    ...roles.map((role, index) => ({ path: `spec.roles[${index}].template.spec`, spec: role.template?.spec })),
  ].filter(({ spec }) => isRecord(spec) && Object.keys(spec).length > 0);
  if (given.length === 0) {
    return { findings: [], unchecked: [] };
  }
  const pod = podSpecSchema(definitions);
  if (pod === undefined) {
    return { findings: [], unchecked: given.map(({ path }) => path) };
  }
  const findings = given.flatMap(({ path, spec }) => [...unknownFields(pod.schema, spec, 'a pod', false), ...checkSchema(pod.schema, spec, '')]
    // A template is merged into the operator's pod, so it may leave out what a pod needs.
    .filter(({ value }) => value !== undefined)
    .map((finding) => ({ ...finding, path: `${path}.${finding.path}`.replace('.[', '[') })));
  return { findings, unchecked: [] };
}
