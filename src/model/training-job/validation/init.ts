/** Rules on `spec.init`: what an init in the form of a shell script needs. */
import { INIT_NEEDS_COMMAND, hasInit, hasWords } from '../init';
import type { ResolvedTrainingJob } from '../replicas/resolve';
import { variablesOf } from './variables';
import { fieldPath } from '../../shapes';
import { isShellName } from '../../variable-references';
import { ViolationCollector, type Violation } from '../../violations';

/** Checks the init of a job whose roles are right. */
export function validateInit(job: ResolvedTrainingJob): Violation[] {
  const { spec } = job;
  if (spec.init !== true) {
    return [];
  }
  const violations = new ViolationCollector();
  const roles = job.roles.filter((role) => hasInit(job, role));
  const commandless = roles.find(({ command }) => !hasWords(command));
  if (commandless !== undefined) {
    violations.add('spec.command', spec.command, `${INIT_NEEDS_COMMAND}.`);
  }
  const drops = 'is dropped by many shells, and the init is a shell script: letters, digits and \'_\' only, not starting with a digit. Rename it, or remove init.';
  for (const name of Object.keys(spec.hyperparameters ?? {}).filter((candidate) => !isShellName(candidate))) {
    violations.add(fieldPath('spec.hyperparameters', name), name, drops);
  }
  for (const { path, entry } of roles.flatMap((role) => variablesOf(job, role)).filter(({ entry: { name } }) => !isShellName(name))) {
    violations.add(path, entry.name, drops);
  }
  return violations.violations;
}
