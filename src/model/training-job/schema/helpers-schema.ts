/** Schema of `spec.helpers`. */
import { integer, listByKey, object, text, word, type JsonSchema, type ValidationRule } from './json-schema';
import { envSchema, imageSchema, podTemplateSchema, wordsSchema } from './pod-schema';
import { resourcesSchema } from './resources-schema';
import { DNS_1035_LABEL_PATTERN, DNS_LABEL_MAX_LENGTH } from '../../names';
import { GROUP_PORT, HELPER_FAILURE_POLICIES, type HelperSpec } from '../replicas/helpers';
import { MAX_REPLICAS, MAX_ROLES } from '../spec';

/** Schema of the list. */
export function helpersSchema(): JsonSchema {
  return listByKey('Roles that run alongside the training roles, with their own programs, and are stopped when the training roles have succeeded.', 'name',
    object<HelperSpec>('One role of helpers.', {
      name: text('Name of the role.', {
        minLength: 1,
        maxLength: DNS_LABEL_MAX_LENGTH,
        pattern: DNS_1035_LABEL_PATTERN,
        rules: [{ rule: 'self != \'primary\'', message: 'is reserved for all training replicas (TRAINYARD_PRIMARY_HOSTS). Rename the helper' }],
      }),
      replicas: integer('Number of replicas.', { minimum: 1, maximum: MAX_REPLICAS, default: 1 }),
      image: imageSchema('Image of its container. The job\'s by default.'),
      command: wordsSchema('Entry point. The image\'s by default.'),
      args: wordsSchema('Arguments. The image\'s by default.'),
      env: envSchema('Added to the job\'s environment; for a name in both, the helper\'s value is used.'),
      resources: resourcesSchema('Compute of each replica. None by default.'),
      template: podTemplateSchema('Merged over the job\'s template.'),
      port: integer('Port on which other replicas reach its replicas.', { minimum: 1, maximum: 65_535, default: GROUP_PORT }),
      onFailure: word('What its failure means: it is replaced, the job fails, or the job goes on without it.', HELPER_FAILURE_POLICIES, { default: 'Restart' }),
    }, {
      required: ['name'],
      rules: [{
        rule: 'has(self.image) || has(self.command)',
        message: 'is required with the job\'s image: the job\'s command is for the training roles. Set the command, or an image that has one',
        fieldPath: '.command',
        reason: 'FieldValueRequired',
      }],
    }), MAX_ROLES);
}

/** Rules at `spec` on what helpers go together with. */
export function helperRules(): ValidationRule[] {
  return [
    {
      rule: '!has(self.helpers) || !has(self.elastic)',
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
