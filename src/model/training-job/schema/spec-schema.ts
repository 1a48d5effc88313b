/** Schema of `MLTrainingJob.spec`: its fields, and the rules across them. */
import { replicasRules } from './immutability-rules';
import { celList, type JsonSchema, type ValidationRule } from './json-schema';
import { INIT_NEEDS_COMMAND } from '../init';
import { MAX_ROLES } from '../replicas/role-specs';
import { MAX_REPLICAS, SPEC } from '../spec';
import type { FrameworkContract, RoleContract } from '../../frameworks/contract';
import { elasticFrameworks, frameworkContracts } from '../../frameworks/registry';

export function specSchema(): JsonSchema {
  const { schema } = SPEC;
  return { ...schema, 'x-kubernetes-validations': [...formRules(), ...frameworkRules(), ...schema['x-kubernetes-validations'] ?? [], ...replicasRules()] };
}

/** What fields mean together, whatever the framework. */
function formRules(): ValidationRule[] {
  return [
    {
      rule: 'has(self.replicas) || has(self.roles)',
      message: 'is required, unless the job names its roles: set replicas (short form) or roles',
      fieldPath: '.replicas',
      reason: 'FieldValueRequired',
    },
    {
      rule: '!has(self.replicas) || !has(self.roles)',
      message: 'cannot be combined with roles, which count their own replicas. Remove one of the two',
      fieldPath: '.replicas',
      reason: 'FieldValueForbidden',
    },
    {
      rule: `!has(self.roles) || self.roles.map(role, role.replicas).sum() <= ${MAX_REPLICAS}`,
      message: `must have at most ${MAX_REPLICAS} replicas together`,
      fieldPath: '.roles',
    },
    {
      rule: '!has(self.checkpoint) || !has(self.checkpoint.claimName) || (has(self.checkpointPath) && self.checkpointPath.startsWith(\'/\'))',
      message: 'must be an absolute path when checkpoint.claimName is given: the claim is mounted there',
      fieldPath: '.checkpointPath',
    },
    {
      rule: '!has(self.checkpoint) || !has(self.checkpoint.keepLast) || has(self.checkpointPath)',
      message: 'needs a checkpoint location. Set checkpointPath',
      fieldPath: '.checkpoint.keepLast',
    },
    {
      rule: '!has(self.elastic) || !has(self.replicas) || (self.replicas >= self.elastic.minReplicas && self.replicas <= self.elastic.maxReplicas)',
      message: 'must be within elastic.minReplicas and elastic.maxReplicas',
      fieldPath: '.replicas',
    },
    {
      rule: '!has(self.elastic) || !has(self.scheduling) || !has(self.scheduling.gang) || !has(self.scheduling.gang.minAvailable) '
        + '|| self.scheduling.gang.minAvailable <= self.elastic.minReplicas',
      message: 'must be at most elastic.minReplicas: an elastic job that has shrunk would be below its minimum',
      fieldPath: '.scheduling.gang.minAvailable',
    },
    ...elasticFormRules(),
    ...arrayRules(),
    ...hookRules(),
    ...helperRules(),
    ...initRules(),
  ];
}

/**
 * Rules at `spec`.
 *
 * Rules on how roles agree with the framework, made from the frameworks' contracts: which roles there are, which have exactly one replica, which
 * cannot be left out. One rule asks each question of all frameworks, by a table: a rule for each of them would cost every write of a job, jobs
 * without roles too.
 */
function frameworkRules(): ValidationRule[] {
  const frameworks = frameworkContracts().filter(({ roles }) => roles.length > 0);
  const names = tableOf(frameworks, ({ roles }) => celList(roles.map(({ name }) => name)));
  const singletons = tableOf(frameworks, ({ roles }) => celList(namesOf(roles, ({ singleton }) => singleton === true)));
  const required = tableOf(frameworks, ({ roles }) => celList(namesOf(roles, (role) => role.required === true)));
  const known = `!has(self.roles) || !(self.framework in ${celList(frameworks.map(({ name }) => name))})`;
  // Whole sentences for each framework: the API server does not know how long a text is that a rule puts together, and refuses it.
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

/** An elastic job is in the short form, whose `replicas` the scale subresource changes, and of a framework whose replicas can come and go. */
function elasticFormRules(): ValidationRule[] {
  const frameworks = elasticFrameworks();
  return [
    {
      rule: '!has(self.elastic) || has(self.replicas)',
      message: 'is required with elastic: kubectl scale and autoscalers change it. Set replicas and leave roles out',
      fieldPath: '.replicas',
      reason: 'FieldValueRequired',
    },
    {
      rule: `!has(self.elastic) || self.framework in ${celList(frameworks.map(({ name }) => name))}`,
      message: `is not possible with this framework, whose replicas cannot join and leave during training; it is supported by ${frameworks.map(({ title }) => title).join(' and ')}. Remove it`,
      fieldPath: '.elastic',
      reason: 'FieldValueForbidden',
    },
  ];
}

/** Rules at `spec` on what an array goes together with. */
function arrayRules(): ValidationRule[] {
  return [
    {
      rule: '!has(self.array) || !has(self.elastic)',
      message: 'cannot be combined with elastic: autoscalers would change the replicas of an array, which has no replicas of its own. Remove one of the two',
      fieldPath: '.array',
      reason: 'FieldValueForbidden',
    },
    {
      rule: '!has(self.array) || !has(self.autoTuning) || !self.autoTuning.enabled',
      message: 'cannot be combined with autoTuning, whose trials are copies of the job already. Remove one of the two',
      fieldPath: '.array',
      reason: 'FieldValueForbidden',
    },
  ];
}

/** Rules at `spec` on what hooks can be combined with; `validation/features.ts` has the same. */
function hookRules(): ValidationRule[] {
  return [{
    rule: '!has(self.hooks) || !(has(self.array) || (has(self.autoTuning) && self.autoTuning.enabled))',
    message: 'cannot be combined with array or autoTuning, whose copies of the job would each run them. '
      + 'Remove one of the two, or run the steps as jobs of their own in a pipeline',
    fieldPath: '.hooks',
    reason: 'FieldValueForbidden',
  }];
}

/** Rules at `spec` on what helpers can be combined with. */
function helperRules(): ValidationRule[] {
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

/**
 * A command is needed in every role in which the framework has none of its own.
 *
 * Rules at `spec` on `spec.init`; `validation/features.ts` has the same.
 */
function initRules(): ValidationRule[] {
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
