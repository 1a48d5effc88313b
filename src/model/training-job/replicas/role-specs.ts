/** Roles as users write them: those that train, and helpers next to them. */
import { DNS_1035_LABEL_PATTERN, DNS_LABEL_MAX_LENGTH } from '../../names';
import { RESTART_POLICY } from '../run-policy';
import * as field from '../schema/field';
import { command, environment, podTemplate, resources } from '../schema/pod-fields';

/** Most replicas that one job may have, all roles together. */
export const MAX_REPLICAS = 10_000;

/** Most roles of a job: the status has an entry for each. */
export const MAX_ROLES = 16;

/** One role of the long form. */
export const ROLE = field.block('a role', 'One role.', {
  name: field.text('Name of the role, as the framework spells it: master, worker, chief, ps, evaluator, launcher, scheduler, server.', {
    minLength: 1, maxLength: DNS_LABEL_MAX_LENGTH, pattern: DNS_1035_LABEL_PATTERN, required: 'the role, as the framework spells it, such as worker.',
  }),
  replicas: field.integer('Number of replicas.', { minimum: 1, maximum: MAX_REPLICAS, default: 1 }),
  image: field.image('Image of the training container.', { otherwise: 'the job\'s' }),
  command: command('Entry point.', { otherwise: 'the job\'s; on workers of MPI an ssh server' }),
  args: command('Arguments.', { otherwise: 'the job\'s' }),
  env: environment('Added to the job\'s environment; for a name in both, the role\'s value is used.'),
  resources: resources('Replaces the job\'s resources as a whole.', {
    otherwise: 'the job\'s, without its devices on roles that do not compute; a launcher gets 1 cpu and 2Gi of memory',
  }),
  template: podTemplate('Merged over the job\'s template.', { property: 'podTemplate' }),
  restartPolicy: field.word('When a replica of the role that has ended is started again.', RESTART_POLICY, { otherwise: 'the run policy\'s' }),
});

/** `spec.roles`. */
export const ROLES = field.list('Long form: the roles, each with its own count, image, resources and template.', ROLE, {
  key: 'name', minItems: 1, maxItems: MAX_ROLES, fixed: true,
});

export type RoleSpec = field.ValueOf<typeof ROLE>;

const HELPER_FAILURE = field.words('HelperFailure', 'What a failed helper means for the job.', {
  Restart: 'Only the helper is replaced, and the failure is counted.',
  Fail: 'The job fails.',
  Ignore: 'The job continues without it.',
});

/** What a failed helper means for the job. */
export type HelperFailurePolicy = (typeof HELPER_FAILURE.list)[number];

/** Port at which replicas of a job with helpers expect each other, unless a helper says otherwise. */
export const GROUP_PORT = 29_600;

/** Name of that port. */
export const GROUP_PORT_NAME = 'group';

/** One role of helpers. */
export const HELPER = field.block('a helper', 'One role of helpers.', {
  name: field.text('Name of the role, such as `actor` or `evaluator`; not one of the framework\'s.', {
    required: 'the name of the role, such as evaluator.',
    minLength: 1,
    maxLength: DNS_LABEL_MAX_LENGTH,
    pattern: DNS_1035_LABEL_PATTERN,
    rules: [{ rule: 'self != \'primary\'', message: 'is reserved for all training replicas (TRAINYARD_PRIMARY_HOSTS). Rename the helper' }],
  }),
  replicas: field.integer('Number of replicas.', { minimum: 1, maximum: MAX_REPLICAS, default: 1 }),
  image: field.image('Image of its container.', { otherwise: 'the job\'s image; then a command is needed' }),
  command: command('Entry point.', { otherwise: 'the image\'s' }),
  args: command('Arguments.', { otherwise: 'the image\'s' }),
  env: environment('Added to the job\'s environment; for a name in both, the helper\'s value is used.'),
  resources: resources('Compute of each replica.', { otherwise: 'none' }),
  template: podTemplate('Merged over the job\'s template.', { property: 'podTemplate' }),
  port: field.integer('Port on which other replicas reach its replicas.', {
    minimum: 1, maximum: 65_535, default: GROUP_PORT, says: 'must be a port from 1 to 65535.',
  }),
  onFailure: field.word('What its failure means for the job.', HELPER_FAILURE, { default: 'Restart' }),
}, {
  rules: [{
    rule: 'has(self.image) || has(self.command)',
    message: 'is required with the job\'s image: the job\'s command is for the training roles. Set the command, or an image that has one',
    fieldPath: '.command',
    reason: 'FieldValueRequired',
  }],
});

/** `spec.helpers`. */
export const HELPERS = field.list('Roles that run alongside the training roles, with their own programs, and are stopped when the training roles have succeeded.', HELPER, {
  key: 'name', maxItems: MAX_ROLES, fixed: true,
});

export type HelperSpec = field.ValueOf<typeof HELPER>;
