/** A run of a pipeline that comes again, and the rules on it: on its schedule, and on parameters, which upstream judges when a run begins. */
import type { PipelineInput } from './pipeline-file';
import { isRecord } from '../json-parts';
import { DNS_LABEL_MAX_LENGTH, checkBaseName } from '../names';
import { validateSchedule } from '../schedules';
import { fieldPath } from '../shapes';
import { ViolationCollector, didYouMean, type Violation } from '../violations';

export interface RecurringRunSpec {
  readonly name: string;
  readonly schedule: string;
  readonly timeZone?: string;
  readonly endpoint: string;
  readonly parameters: { readonly [name: string]: unknown };
  readonly inputs: { readonly [name: string]: PipelineInput };
}

/** A CronJob of Kubernetes appends eleven characters to its name for that of a Job. */
export const RECURRING_RUN_NAME_MAX_LENGTH = DNS_LABEL_MAX_LENGTH - 11;

/** What a value has to be, by the type of the parameter. */
const TYPES: { readonly [type: string]: { readonly is: (value: unknown) => boolean; readonly what: string } } = {
  STRING: { is: (value) => typeof value === 'string', what: 'a text' },
  NUMBER_INTEGER: { is: Number.isInteger, what: 'a whole number' },
  NUMBER_DOUBLE: { is: (value) => typeof value === 'number' && Number.isFinite(value), what: 'a number' },
  BOOLEAN: { is: (value) => typeof value === 'boolean', what: 'true or false' },
  LIST: { is: Array.isArray, what: 'a list' },
  STRUCT: { is: isRecord, what: 'an object' },
};

export function validateRecurringRun(run: RecurringRunSpec): Violation[] {
  const violations = new ViolationCollector();
  const { name, endpoint, parameters, inputs } = run;
  const because = `a CronJob has room for ${RECURRING_RUN_NAME_MAX_LENGTH}`;
  checkBaseName(name, 'jobs and pods are named after it', violations, { length: RECURRING_RUN_NAME_MAX_LENGTH, because });
  violations.addAll(validateSchedule(run, 'schedule'));
  violations.form('endpoint', endpoint, /^https?:\/\/[^/\s]+(\/\S*)?$/, 'must be a URL, such as http://ml-pipeline.kubeflow.svc:8888.');
  for (const [parameter, value] of Object.entries(parameters)) {
    const path = fieldPath('parameters', parameter);
    if (!Object.hasOwn(inputs, parameter)) {
      const known = Object.keys(inputs);
      const has = known.length === 0 ? 'has no parameters' : `has ${known.join(', ')}`;
      violations.add(path, value, `the pipeline ${has}.${didYouMean(parameter, known)} Remove it.`);
      continue;
    }
    const type = TYPES[inputs[parameter].parameterType ?? ''];
    if (type !== undefined && !type.is(value)) {
      violations.add(path, value, `must be ${type.what}, because the pipeline declares ${inputs[parameter].parameterType}.`);
    }
  }
  for (const [parameter, { defaultValue, isOptional }] of Object.entries(inputs)) {
    if (defaultValue === undefined && isOptional !== true && !Object.hasOwn(parameters, parameter)) {
      violations.add(fieldPath('parameters', parameter), undefined, 'is required: the pipeline has no default for it. Set a value.');
    }
  }
  return violations.violations;
}
