/** Rules on `spec.helpers`: names, programs, and what they do not go together with. */
import type { ResolvedTrainingJob } from '../replicas/resolve';
import { validateResources } from './resources';
import { isDns1035Label } from '../../names';
import { ViolationCollector, type Violation } from '../../violations';

/** The role that stands for all that train, in the variable with their addresses. */
const PRIMARY = 'primary';

/** Checks the helpers of a resolved job. */
export function validateHelpers({ spec, framework, roles }: ResolvedTrainingJob): Violation[] {
  const { helpers = [] } = spec;
  const violations = new ViolationCollector();
  const training = roles.filter(({ helper }) => helper === undefined).map(({ name }) => name);
  helpers.forEach(({ name, image, command, resources }, index) => {
    const path = `spec.helpers[${index}]`;
    const earlier = helpers.findIndex((other) => other.name === name);
    if (!isDns1035Label(name)) {
      violations.add(`${path}.name`, name, 'is part of pod names: lower-case letters, digits and \'-\', starting with a letter.');
    } else if (name === PRIMARY) {
      violations.add(`${path}.name`, name, 'is reserved for all training replicas (TRAINYARD_PRIMARY_HOSTS). Rename the helper.');
    } else if (framework.roles.some((role) => role.name === name)) {
      violations.add(`${path}.name`, name, `is a training role of ${framework.title}. Put it into spec.roles, or rename it.`);
    } else if (training.includes(name)) {
      violations.add(`${path}.name`, name, 'is also the name of a training role. Rename one of the two.');
    } else if (earlier < index) {
      violations.add(`${path}.name`, name, `is listed twice; spec.helpers[${earlier}] has the same name. Merge the two.`);
    }
    if (image === undefined && command === undefined) {
      violations.add(`${path}.command`, undefined, `is required with the job's image (${spec.image}): the job's command is for the training roles. `
        + 'Set the command, or an image that has one.');
    }
    violations.addAll(validateResources(resources ?? {}, `${path}.resources`));
  });
  if (helpers.length > 0 && spec.elastic !== undefined) {
    violations.add('spec.helpers', helpers.map(({ name }) => name), 'cannot be combined with elastic: helpers get the addresses of all replicas, which then change. '
      + 'Remove one of the two.');
  }
  return violations.violations;
}
