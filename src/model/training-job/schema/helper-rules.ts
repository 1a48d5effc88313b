/** Rules at `spec` on what helpers go together with. */
import type { ValidationRule } from './json-schema';
import { MAX_ROLES } from '../replicas/role-specs';

/** Rules at `spec`. */
export function helperRules(): ValidationRule[] {
  return [
    {
      rule: '!has(self.helpers) || size(self.helpers) == 0 || !has(self.elastic)',
      message: 'cannot be combined with elastic: helpers get the addresses of all replicas, which then change. Remove one of the two',
      fieldPath: '.helpers',
      reason: 'FieldValueForbidden',
    },
    {
      rule: `!has(self.helpers) || (has(self.roles) ? size(self.roles) : 2) + size(self.helpers) <= ${MAX_ROLES}`,
      message: `has too many roles: a job has at most ${MAX_ROLES}, including the training roles`,
      fieldPath: '.helpers',
    },
    {
      rule: '!has(self.helpers) || !has(self.roles) || self.helpers.all(helper, !self.roles.exists(role, role.name == helper.name))',
      message: 'has helpers with the name of a training role. Rename one of the two',
      fieldPath: '.helpers',
    },
  ];
}
