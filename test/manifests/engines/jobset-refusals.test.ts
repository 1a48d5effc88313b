import { jobSetEngine } from '../../../src/manifests/engines/jobset';
import type { JobSetEngineSettings } from '../../../src/manifests/engines/jobset/capabilities';
import { validateForEngine } from '../../../src/manifests/engines/validation';
import type { TrainingJobSpec } from '../../../src/model/training-job/spec';
import {
  type Asking, fieldOf, frameworkRefusal, limitedFields, limitedFrameworks, PLAIN_JOB, refusal,
} from './indexed/support/asking-for';

const ENGINE = jobSetEngine();

function complaints(over: Partial<TrainingJobSpec>, settings: JobSetEngineSettings = {}, name = 'net') {
  return validateForEngine(jobSetEngine(settings), name, { ...PLAIN_JOB, ...over });
}

const OR_OPERATOR = 'Remove it, or choose the Trainyard operator.';
const AT_ONCE = `JobSet restarts immediately, without a pause. ${OR_OPERATOR}`;
const LOST = `JobSet leaves pods on lost nodes to Kubernetes. ${OR_OPERATOR}`;
const SUSPECT = `JobSet does not remember on which nodes a job has failed. ${OR_OPERATOR}`;
const STALL = `JobSet does not track the progress of a job. ${OR_OPERATOR}`;
const SIZE = `JobSet cannot change the number of replicas of a running job. ${OR_OPERATOR}`;
const ENDED = `JobSet never restarts successful replicas. ${OR_OPERATOR}`;
const QUEUE = 'JobSet is admitted to its queue with all of its pods, so the quota of the replicas would be reserved while a hook runs. ' + OR_OPERATOR;
const BESIDE = 'does not stop the other replicas when those that decide have succeeded (runPolicy.successPolicy), so the hook would run at the same time';
const NO_KEYS = 'JobSet does not create the SSH keys for a launcher to reach its workers; set a Secret that has them (sshSecretName). Choose the Trainyard operator.';

const REFUSALS: readonly (readonly [key: Asking, message: string])[] = [
  ['roles[].restartPolicy Always', ENDED],
  ['runPolicy.restartPolicy Always', ENDED],
  ['runPolicy.backoff.initialSeconds', AT_ONCE],
  ['runPolicy.backoff.maxSeconds', AT_ONCE],
  ['runPolicy.backoff.resetAfterSeconds', AT_ONCE],
  ['runPolicy.restartInPlace', `JobSet starts new pods and never restarts a container in place. ${OR_OPERATOR}`],
  ['runPolicy.preRunningDeadlineSeconds', `JobSet waits without limit for its pods to run. ${OR_OPERATOR}`],
  ['runPolicy.startTimeoutSeconds', `JobSet waits forever for a pod that cannot start. ${OR_OPERATOR}`],
  ['runPolicy.nodeLoss.graceSeconds', LOST],
  ['runPolicy.nodeLoss.leaseGraceSeconds', LOST],
  ['runPolicy.nodeLoss.stuckPods', LOST],
  ['runPolicy.nodeLoss.forceDeleteAfterSeconds', LOST],
  ['runPolicy.nodeAvoidance.afterFailures', SUSPECT],
  ['runPolicy.nodeAvoidance.forSeconds', SUSPECT],
  ['runPolicy.disruptionLimit', `JobSet does not count disruptions: it allows them all, or with 0 none. ${OR_OPERATOR}`],
  ['runPolicy.cleanPodPolicy', `JobSet only removes pods that are still running. ${OR_OPERATOR}`],
  ['runPolicy.stall.timeoutSeconds', STALL],
  ['runPolicy.stall.action', STALL],
  ['scheduling.queueMode', `JobSet is queued as a whole and not as a group of pods. ${OR_OPERATOR}`],
  ['scheduling.gang.scheduler', `JobSet supports gangs only with Coscheduling and Volcano. ${OR_OPERATOR}`],
  ['scheduling.gang.scheduleTimeoutSeconds', `JobSet never releases a partially placed gang. ${OR_OPERATOR}`],
  ['elastic.minReplicas', SIZE],
  ['elastic.maxReplicas', SIZE],
  ['elastic.maxRestarts', SIZE],
  ['autoTuning', `JobSet runs one job and has no hyperparameter search. ${OR_OPERATOR}`],
  ['array', `JobSet runs one job and no arrays: it cannot count copies or start them one after the other. ${OR_OPERATOR}`],
  ['helpers that are ignored', `JobSet cannot continue after a helper fails (onFailure: Ignore). ${OR_OPERATOR}`],
  ['hooks.before in a queue', QUEUE],
  ['hooks.after in a queue', QUEUE],
  ['hooks.after of the coordinator', `JobSet ${BESIDE}; with successPolicy AllWorkers it waits for all. ${OR_OPERATOR}`],
  ['hooks.after beside parameter servers', `JobSet ${BESIDE}. ${OR_OPERATOR}`],
  ['hooks.after beside helpers', `JobSet does not stop helpers before it ends, so the hook would run at the same time. ${OR_OPERATOR}`],
  ['hooks.onExit', `JobSet creates no more pods when it has failed or succeeded. ${OR_OPERATOR}`],
  ['idle', `JobSet does not monitor the utilization of accelerators. ${OR_OPERATOR}`],
  ['suspend in a queue', `JobSet is suspended and resumed by Kueue while it is in a queue. ${OR_OPERATOR}`],
  ['managedBy', `JobSet requires the name of a controller as a domain and a path of at most 63 characters, such as kueue.x-k8s.io/multikueue. ${OR_OPERATOR}`],
];

describe('a JobSet is refused', () => {
  test.each(REFUSALS)('what it cannot do: %s', (key, message) => {
    expect(refusal(ENGINE, key)).toBe(message);
  });

  test('nothing else: every limit has its message above, or no value goes beyond it', () => {
    const told = new Set<string>(REFUSALS.map(([key]) => fieldOf(key)));
    expect(limitedFields(ENGINE).filter((field) => !told.has(field))).toEqual(['runPolicy.activeDeadlineSeconds', 'preflight', 'debug']);
  });

  test.each(['mpi', 'horovod', 'deepspeed'] as const)('%s without keys', (framework) => {
    expect(frameworkRefusal(ENGINE, framework)).toBe(NO_KEYS);
    expect(limitedFrameworks(ENGINE)).toContain(framework);
    expect(limitedFrameworks(ENGINE)).toHaveLength(3);
    expect(limitedFrameworks(jobSetEngine({ sshSecretName: 'keys' }))).toEqual([]);
  });

  test('a name with which a pod of its could not be made', () => {
    expect(complaints({}, {}, 'n'.repeat(46))).toEqual([]);
    expect(complaints({}, {}, 'n'.repeat(47))).toEqual([{
      path: 'metadata.name', value: 'n'.repeat(47),
      message: `is too long for JobSet: its longest pod would be '${'n'.repeat(47)}-worker-0-1-abcde' with 64 characters, and JobSet allows 63. Use at most 46 characters.`,
    }]);
  });

  test('dependencies on roles that are not there, and those that go round', () => {
    const status = 'Ready';
    const roles = [{ name: 'chief' }, { name: 'worker', replicas: 2 }];
    const job: Partial<TrainingJobSpec> = { framework: 'tensorflow', replicas: undefined, roles };
    expect(complaints(job, { dependsOn: [{ role: 'worker', on: 'cheif', status }] })).toEqual([{
      path: 'engine.dependsOn[0].on', value: 'cheif', message: 'is not a role of the job, which has chief, worker. Did you mean \'chief\'?',
    }]);
    expect(complaints(job, { dependsOn: [{ role: 'worker', on: 'chief', status }, { role: 'chief', on: 'worker', status }] })).toEqual([{
      path: 'engine.dependsOn', value: 'worker -> chief -> worker', message: 'creates a cycle, so no role could ever start. Remove one of the dependencies.',
    }]);
  });

  test('a gang whose pods do not exist at the same time', () => {
    const gang: Partial<TrainingJobSpec> = { framework: 'pytorch', scheduling: { gang: { scheduler: 'Coscheduling' } } };
    expect(complaints(gang, { dependsOn: [{ role: 'worker', on: 'master', status: 'Ready' }] })).toEqual([{
      path: 'spec.scheduling.gang', value: 'Coscheduling',
      message: 'cannot be placed as a whole while roles wait for each other (engine.dependsOn): their pods do not exist at the same time. Remove one of the two.',
    }]);
  });

  test('a hook after more roles than a JobSet can wait for', () => {
    const roles = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => ({ name }));
    const hooks = { after: { command: ['x'] } };
    const job = (count: number): Partial<TrainingJobSpec> => ({ framework: 'plain', replicas: undefined, roles: roles.slice(0, count), hooks, runPolicy: { successPolicy: 'AllReplicas' } });
    expect(complaints(job(5))).toEqual([]);
    expect(complaints(job(6))).toEqual([{
      path: 'spec.hooks.after', value: ['a', 'b', 'c', 'd', 'e', 'f'],
      message: 'waits for 6 replicated jobs, and JobSet allows 5. Use fewer roles, run this step as a job in a pipeline, or choose the Trainyard operator.',
    }]);
  });

  test('a name with which the pod of a hook could not be made', () => {
    const hooks = { before: { command: ['x'] } };
    expect(complaints({ hooks }, {}, 'n'.repeat(41))).toEqual([]);
    expect(complaints({ hooks }, {}, 'n'.repeat(42))).toMatchObject([{ path: 'metadata.name', message: expect.stringContaining('-hook-before-0-0-abcde\' with 64 characters') }]);
  });

  test('two topologies that contradict each other', () => {
    expect(complaints({ scheduling: { topology: { key: 'rack' } } }, { exclusiveTopology: 'pool' })).toEqual([{
      path: 'spec.scheduling.topology.key', value: 'rack',
      message: 'keeps all replicas in one domain, and the engine\'s exclusiveTopology (pool) gives each role its own domain. Remove one of the two.',
    }]);
  });

  test('a Job a role without a command for the shell', () => {
    expect(complaints({ framework: 'pytorch', replicas: 3, command: undefined })).toEqual([]);
    expect(complaints({ framework: 'pytorch', replicas: 3, command: undefined }, { jobPerRole: true })).toMatchObject([{
      path: 'spec.command', message: expect.stringContaining('is required on JobSet: RANK and PET_NODE_RANK differ between replicas'),
    }]);
  });
});
