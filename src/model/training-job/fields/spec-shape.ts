/**
 * The types, ranges and words of `MLTrainingJob.spec`, field by field: what the CRD's schema says too, for specs that no API server has
 * seen. Rules on more than one field are in `validation*.ts`.
 */
import { MAX_ARRAY_COUNT, type ArraySpec } from '../array';
import { CODE_PATH_PATTERN, CODE_SCHEMES, CODE_URL_PATTERN, DIGEST_PATTERN, type CodeSpec } from '../code';
import { MAX_PARALLEL_TRIALS, OBJECTIVE_MAX_LENGTH, OBJECTIVE_PATTERN } from './features';
import { EGRESS_MODES, type NetworkPolicySpec, type SecuritySpec } from '../security';
import type {
  AutoTuningSpec, CheckpointSpec, DebugSpec, EarlyStoppingSpec, ElasticSpec, IdleSpec, PreflightSpec, TuningBudgetSpec, TuningParameterSpec,
} from './features';
import { HELPER_FAILURE_POLICIES, type HelperSpec } from '../replicas/helpers';
import { type NodeAvoidanceSpec, type NodeLossSpec, STUCK_POD_POLICIES } from '../node-policy';
import {
  type BackoffSpec, CLEAN_POD_POLICIES, type ExitCodesSpec, RESTART_POLICIES, type RunPolicySpec, type StallSpec, SUCCESS_POLICIES,
} from '../run-policy';
import { GANG_SCHEDULERS, QUEUE_MODES, type GangSpec, type SchedulingSpec, type TopologySpec } from '../scheduling';
import {
  FRAMEWORK_NAMES, MAX_REPLICAS, type EnvVarSpec, type PodTemplateSpec, type ResourcesSpec, type RoleSpec, type TrainingJobSpec,
} from '../spec';
import { isQuantity } from '../../quantities';
import {
  BOOLEAN, NON_EMPTY_TEXT, NUMBER, OBJECT, TEXT, integer, listOf, mapOf, matching, oneOf, openRecord, pattern, record, required, type Shape,
} from '../../shapes';
import { expressionOf } from '../../text/expressions';

const COUNT = integer(0);
const POSITIVE = integer(1);
const REPLICAS = integer(1, MAX_REPLICAS);
const IMAGE = pattern(/^\S+$/, 'must be an image name, without spaces.');

const OBJECT_NAME = pattern(/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/, 'must be an object name: lower-case letters, digits, \'-\' and \'.\'.');

const quantity = (example: string): Shape =>
  matching((value) => typeof value === 'string' && isQuantity(value), `must be a quantity such as ${example}.`);
const DEVICES = integer(0, undefined,
  'must be a whole number of devices, 0 or more; request a share of one with gpuResourceName (MIG) or a shared node.');
const BYTES = quantity('"16Gi"');

const RESOURCES = record<keyof ResourcesSpec>('resources', {
  gpu: DEVICES,
  gpuResourceName: TEXT,
  tpu: DEVICES,
  cpu: quantity('"4" or "500m"'),
  memory: BYTES,
  ephemeralStorage: BYTES,
  sharedMemory: BYTES,
  extended: mapOf(TEXT),
});

const ENV = listOf(record<keyof EnvVarSpec>('an environment variable', { name: required(TEXT), value: TEXT, valueFrom: OBJECT }));

const NAMED = listOf(openRecord({ name: required(TEXT) }));

/** What is null is not there, as for the API server. Of a text each letter would be a resource, for whoever sums them up. */
const QUANTITIES = matching((value) => typeof value === 'object' && !Array.isArray(value), 'must be a map of resources to quantities, such as {"cpu": "4"}.');
const CONTAINER_RESOURCES = openRecord({ limits: QUANTITIES, requests: QUANTITIES });
const OPTIONAL_RESOURCES: Shape = (value, path, violations) => value !== null && CONTAINER_RESOURCES(value, path, violations);

/** Only what rules and the merge of templates rely on: the rest is the API server's to check. */
const TEMPLATE = record<keyof PodTemplateSpec>('a pod template', {
  metadata: openRecord({ labels: mapOf(TEXT), annotations: mapOf(TEXT) }),
  spec: openRecord({
    containers: listOf(openRecord({ name: required(TEXT), env: NAMED, resources: OPTIONAL_RESOURCES })),
    initContainers: listOf(openRecord({ name: required(TEXT), resources: OPTIONAL_RESOURCES })),
    volumes: NAMED,
  }),
});

const ROLE = record<keyof RoleSpec>('a role', {
  name: required(TEXT, 'is required: the role, as the framework spells it, such as worker.'),
  replicas: REPLICAS,
  image: IMAGE,
  command: listOf(TEXT),
  args: listOf(TEXT),
  env: ENV,
  resources: RESOURCES,
  template: TEMPLATE,
  restartPolicy: oneOf(RESTART_POLICIES),
});

const EXIT_CODES = listOf(integer(1, 255, 'must be an exit code from 1 to 255; 0 is success.'));

const RUN_POLICY = record<keyof RunPolicySpec>('the run policy', {
  restartPolicy: oneOf(RESTART_POLICIES),
  backoffLimit: integer(0, undefined, 'must be a whole number of restarts, 0 or more.'),
  backoff: record<keyof BackoffSpec>('the backoff', { initialSeconds: COUNT, maxSeconds: COUNT, resetAfterSeconds: COUNT }),
  exitCodes: record<keyof ExitCodesSpec>('exitCodes', { recover: EXIT_CODES, retry: EXIT_CODES, fail: EXIT_CODES }),
  restartInPlace: BOOLEAN,
  startTimeoutSeconds: POSITIVE,
  nodeLoss: record<keyof NodeLossSpec>('nodeLoss', {
    graceSeconds: COUNT, leaseGraceSeconds: POSITIVE, stuckPods: oneOf(STUCK_POD_POLICIES), forceDeleteAfterSeconds: COUNT,
  }),
  nodeAvoidance: record<keyof NodeAvoidanceSpec>('nodeAvoidance', { afterFailures: COUNT, forSeconds: POSITIVE }),
  disruptionLimit: COUNT,
  activeDeadlineSeconds: POSITIVE,
  ttlSecondsAfterFinished: COUNT,
  cleanPodPolicy: oneOf(CLEAN_POD_POLICIES),
  successPolicy: oneOf(SUCCESS_POLICIES),
  stall: record<keyof StallSpec>('the stall policy', { timeoutSeconds: required(POSITIVE), action: oneOf(['Restart', 'Fail']) }),
});

const SCHEDULING = record<keyof SchedulingSpec>('scheduling', {
  queueName: OBJECT_NAME,
  queuePriorityClassName: OBJECT_NAME,
  queueMode: oneOf(QUEUE_MODES),
  priorityClassName: OBJECT_NAME,
  schedulerName: OBJECT_NAME,
  gang: record<keyof GangSpec>('the gang', {
    scheduler: required(oneOf(GANG_SCHEDULERS)), queue: NON_EMPTY_TEXT, minAvailable: POSITIVE, scheduleTimeoutSeconds: POSITIVE,
  }),
  topology: record<keyof TopologySpec>('the topology', { key: required(NON_EMPTY_TEXT), mode: oneOf(['Required', 'Preferred']) }),
  nodeSelector: mapOf(TEXT),
  tolerations: listOf(OBJECT),
});

const VARIABLE_NAME = pattern(/^[A-Za-z_][A-Za-z0-9_]*$/, 'becomes an environment variable: use letters, digits and \'_\', not starting with a digit.');

const TUNING_VALUE = matching((value) => typeof value === 'string' || typeof value === 'number', 'must be a number or a string.');

const CODE = record<keyof CodeSpec>('code', {
  digest: required(pattern(expressionOf(DIGEST_PATTERN), 'must be a SHA-256 such as "sha256:9f86d0...", with 64 hexadecimal digits in lower case.'),
    'is required: the SHA-256 of the archive, such as "sha256:9f86d0...".'),
  configMap: OBJECT_NAME,
  configMaps: listOf(OBJECT_NAME, 1),
  url: pattern(expressionOf(CODE_URL_PATTERN), `must be a URL without spaces and '$' that starts with ${CODE_SCHEMES.map((scheme) => `${scheme}://`).join(', ')}.`),
  mountPath: pattern(expressionOf(CODE_PATH_PATTERN), 'must be an absolute path other than "/", without ":".'),
  secretName: OBJECT_NAME,
  fetchImage: IMAGE,
});

const OBJECTIVE_NAME = expressionOf(OBJECTIVE_PATTERN);
const OBJECTIVE = matching((value) => typeof value === 'string' && value.length <= OBJECTIVE_MAX_LENGTH && OBJECTIVE_NAME.test(value),
  `must be the name of a metric as the script writes it (NAME=VALUE): at most ${OBJECTIVE_MAX_LENGTH} characters, with a letter, a digit or '_', without spaces, quotes, `
  + '\'=\', \':\', \',\' and \';\'.');

const AUTO_TUNING = record<keyof AutoTuningSpec>('autoTuning', {
  enabled: BOOLEAN,
  algorithm: oneOf(['bayesian', 'random', 'grid', 'hyperband']),
  maxTrials: integer(1, 100_000),
  parallelTrials: integer(1, MAX_PARALLEL_TRIALS),
  objective: required(OBJECTIVE, 'is required: the metric that is optimised.'),
  goal: oneOf(['maximize', 'minimize']),
  target: NUMBER,
  seed: integer(0, Number.MAX_SAFE_INTEGER),
  maxFailedTrials: COUNT,
  keepTrials: integer(0, 1000),
  budget: record<keyof TuningBudgetSpec>('the budget', { parameter: VARIABLE_NAME, min: POSITIVE, max: required(POSITIVE), reductionFactor: integer(2, 10) }),
  earlyStopping: record<keyof EarlyStoppingSpec>('early stopping', { enabled: BOOLEAN, minTrials: POSITIVE, minProgressPercentage: integer(10, 100) }),
  parameters: required(mapOf(record<keyof TuningParameterSpec>('a parameter', {
    type: required(oneOf(['float', 'int', 'categorical'])),
    min: NUMBER,
    max: NUMBER,
    step: NUMBER,
    scale: oneOf(['linear', 'log']),
    values: listOf(TUNING_VALUE, 1),
  })), 'is required: the search space.'),
});

/** Shape of `MLTrainingJob.spec`. */
export const SPEC_SHAPE: Shape = record<keyof TrainingJobSpec>('a training job', {
  framework: required(oneOf(FRAMEWORK_NAMES), `is required: one of ${FRAMEWORK_NAMES.join(', ')}.`),
  image: required(IMAGE, 'is required: the image of the training container.'),
  replicas: REPLICAS,
  roles: listOf(ROLE, 1),
  helpers: listOf(record<keyof HelperSpec>('a helper', {
    name: required(TEXT, 'is required: the name of the role, such as evaluator.'),
    replicas: REPLICAS,
    image: IMAGE,
    command: listOf(TEXT),
    args: listOf(TEXT),
    env: ENV,
    resources: RESOURCES,
    template: TEMPLATE,
    port: integer(1, 65535, 'must be a port from 1 to 65535.'),
    onFailure: oneOf(HELPER_FAILURE_POLICIES),
  })),
  command: listOf(TEXT),
  args: listOf(TEXT),
  code: CODE,
  workingDir: TEXT,
  env: ENV,
  resources: RESOURCES,
  hyperparameters: mapOf(TEXT),
  checkpointPath: TEXT,
  checkpoint: record<keyof CheckpointSpec>('the checkpoint', {
    resumeFrom: NON_EMPTY_TEXT, gracePeriodSeconds: COUNT, claimName: OBJECT_NAME, subPath: NON_EMPTY_TEXT, keepLast: POSITIVE,
  }),
  nprocPerNode: matching((value) => isScalar(value) && /^([1-9][0-9]{0,3}|auto|cpu|gpu)$/.test(String(value)),
    'must be a number of processes from 1 to 9999, or auto, cpu or gpu.'),
  port: integer(1, 65535, 'must be a port from 1 to 65535.'),
  template: TEMPLATE,
  runPolicy: RUN_POLICY,
  scheduling: SCHEDULING,
  security: record<keyof SecuritySpec>('security', {
    restricted: BOOLEAN,
    runAsUser: integer(0, 2_147_483_647),
    fsGroup: integer(0, 2_147_483_647),
    networkPolicy: record<keyof NetworkPolicySpec>('the network policy', {
      enabled: BOOLEAN, fromNamespaces: listOf(OBJECT_NAME), egress: oneOf(EGRESS_MODES), toCidrs: listOf(NON_EMPTY_TEXT),
    }),
  }),
  elastic: record<keyof ElasticSpec>('the elastic range', { minReplicas: required(REPLICAS), maxReplicas: required(REPLICAS), maxRestarts: COUNT }),
  autoTuning: AUTO_TUNING,
  array: record<keyof ArraySpec>('the array', {
    count: required(integer(1, MAX_ARRAY_COUNT), 'is required: how many copies of the job there are.'),
    parallelism: integer(1, MAX_ARRAY_COUNT),
    maxFailedIndexes: integer(0, MAX_ARRAY_COUNT),
    keepJobs: integer(0, MAX_ARRAY_COUNT),
  }),
  preflight: record<keyof PreflightSpec>('preflight', { enabled: BOOLEAN, image: IMAGE, timeoutSeconds: POSITIVE }),
  debug: record<keyof DebugSpec>('debug', { enabled: BOOLEAN }),
  idle: record<keyof IdleSpec>('idle', {
    belowPercent: required(integer(0, 100)), forSeconds: required(POSITIVE), action: oneOf(['Warn', 'Suspend']),
  }),
  init: BOOLEAN,
  suspend: BOOLEAN,
  managedBy: NON_EMPTY_TEXT,
});

function isScalar(value: unknown): value is string | number {
  return typeof value === 'string' || typeof value === 'number';
}
