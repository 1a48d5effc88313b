/**
 * Rules on how roles agree with the framework, made from the frameworks' contracts: which roles there are, which have exactly one
 * replica, which cannot be left out. One rule asks each question of all frameworks, by a table: a rule for each of them would cost every write
 * of a job, jobs without roles too.
 */
import { celList, type ValidationRule } from './json-schema';
import type { FrameworkContract, RoleContract } from '../../frameworks/contract';
import { frameworkContracts } from '../../frameworks/registry';

/** Rules at `spec`. */
export function frameworkRules(): ValidationRule[] {
  const frameworks = frameworkContracts().filter(({ roles }) => roles.length > 0);
  const names = tableOf(frameworks, ({ roles }) => celList(roles.map(({ name }) => name)));
  const singletons = tableOf(frameworks, ({ roles }) => celList(namesOf(roles, ({ singleton }) => singleton === true)));
  const required = tableOf(frameworks, ({ roles }) => celList(namesOf(roles, (role) => role.required === true)));
  const known = `!has(self.roles) || !(self.framework in ${celList(frameworks.map(({ name }) => name))})`;
  // Whole sentences for each framework: the API server cannot tell how long a text is that a rule puts together, and refuses it.
  const perFramework = (message: (framework: FrameworkContract) => string) => `${tableOf(frameworks, (framework) => `'${message(framework)}'`)}[self.framework]`;
  return [
    {
      rule: `${known} || self.roles.all(role, role.name in ${names}[self.framework])`,
      message: 'has a role that the framework does not support',
      messageExpression: perFramework(({ title, roles }) => `has a role that ${title} does not support: it supports ${roles.map(({ name }) => name).join(', ')}`),
      fieldPath: '.roles',
    },
    {
      rule: `${known} || self.roles.all(role, !(role.name in ${singletons}[self.framework]) || role.replicas == 1)`,
      message: 'has more than one replica in a role that allows only one',
      messageExpression: perFramework(({ title, roles }) => `has more than one replica in a role that allows only one in ${title}: `
        + `replicas of ${namesOf(roles, ({ singleton }) => singleton === true).join(' and ')} must be 1`),
      fieldPath: '.roles',
    },
    {
      rule: `${known} || ${required}[self.framework].all(name, self.roles.exists(role, role.name == name))`,
      message: 'is missing a role that the framework requires',
      messageExpression: perFramework(({ title, roles }) => {
        const missed = namesOf(roles, (role) => role.required === true);
        return `needs the role${missed.length > 1 ? 's' : ''} ${missed.join(' and ')}, which ${title} requires. Add what is missing`;
      }),
      fieldPath: '.roles',
    },
    ...combinationRules(),
  ];
}

/** What two frameworks say of several roles at a time; see their `validate`. */
function combinationRules(): ValidationRule[] {
  const has = (name: string) => `self.roles.exists(role, role.name == '${name}')`;
  return [
    onRoles('tensorflow', `!(${has('chief')} && ${has('master')})`, 'has a chief and a master, which are the same task in TensorFlow. Remove one'),
    onRoles('mxnet', `!${has('master')} || !(${has('scheduler')} || ${has('server')})`,
      'has a master, which already runs the scheduler and server. Remove it, or the other two'),
    onRoles('mxnet', `${has('master')} || (${has('scheduler')} && ${has('server')} && ${has('worker')})`,
      'needs scheduler, server and worker for MXNet\'s parameter server. Add them, or use the short form (replicas)'),
  ];
}

function onRoles(framework: string, rule: string, message: string): ValidationRule {
  return { rule: `!has(self.roles) || self.framework != '${framework}' || (${rule})`, message, fieldPath: '.roles' };
}

function namesOf(roles: readonly RoleContract[], which: (role: RoleContract) => boolean): string[] {
  return roles.filter(which).map(({ name }) => name);
}

/** A value for each framework, as CEL writes a map. */
function tableOf(frameworks: readonly FrameworkContract[], value: (framework: FrameworkContract) => string): string {
  return `{${frameworks.map((framework) => `'${framework.name}': ${value(framework)}`).join(', ')}}`;
}
