import { sparkEngine, type SparkEngineSettings } from '../../../../src/manifests/engines/spark';
import { validateForEngine } from '../../../../src/manifests/engines/validation';
import type { FieldPath } from '../../../../src/model/training-job/field-paths';
import type { FrameworkName, TrainingJobSpec } from '../../../../src/model/training-job/spec';
import { jobWith, limitedFields, limitedFrameworks, refusals, type Refusal } from '../support/refusals';

const ENGINE = sparkEngine();

const MEMORY = { resources: { memory: '4Gi' } };
const LOST = 'Spark leaves pods on lost nodes to Kubernetes. Remove it.';
const SUSPECT = 'Spark does not remember on which nodes a job has failed. Remove it.';
const STALL = 'Spark does not know how far a job has come. Remove it.';
const SIZE = 'Spark keeps the number of replicas that a job starts with. Remove it.';
const HOSTFILE = 'Spark tells nobody the addresses of its executors before they run, and a launcher\'s hostfile is written before that. Choose another framework.';
const KUEUE = 'Spark is queued by Kueue behind an alpha gate only; if yours is on, say so by kueue in the engine\'s options. Remove it.';
const ALWAYS = 'Spark never starts again what has ended well. Remove it.';

const FRAMEWORKS: { readonly [framework in FrameworkName]?: string } = {
  mxnet: 'spec.framework: "mxnet": Spark starts one program in each of its executors, and a master of MXNet is three. Choose another framework.',
  mpi: `spec.framework: "mpi": ${HOSTFILE}`,
  horovod: `spec.framework: "horovod": ${HOSTFILE}`,
  deepspeed: `spec.framework: "deepspeed": ${HOSTFILE}`,
};

const PLAIN_ROLES: Partial<TrainingJobSpec> = { framework: 'plain', roles: [{ name: 'actor', restartPolicy: 'Never' }, { name: 'learner' }] };
const ELASTIC = { minReplicas: 1, maxReplicas: 4 };

function roles(own: object): Partial<TrainingJobSpec> {
  return { framework: 'plain', roles: [{ name: 'actor' }, { name: 'learner', ...own }] };
}

const FIELDS: { readonly [field in FieldPath]?: Refusal } = {
  'helpers': {
    spec: { helpers: [{ name: 'actor', command: ['act'] }] }, says: 'Spark makes its executors from one template, and a helper has an image and compute of its own. Remove it.',
  },
  'roles[].image': { spec: roles({ image: 'other' }), says: 'spec.roles[1].image: "other": Spark makes its executors from one template, so that roles cannot differ in their image. Remove it.' },
  'roles[].resources': {
    spec: roles({ resources: { memory: '8Gi' } }), says: 'Spark makes its executors from one template, so that roles cannot differ in their resources. Remove it.',
  },
  'roles[].template': {
    spec: roles({ template: { metadata: { labels: { a: 'b' } } } }), says: 'Spark makes its executors from one template, so that roles cannot differ in their template. Remove it.',
  },
  'roles[].restartPolicy': {
    spec: { ...roles({ restartPolicy: 'Always' }), runPolicy: { successPolicy: 'Coordinator' } }, says: `spec.roles[1].restartPolicy: "Always": ${ALWAYS}`,
  },
  'runPolicy.restartPolicy': {
    spec: { ...PLAIN_ROLES, runPolicy: { restartPolicy: 'Always', successPolicy: 'Coordinator' } }, says: `spec.runPolicy.restartPolicy: "Always": ${ALWAYS}`,
  },
  'runPolicy.restartInPlace': {
    spec: { runPolicy: { restartInPlace: false } }, says: 'spec.runPolicy.restartInPlace: false: Spark starts programs again in the executors that they had. Remove it.',
  },
  'runPolicy.startTimeoutSeconds': {
    spec: { runPolicy: { startTimeoutSeconds: 60 } }, says: 'spec.runPolicy.startTimeoutSeconds: 60: Spark waits for ever for a pod that cannot start. Remove it.',
  },
  'runPolicy.nodeLoss.graceSeconds': { spec: { runPolicy: { nodeLoss: { graceSeconds: 10 } } }, says: `spec.runPolicy.nodeLoss.graceSeconds: 10: ${LOST}` },
  'runPolicy.nodeLoss.stuckPods': { spec: { runPolicy: { nodeLoss: { stuckPods: 'Wait' } } }, says: `spec.runPolicy.nodeLoss.stuckPods: "Wait": ${LOST}` },
  'runPolicy.nodeLoss.forceDeleteAfterSeconds': {
    spec: { runPolicy: { nodeLoss: { forceDeleteAfterSeconds: 10 } } }, says: `spec.runPolicy.nodeLoss.forceDeleteAfterSeconds: 10: ${LOST}`,
  },
  'runPolicy.nodeAvoidance.afterFailures': {
    spec: { runPolicy: { nodeAvoidance: { afterFailures: 1 } } }, says: `spec.runPolicy.nodeAvoidance.afterFailures: 1: ${SUSPECT}`,
  },
  'runPolicy.nodeAvoidance.forSeconds': {
    spec: { runPolicy: { nodeAvoidance: { forSeconds: 60 } } }, says: `spec.runPolicy.nodeAvoidance.forSeconds: 60: ${SUSPECT}`,
  },
  'runPolicy.cleanPodPolicy': {
    spec: { runPolicy: { cleanPodPolicy: 'All' } }, says: 'spec.runPolicy.cleanPodPolicy: "All": Spark removes its executors and keeps its driver. Remove it.',
  },
  'runPolicy.stall.timeoutSeconds': { spec: { runPolicy: { stall: { timeoutSeconds: 60 } } }, says: `spec.runPolicy.stall.timeoutSeconds: 60: ${STALL}` },
  'runPolicy.stall.action': { spec: { runPolicy: { stall: { timeoutSeconds: 60, action: 'Fail' } } }, says: `spec.runPolicy.stall.action: "Fail": ${STALL}` },
  'scheduling.queueName': { spec: { scheduling: { queueName: 'team' } }, says: `spec.scheduling.queueName: "team": ${KUEUE}` },
  'scheduling.queuePriorityClassName': {
    spec: { scheduling: { queueName: 'team', queuePriorityClassName: 'high' } }, says: `spec.scheduling.queuePriorityClassName: "high": ${KUEUE}`,
  },
  'scheduling.queueMode': {
    spec: { scheduling: { queueName: 'team', queueMode: 'PodGroup' } },
    says: 'spec.scheduling.queueMode: "PodGroup": Spark is queued as a whole and not as a group of pods. Remove it.',
  },
  'scheduling.gang.scheduler': {
    spec: { scheduling: { gang: { scheduler: 'Kai' } } }, says: 'spec.scheduling.gang.scheduler: "Kai": Spark makes gangs for Volcano, YuniKorn, Coscheduling only. Remove it.',
  },
  'scheduling.gang.minAvailable': {
    spec: { scheduling: { gang: { scheduler: 'Volcano', minAvailable: 2 } } },
    says: 'spec.scheduling.gang.minAvailable: 2: Spark asks for the driver and all executors together, and for no part of them. Remove it.',
  },
  'scheduling.gang.scheduleTimeoutSeconds': {
    spec: { scheduling: { gang: { scheduler: 'Volcano', scheduleTimeoutSeconds: 30 } } },
    says: 'spec.scheduling.gang.scheduleTimeoutSeconds: 30: Spark sets no time limit on gangs. Remove it.',
  },
  'elastic.minReplicas': { spec: { elastic: ELASTIC }, says: `spec.elastic.minReplicas: 1: ${SIZE}` },
  'elastic.maxReplicas': { spec: { elastic: ELASTIC }, says: `spec.elastic.maxReplicas: 4: ${SIZE}` },
  'elastic.maxRestarts': { spec: { elastic: { ...ELASTIC, maxRestarts: 3 } }, says: `spec.elastic.maxRestarts: 3: ${SIZE}` },
  'autoTuning': {
    spec: { autoTuning: { objective: 'loss', parameters: { lr: { type: 'float', min: 0.1, max: 1 } } } }, says: 'Spark runs one job and searches for nothing. Remove it.',
  },
  'array': { spec: { array: { count: 3 } }, says: 'Spark runs one job and no array of them: it could not count copies, nor begin one after the other. Remove it.' },
  'preflight': {
    spec: { preflight: {} }, says: 'spec.preflight: {}: Spark knows no addresses before its executors run, and the checks between them come before that. Remove it.',
  },
  'security.networkPolicy.egress': {
    spec: { security: { networkPolicy: { egress: 'Limited' } } },
    says: 'Spark lets its driver make executors through the API server, whose address no policy can know. Remove it.',
  },
  'idle': {
    spec: { resources: { memory: '4Gi', gpu: 1 }, idle: { belowPercent: 5, forSeconds: 600 } }, says: 'Spark does not see how much of an accelerator is used. Remove it.',
  },
  'suspend': {
    spec: { suspend: true, scheduling: { queueName: 'team' } }, says: 'spec.suspend: true: Spark is suspended and resumed by Kueue while it is in a queue. Remove it.',
  },
  'managedBy': { spec: { managedBy: 'somebody' }, says: 'spec.managedBy: "somebody": Spark is managed by the Spark operator alone. Remove it.' },
};

function complaints(over: Partial<TrainingJobSpec>, settings: SparkEngineSettings = {}, name = 'net') {
  return validateForEngine(sparkEngine(settings), name, { ...jobWith(over), ...MEMORY, command: ['run'], ...over });
}

describe('Spark refuses', () => {
  test.each(Object.entries(FIELDS))('%s', (_field, { spec, says }) => {
    expect(refusals(ENGINE, { command: ['run'], ...MEMORY, ...spec })).toContainEqual(expect.stringContaining(says));
  });

  test('no field that is not in this table, but for limits that no value goes beyond', () => {
    expect(limitedFields(ENGINE).filter((field) => !(field in FIELDS))).toEqual(['runPolicy.activeDeadlineSeconds', 'debug']);
  });

  test.each(Object.entries(FRAMEWORKS))('%s', (framework, says) => {
    expect(refusals(ENGINE, { framework: framework as FrameworkName, command: ['run'], replicas: 2, ...MEMORY })).toEqual([says]);
  });

  test('no framework that is not in this table', () => {
    expect(limitedFrameworks(ENGINE)).toEqual(Object.keys(FRAMEWORKS));
  });

  test('a name that is too long for executors', () => {
    expect(complaints({}, {}, 'n'.repeat(47))).toEqual([]);
    expect(complaints({}, {}, 'n'.repeat(48))).toEqual([{
      path: 'metadata.name', value: 'n'.repeat(48), message: 'has 48 characters, and Spark makes names of executors of at most 47. Use at most 47 characters.',
    }]);
  });

  test('a job that leaves its program to the image', () => {
    expect(complaints({ command: undefined })).toMatchObject([{ path: 'spec.command', message: expect.stringContaining('is required on Spark: the containers run Spark\'s executors') }]);
  });

  test.each<[string, Partial<TrainingJobSpec>, string]>([
    ['a job without memory', { resources: { cpu: '1' } }, 'is required on Spark, which limits the memory of every executor: 512Mi of it are the JVM\'s. Ask for 1024Mi or more.'],
    ['too little memory', { resources: { memory: '600Mi' } }, 'is too little for an executor of Spark: 512Mi of it are the JVM\'s. Ask for 1024Mi or more.'],
  ])('%s', (_what, over, message) => {
    expect(complaints(over)).toEqual([{ path: 'spec.resources.memory', value: over.resources?.memory, message }]);
  });

  test('a variable of Spark\'s', () => {
    expect(complaints({ env: [{ name: 'SPARK_HOME', value: '/spark' }] })).toEqual([{
      path: 'spec.env[\'SPARK_HOME\']', value: '/spark', message: 'belongs to Spark, which sets such variables for its executors. Rename it.',
    }]);
  });

  test('roles of whom some have devices and others do not', () => {
    const job: Partial<TrainingJobSpec> = { framework: 'tensorflow', roles: [{ name: 'worker' }, { name: 'ps' }], resources: { memory: '4Gi', gpu: 1 } };
    expect(complaints(job)).toEqual([
      expect.objectContaining({ path: 'spec.roles', message: expect.stringMatching(/^Spark makes all replicas alike, but role worker and role ps differ in .* Make them the same/) }),
      expect.objectContaining({ path: 'spec.roles', message: expect.stringContaining('resources of the container training') }),
    ]);
  });

  test('a hook that is no program', () => {
    const template = { spec: { containers: [{ name: 'training', lifecycle: { preStop: { httpGet: { port: 80 } } } }] } };
    expect(complaints({ template })).toMatchObject([{ path: 'spec.template.spec.containers[\'training\'].lifecycle.preStop', value: ['httpGet'] }]);
  });

  test.each<[string, SparkEngineSettings, object]>([
    ['a Spark without pod templates', { sparkVersion: '2.4.8' }, { path: 'engine.sparkVersion', value: '2.4.8' }],
    ['a version that is none', { sparkVersion: 'latest' }, { path: 'engine.sparkVersion', value: 'latest' }],
    ['retries that are no number', { applicationRetries: 1.5 }, { path: 'engine.applicationRetries', value: 1.5 }],
    ['a driver that is too small', { driver: { memory: '512Mi' } }, { path: 'engine.driver.memory', value: '512Mi' }],
  ])('%s', (_what, settings, violation) => {
    expect(complaints({}, settings)).toMatchObject([violation]);
  });
});
