/** Schema of `MLTrainingJob.spec`: its fields, and the rules across them. */
import { arrayRules } from './array-rules';
import { elasticFormRules } from './elastic-rules';
import { frameworkRules } from './framework-rules';
import { helperRules } from './helper-rules';
import { replicasRules } from './immutability-rules';
import { initRules } from './init-rules';
import type { JsonSchema, ValidationRule } from './json-schema';
import { MAX_REPLICAS, SPEC } from '../spec';

/** Schema of TrainingJobSpec. */
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
    ...elasticFormRules(),
    ...arrayRules(),
    ...helperRules(),
    ...initRules(),
  ];
}
