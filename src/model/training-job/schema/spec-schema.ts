/** Schema of `MLTrainingJob.spec`. */
import { arrayRules, arraySchema } from './array-schema';
import { codeSchema } from './code-schema';
import { checkpointSchema, debugSchema, elasticSchema, idleSchema, preflightSchema } from './features-schema';
import { elasticFormRules } from './elastic-rules';
import { frameworkRules } from './framework-rules';
import { helperRules, helpersSchema } from './helpers-schema';
import { immutabilityRules, withFixedFields } from './immutability-rules';
import { initRules } from './init-rules';
import { boolean, integer, listByKey, map, object, text, word, type JsonSchema, type ValidationRule } from './json-schema';
import { envSchema, imageSchema, podTemplateSchema, wordsSchema } from './pod-schema';
import { resourcesSchema } from './resources-schema';
import { restartPolicySchema, runPolicySchema } from './run-policy-schema';
import { schedulingSchema } from './scheduling-schema';
import { securitySchema } from './security-schema';
import { autoTuningSchema } from './tuning-schema';
import { OPERATOR_NAME } from '../../labels';
import { DNS_1035_LABEL_PATTERN, DNS_LABEL_MAX_LENGTH } from '../../names';
import { DEFAULT_PORT } from '../replicas/resolve';
import { FRAMEWORK_NAMES, MAX_REPLICAS, MAX_ROLES, type RoleSpec, type TrainingJobSpec } from '../spec';

/** Schema of TrainingJobSpec. */
export function specSchema(): JsonSchema {
  return object<TrainingJobSpec>('The training job.', withFixedFields({
    framework: word('Which environment contract the replicas get.', FRAMEWORK_NAMES),
    image: imageSchema('Image of the training container, for every role that does not name its own.'),
    replicas: integer('Short form: how many replicas train; the framework decides which roles they have. Exactly one of replicas and roles is given.', {
      minimum: 1, maximum: MAX_REPLICAS,
    }),
    roles: listByKey('Long form: the roles, each with its own count, image, resources and template.', 'name', roleSchema(), MAX_ROLES, { minItems: 1 }),
    helpers: helpersSchema(),
    command: wordsSchema('Entry point of the training container. The image\'s by default.'),
    args: wordsSchema('Arguments of the entry point. The image\'s by default.'),
    code: codeSchema(),
    workingDir: text('Working directory. The folder of code by default, else the image\'s.', { maxLength: 4096 }),
    env: envSchema('Environment of the training container on all roles. Names that the framework\'s contract sets are rejected.'),
    resources: resourcesSchema('Compute of each replica.'),
    hyperparameters: map('Values that the script reads from its environment, under their own names and together as JSON in TRAINYARD_HYPERPARAMETERS.',
      text('The value.'), 1024, {
        rules: [{
          rule: 'self.all(name, name.matches(\'^[\\\\x20-\\\\x3c\\\\x3e-\\\\x7e]+$\'))',
          message: 'must contain names of environment variables: printable ASCII without \'=\'. Rename the others',
        }],
      }),
    checkpointPath: text('Where checkpoints go, a path or a URL such as s3://bucket/run, given to the script as CHECKPOINT_PATH.', { maxLength: 4096 }),
    checkpoint: checkpointSchema(),
    nprocPerNode: {
      'description': 'Processes that the launcher starts on each replica: a number, auto, gpu or cpu. The number of GPUs by default, else of CPUs, else 1.',
      'x-kubernetes-int-or-string': true,
      'maxLength': 8,
      'x-kubernetes-validations': [{
        rule: 'type(self) == string ? string(self).matches(\'^([1-9][0-9]{0,3}|auto|cpu|gpu)$\') : (int(self) >= 1 && int(self) <= 9999)',
        message: 'must be a number of processes from 1 to 9999, or auto, cpu or gpu',
      }],
    },
    port: integer('Port on which replicas meet (MASTER_PORT).', { minimum: 1, maximum: 65_535, default: DEFAULT_PORT }),
    template: podTemplateSchema('Pod template that every replica\'s pod is built on: volumes, sidecars, security context and so on.'),
    runPolicy: runPolicySchema(),
    scheduling: schedulingSchema(),
    security: securitySchema(),
    elastic: elasticSchema(),
    autoTuning: autoTuningSchema(),
    array: arraySchema(),
    preflight: preflightSchema(),
    debug: debugSchema(),
    init: boolean('Whether commands run below an init, a shell script that is process 1 of the container and passes signals on. False by default.'),
    idle: idleSchema(),
    suspend: boolean('Whether the job\'s pods are removed and kept away until it is set to false.', { default: false }),
    managedBy: text('Controller that acts on the job; any other value than the default makes this operator leave it alone.', {
      minLength: 1, maxLength: 253, default: OPERATOR_NAME,
    }),
  }), { required: ['framework', 'image'], rules: [...formRules(), ...frameworkRules(), ...immutabilityRules()] });
}

function roleSchema(): JsonSchema {
  return object<RoleSpec>('One role.', {
    name: text('Name of the role, as the framework spells it.', { minLength: 1, maxLength: DNS_LABEL_MAX_LENGTH, pattern: DNS_1035_LABEL_PATTERN }),
    replicas: integer('Number of replicas.', { minimum: 1, maximum: MAX_REPLICAS, default: 1 }),
    image: imageSchema('Image of the training container. The job\'s by default.'),
    command: wordsSchema('Entry point. The job\'s by default; on workers of MPI an ssh server.'),
    args: wordsSchema('Arguments. The job\'s by default.'),
    env: envSchema('Added to the job\'s environment; for a name in both, the role\'s value is used.'),
    resources: resourcesSchema('Replaces the job\'s resources as a whole. The job\'s by default, without its devices on roles that do not compute; a launcher '
      + 'gets 1 cpu and 2Gi of memory.'),
    template: podTemplateSchema('Merged over the job\'s template.'),
    restartPolicy: restartPolicySchema('When a replica of the role that ended is started again. The run policy\'s by default.'),
  }, { required: ['name'] });
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
