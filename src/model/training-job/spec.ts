/**
 * The training job as it is in `MLTrainingJob.spec`: the one domain type. Constructs produce it, the operator and the local
 * runner read it, other engines are rendered from it. A strict superset of the blog's schema. All fields are optional here that the
 * CRD's schema gives a default or that a short form leaves out; `resolve.ts` fills them in. Rules across fields are in `schema/spec-schema.ts` (CEL)
 * and in `validation`.
 */
import { ARRAY } from './array';
import { CODE } from './code';
import { AUTO_TUNING, CHECKPOINT, DEBUG, ELASTIC, IDLE, PREFLIGHT } from './fields/features';
import { HOOKS } from './hooks';
import { HELPERS, MAX_REPLICAS, ROLES } from './replicas/role-specs';
import { RUN_POLICY } from './run-policy';
import { SCHEDULING } from './scheduling';
import { command, environment, podTemplate, resources } from './schema/pod-fields';
import * as field from './schema/field';
import { SECURITY } from './security';
import { OPERATOR_NAME } from '../labels';
import { matching } from '../shapes';
import { expressionOf } from '../text/expressions';

/** Frameworks whose contract the model knows, as they are spelled in `spec.framework`. */
export const FRAMEWORK_NAMES = [
  'pytorch', 'tensorflow', 'mxnet', 'jax', 'xgboost', 'lightgbm', 'mpi', 'horovod', 'deepspeed', 'paddle', 'plain',
] as const;

/** One of {@link FRAMEWORK_NAMES}. */
export type FrameworkName = (typeof FRAMEWORK_NAMES)[number];

/** Port on which replicas meet unless the job says otherwise; the blog's and Trainer v2's. */
export const DEFAULT_PORT = 29_500;

const NPROC_PATTERN = '^([1-9][0-9]{0,3}|auto|cpu|gpu)$';
const NPROC = expressionOf(NPROC_PATTERN);
const NPROC_RULE = 'must be a number of processes from 1 to 9999, or auto, cpu or gpu';

/** `MLTrainingJob.spec`. */
export const SPEC = field.block('a training job', 'The training job.', {
  framework: field.word('Which environment contract the replicas get.', FRAMEWORK_NAMES, { required: `one of ${FRAMEWORK_NAMES.join(', ')}.`, fixed: true }),
  image: field.image('Image of the training container, for every role that does not name its own.', { required: 'the image of the training container.', fixed: true }),
  replicas: field.integer('Short form: how many replicas train; the framework decides which roles they have. Exactly one of replicas and roles is given.', {
    minimum: 1, maximum: MAX_REPLICAS,
  }),
  roles: ROLES,
  helpers: HELPERS,
  command: command('Entry point of the training container.', { otherwise: 'the image\'s', fixed: true }),
  args: command('Arguments of the entry point.', { otherwise: 'the image\'s', fixed: true }),
  code: CODE,
  workingDir: field.text('Working directory.', { maxLength: 4096, otherwise: 'the folder of code, else the image\'s', fixed: true }),
  env: environment('Environment of the training container on all roles. Names that the framework\'s contract sets are rejected.', { fixed: true }),
  resources: resources('Compute of each replica.', { fixed: true }),
  hyperparameters: field.map('Values that the script reads from its environment, under their own names and together as JSON in TRAINYARD_HYPERPARAMETERS.',
    field.text('The value.'), {
      maxProperties: 1024,
      fixed: true,
      rules: [{
        rule: 'self.all(name, name.matches(\'^[\\\\x20-\\\\x3c\\\\x3e-\\\\x7e]+$\'))',
        message: 'must contain names of environment variables: printable ASCII without \'=\'. Rename the others',
      }],
    }),
  checkpointPath: field.text('Where checkpoints go, a path or a URL such as s3://bucket/run, given to the script as CHECKPOINT_PATH.', { maxLength: 4096, fixed: true }),
  checkpoint: CHECKPOINT,
  nprocPerNode: field.custom<number | string>({
    'description': 'Processes that the launcher starts on each replica: a number, auto, gpu or cpu. For MPI the slots of a worker. Default: the number of GPUs, else of CPUs, else 1.',
    'x-kubernetes-int-or-string': true,
    'maxLength': 8,
    'x-kubernetes-validations': [{
      rule: `type(self) == string ? string(self).matches('${NPROC_PATTERN}') : (int(self) >= 1 && int(self) <= 9999)`,
      message: NPROC_RULE,
    }],
  }, {
    fixed: true,
    shape: matching((value) => (typeof value === 'string' || typeof value === 'number') && NPROC.test(String(value)), `${NPROC_RULE}.`),
  }),
  port: field.integer('Port on which replicas meet (MASTER_PORT).', {
    minimum: 1, maximum: 65_535, default: DEFAULT_PORT, fixed: true, says: 'must be a port from 1 to 65535.',
  }),
  template: podTemplate('Pod template that every replica\'s pod is built on: volumes, sidecars, security context and so on.', { fixed: true }),
  runPolicy: RUN_POLICY,
  scheduling: SCHEDULING,
  security: SECURITY,
  elastic: ELASTIC,
  autoTuning: AUTO_TUNING,
  array: ARRAY,
  preflight: PREFLIGHT,
  hooks: HOOKS,
  debug: DEBUG,
  init: field.boolean('Whether commands run below an init, a shell script that is process 1 of the container and passes signals on.', { otherwise: 'false', fixed: true }),
  idle: IDLE,
  suspend: field.boolean('Whether the job\'s pods are removed and kept away until it is set to false.', { default: false }),
  managedBy: field.text('Controller that acts on the job; any other value than the default makes this operator leave it alone.', {
    minLength: 1, maxLength: 253, default: OPERATOR_NAME, fixed: true, property: false,
  }),
}, { at: 'spec' });

/** `MLTrainingJob.spec`, as users write it. */
export type TrainingJobSpec = field.ValueOf<typeof SPEC>;

export { MAX_REPLICAS, MAX_ROLES, type RoleSpec } from './replicas/role-specs';
export type { EnvVarSpec, PodTemplateSpec, ResourcesSpec } from './schema/pod-fields';
