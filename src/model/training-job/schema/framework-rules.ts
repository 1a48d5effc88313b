/**
 * Rules on how roles agree with the framework, made from the frameworks' contracts: which roles there are, which have exactly one
 * replica, which cannot be left out.
 */
import { celList, type ValidationRule } from './json-schema';
import type { FrameworkContract, RoleContract } from '../../frameworks/contract';
import { frameworkContracts } from '../../frameworks/registry';

/** Rules at `spec`. */
export function frameworkRules(): ValidationRule[] {
  return [...frameworkContracts().flatMap(rulesOf), ...combinationRules()];
}

function rulesOf(framework: FrameworkContract): ValidationRule[] {
  const roles: readonly RoleContract[] = framework.roles;
  if (roles.length === 0) {
    return [];
  }
  const names = roles.map((role) => role.name);
  const singletons = roles.filter((role) => role.singleton).map((role) => role.name);
  const rules = [onRoles(framework, `self.roles.all(role, role.name in ${celList(names)})`, `has a role that ${framework.title} does not know: it knows ${names.join(', ')}`)];
  if (singletons.length > 0) {
    rules.push(onRoles(framework, `self.roles.all(role, !(role.name in ${celList(singletons)}) || role.replicas == 1)`,
      `has more than one replica in a role that is single in ${framework.title}: replicas of ${singletons.join(' and ')} must be 1`));
  }
  for (const { name } of roles.filter((role) => role.required)) {
    rules.push(onRoles(framework, `self.roles.exists(role, role.name == '${name}')`, `needs the role ${name}, which ${framework.title} cannot do without. Add it`));
  }
  return rules;
}

/** What two frameworks say of several roles at a time; see their `validate`. */
function combinationRules(): ValidationRule[] {
  const [tensorflow, mxnet] = ['tensorflow', 'mxnet'].map((name) => frameworkContracts().find((framework) => framework.name === name)!);
  const has = (name: string) => `self.roles.exists(role, role.name == '${name}')`;
  return [
    onRoles(tensorflow, `!(${has('chief')} && ${has('master')})`, 'has a chief and a master, which are the same task in TensorFlow. Remove one'),
    onRoles(mxnet, `!${has('master')} || !(${has('scheduler')} || ${has('server')})`,
      'has a master, which runs scheduler and server already. Remove it, or the other two'),
    onRoles(mxnet, `${has('master')} || (${has('scheduler')} && ${has('server')} && ${has('worker')})`,
      'needs scheduler, server and worker for MXNet\'s parameter server. Add them, or use the short form (replicas)'),
  ];
}

function onRoles(framework: FrameworkContract, rule: string, message: string): ValidationRule {
  return { rule: `self.framework != '${framework.name}' || !has(self.roles) || (${rule})`, message, fieldPath: '.roles' };
}
