/** Rules at `spec` on `spec.init`; `validation-init.ts` has the same. */
import { celList, type ValidationRule } from './json-schema';
import { frameworkContracts } from '../../frameworks/registry';
import { INIT_NEEDS_COMMAND } from '../init';

/** A command is needed in every role in which the framework has none of its own. */
export function initRules(): ValidationRule[] {
  const frameworks = new Map<string, string[]>();
  for (const { name, roles } of frameworkContracts()) {
    for (const role of roles.filter(({ command }) => command !== undefined)) {
      frameworks.set(role.name, [...frameworks.get(role.name) ?? [], name]);
    }
  }
  const own = [...frameworks].map(([role, names]) => `(role.name == '${role}' && self.framework in ${celList(names)})`);
  // An empty command is none.
  const gives = (of: string) => `(has(${of}.command) && size(${of}.command) > 0)`;
  return [{
    rule: `!has(self.init) || !self.init || ${gives('self')} || (has(self.roles) && self.roles.all(role, ${[gives('role'), ...own].join(' || ')}))`,
    message: INIT_NEEDS_COMMAND,
    fieldPath: '.command',
    reason: 'FieldValueRequired',
  }];
}
