/** Rules on `spec.array`: what it does not go together with, and that every copy would be a valid job. */
import { ARRAY_VARIABLES, INDEX_PLACEHOLDER, arrayCopySpec } from '../array';
import type { EnvVarSpec, TrainingJobSpec } from '../spec';
import { arrayJobName } from '../../names';
import { isSearch } from '../../tuning/trial-spec';
import { ViolationCollector, type Violation } from '../../violations';

/** Checks the rules of any job; `validation.ts`, which this file cannot import without a circle. */
type ValidateJob = (name: string, spec: TrainingJobSpec) => Violation[];

/** Checks the array of a job whose shape is right. */
export function validateArray(name: string, spec: TrainingJobSpec, validateJob: ValidateJob): Violation[] {
  const { array, autoTuning, elastic, checkpoint, checkpointPath } = spec;
  if (array === undefined) {
    return [];
  }
  const violations = new ViolationCollector();
  if (isSearch(spec)) {
    violations.add('spec.array', array, `cannot be combined with autoTuning (${autoTuning!.objective}), whose trials are copies of the job already. `
      + 'Remove one of the two.');
  }
  if (elastic !== undefined) {
    violations.add('spec.array', array, 'cannot be combined with elastic: autoscalers would change the replicas of an array, which has no replicas of its own. '
      + 'Remove one of the two.');
  }
  validateVariables(spec.env, 'spec.env', violations);
  (spec.roles ?? []).forEach(({ env }, index) => validateVariables(env, `spec.roles[${index}].env`, violations));
  if (checkpoint?.claimName !== undefined && checkpointPath?.includes(INDEX_PLACEHOLDER)) {
    violations.add('spec.checkpointPath', checkpointPath, `is where the claim ${checkpoint.claimName} is mounted, in all copies. `
      + `Put ${INDEX_PLACEHOLDER} into spec.checkpoint.subPath, the folder inside the claim.`);
  }
  return violations.violations.length > 0 ? violations.violations : validateCopy(name, spec, array.count - 1, validateJob);
}

function validateVariables(env: readonly EnvVarSpec[] = [], path: string, violations: ViolationCollector): void {
  env.filter((entry) => ARRAY_VARIABLES.includes(entry.name)).forEach((entry) =>
    violations.add(`${path}['${entry.name}']`, entry.value, 'is set by the operator in each copy of the array. Remove it.'));
}

/** The job of the last copy, whose name is the longest. */
function validateCopy(name: string, spec: TrainingJobSpec, index: number, validateJob: ValidateJob): Violation[] {
  const copyName = arrayJobName(name, index);
  return validateJob(copyName, arrayCopySpec(spec, index)).map((violation): Violation => (violation.path !== 'metadata.name' ? violation : {
    path: 'metadata.name',
    value: name,
    message: violation.message.replace(/Use at most (\d+) characters/,
      (_text, most: string) => `Use at most ${Number(most) - (copyName.length - name.length)} characters`),
  }));
}
