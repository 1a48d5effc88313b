/** Rules on `spec.hooks`. */
import { validateResources } from './roles';
import { validateList } from './variables';
import { HOOK_VARIABLES } from '../environment/hook-environment';
import { HOOK_NAMES, hookDevicesProblem, hookSuffix } from '../hooks';
import type { ResolvedTrainingJob } from '../replicas/resolve';
import { isSearch } from '../../tuning/trial-spec';
import { ViolationCollector, type Violation } from '../../violations';

/** Checks the hooks of a job that can be resolved. */
export function validateHooks({ spec, roles }: ResolvedTrainingJob): Violation[] {
  const violations = new ViolationCollector();
  const { hooks, array } = spec;
  if (hooks === undefined) {
    return [];
  }
  if (array !== undefined || isSearch(spec)) {
    violations.add('spec.hooks', Object.keys(hooks), `cannot be combined with ${array === undefined ? 'autoTuning' : 'array'}, whose copies of the job would each run them. `
      + 'Remove one of the two, or run the steps as jobs of their own in a pipeline.');
  }
  for (const name of HOOK_NAMES.filter((candidate) => hooks[candidate] !== undefined)) {
    const hook = hooks[name]!;
    const path = `spec.hooks.${name}`;
    const problem = hookDevicesProblem(hook);
    if (problem !== undefined) {
      violations.add(`${path}.resources`, hook.resources, problem);
    }
    violations.addAll(validateResources(hook.resources ?? {}, `${path}.resources`));
    validateList(hook.env ?? [], `${path}.env`, spec, violations);
    (hook.env ?? []).filter((entry) => (HOOK_VARIABLES as readonly string[]).includes(entry.name)).forEach((entry) =>
      violations.add(`${path}.env['${entry.name}']`, entry.value, 'is set by the operator in the pods of hooks. Remove it.'));
    if (roles.some((role) => role.name === hookSuffix(name))) {
      violations.add(path, hookSuffix(name), 'is also the name of a role, and their pods would have the same names. Rename the role.');
    }
  }
  return violations.violations;
}
