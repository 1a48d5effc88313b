/**
 * JobSet's own manager, webhooks and all, and Kubernetes' Job controller run what the engine renders: pods get the operator's environment, and
 * failures, disruptions and successes mean what they mean on the operator. Skipped, and said so, where the manager is not built.
 */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { testWith } from './support/with-programs';
import { FORMS } from '../cluster/engines/support/accepted-job';
import { eventually, type TestObject } from '../cluster/support/cluster';
import { readYaml } from '../cluster/support/crds';
import { TestApi } from '../cluster/support/test-api';
import { findGoProgram } from '../cluster/support/upstream/go-program';
import { JOBSET, startJobSetManager } from '../cluster/support/upstream/jobset';
import { upstreamCrds } from '../support/upstream-definitions';
import { environmentInside, PRINT_ENVIRONMENT } from '../manifests/engines/indexed/support/container-view';
import { ControlPlane } from '../../src/local/control-plane';
import type { Child } from '../../src/local/control-plane/child-process';
import { containerEnvironment } from '../../src/local/process/pod-fields';
import { MemoryObjectSource } from '../../src/local/process/object-source';
import { jobSetEngine } from '../../src/manifests/engines/jobset';
import type { JobSetEngineSettings } from '../../src/manifests/engines/jobset/capabilities';
import { validateForEngine } from '../../src/manifests/engines/validation';
import type { Pod, PodSpec } from '../../src/manifests/kubernetes';
import { replicaEnvironment } from '../../src/model/training-job/environment/environment';
import { resolveTrainingJob } from '../../src/model/training-job/replicas/resolve';
import { FRAMEWORK_NAMES, type TrainingJobSpec } from '../../src/model/training-job/spec';

const JOBSETS = '/apis/jobset.x-k8s.io/v1alpha2';
const RESTART_ATTEMPT = 'jobset.sigs.k8s.io/restart-attempt';
const CONTROLLERS = [
  'job-controller', 'garbage-collector-controller', 'namespace-controller', 'serviceaccount-controller', 'root-ca-certificate-publisher-controller',
];

const found = findGoProgram(JOBSET);
const withJobSet = testWith(found.missing, 'JobSet\'s own manager', () => [manager]);

let plane: ControlPlane | undefined;
let api: TestApi;
let manager: Child | undefined;
let namespace: string;
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'trainyard-jobset-'));

beforeAll(async () => {
  plane = await ControlPlane.start({ controllerManager: { controllers: CONTROLLERS } });
  api = new TestApi(plane.access());
  await api.define(upstreamCrds('jobset').flatMap(readYaml));
  manager = await startJobSetManager(found.program!, folder, plane.kubeconfigPath, api);
  namespace = await api.createNamespace('team');
  // Whatever it refuses, it answers.
  await eventually('JobSet\'s webhooks to answer', async () => start('probe', BASE).then(() => true, () => false));
});
afterAll(async () => {
  await manager?.stop(10_000);
  await plane?.stop();
  fs.rmSync(folder, { recursive: true, force: true });
});

const BASE: TrainingJobSpec = { framework: 'pytorch', image: 'image', replicas: 3, command: PRINT_ENVIRONMENT };

async function start(name: string, spec: TrainingJobSpec, settings: JobSetEngineSettings = {}): Promise<void> {
  const engine = jobSetEngine(settings);
  expect(validateForEngine(engine, name, spec)).toEqual([]);
  await api.send('POST', `${JOBSETS}/namespaces/${namespace}/jobsets?fieldValidation=Strict`, engine.render({ name, namespace, spec }).job);
}

/** The pods of replicas of an attempt, when they are all there. */
async function podsOf(name: string, count: number, attempt = 0): Promise<TestObject[]> {
  return eventually(`${count} pods of attempt ${attempt} of ${name}`, async () => {
    await letGo(name);
    const found = await api.list('pods', namespace, `job=${name},role!=hook,${RESTART_ATTEMPT}=${attempt}`);
    return found.length === count && found;
  });
}

/** Pods that are being deleted are let go, as a kubelet would. */
async function letGo(name: string): Promise<void> {
  const leaving = (await api.list('pods', namespace, `job=${name}`)).filter(({ metadata }) => metadata.deletionTimestamp !== undefined);
  await Promise.all(leaving.map(async ({ metadata }) => api.remove('pods', namespace, metadata.name, { gracePeriodSeconds: 0 }).catch(() => undefined)));
}

async function setStatus(pod: TestObject, status: object): Promise<void> {
  await api.send('PATCH', `/api/v1/namespaces/${namespace}/pods/${pod.metadata.name}/status`, { status }, 'application/merge-patch+json');
}

async function run(pods: readonly TestObject[]): Promise<void> {
  await Promise.all(pods.map(async (pod) => setStatus(pod, { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] })));
}

/** The pod of a hook, in an attempt and a try of it. */
async function hookPod(name: string, hook: 'before' | 'after', attempt = 0, without: readonly TestObject[] = []): Promise<TestObject> {
  return eventually(`the pod of ${hook} in attempt ${attempt} of ${name}`, async () => {
    await letGo(name);
    const pods = await api.list('pods', namespace, `job=${name},ml.collabnix.io/hook=${hook},${RESTART_ATTEMPT}=${attempt}`);
    return pods.find(({ metadata }) => metadata.deletionTimestamp === undefined && !without.some((other) => other.metadata.name === metadata.name));
  });
}

/** What becomes of a hook's pod where its words are run as they stand in it; `prepared` when its program was reached. */
async function runHook(pod: TestObject): Promise<string> {
  const [hook] = (pod.spec as PodSpec).containers;
  const env = Object.fromEntries(await containerEnvironment(pod as unknown as Pod, hook, new MemoryObjectSource()));
  const [program, ...words] = [...hook.command!, ...hook.args ?? []];
  return execFileSync(program, words, { env: { PATH: process.env.PATH, ...env }, encoding: 'utf8' });
}

async function end(pod: TestObject, exitCode: number, isDisrupted = false, container = 'training'): Promise<void> {
  await setStatus(pod, {
    phase: exitCode === 0 ? 'Succeeded' : 'Failed',
    ...(isDisrupted && { conditions: [{ type: 'DisruptionTarget', status: 'True', reason: 'PreemptionByScheduler' }] }),
    containerStatuses: [{ name: container, image: 'image', imageID: '', ready: false, restartCount: 0, state: { terminated: { exitCode, reason: 'Error' } } }],
  });
}

const jobSet = async (name: string) => api.send('GET', `${JOBSETS}/namespaces/${namespace}/jobsets/${name}`);

async function untilEnded(name: string): Promise<string> {
  return eventually(`the end of ${name}`, async () => {
    const conditions = ((await jobSet(name)).status?.conditions ?? []) as { type: string; status: string; reason: string }[];
    const ended = conditions.find(({ type, status }) => status === 'True' && (type === 'Completed' || type === 'Failed'));
    return ended && `${ended.type} ${ended.reason}`;
  });
}

/** Every replica's pod carries the variables that the operator would give it. */
async function checkEnvironments(name: string, spec: TrainingJobSpec, settings: JobSetEngineSettings): Promise<void> {
  await start(name, spec, settings);
  const job = resolveTrainingJob(name, spec);
  const pods = await podsOf(name, job.replicas.length);
  const hostOf = (pod: TestObject) => (pod.spec as PodSpec).hostname!;
  const told = jobSetEngine(settings).environments({ name, spec });
  const podOf = ({ ordinal }: { ordinal: number }) => pods.find((pod) => `${hostOf(pod)}-*` === told[ordinal].pod)!;
  const addresses = {
    host: (replica: { ordinal: number }) => `${hostOf(podOf(replica))}.${(podOf(replica).spec as PodSpec).subdomain}`,
    port: (_replica: unknown, _name: string, standard: number) => standard,
  };
  for (const replica of job.replicas) {
    const pod = podOf(replica) as unknown as Pod;
    const training = pod.spec!.containers.find((container) => container.name === 'training')!;
    const alone = { ...training, env: replicaEnvironment({ job, replica, addresses }, 0) as [] };
    const expected = Object.fromEntries(await containerEnvironment(pod, alone, new MemoryObjectSource()));
    const found = Object.entries(await environmentInside(pod, training)).filter(([variable]) => !/^(JOB_COMPLETION_INDEX|JOBSET_JOB_(GROUP_)?INDEX)$/.test(variable));
    expect(Object.fromEntries(found)).toEqual(expected);
  }
  await api.send('DELETE', `${JOBSETS}/namespaces/${namespace}/jobsets/${name}`);
}

FRAMEWORK_NAMES.forEach((framework) => withJobSet(`pods of ${framework} get the operator's environment`, async () => {
  for (const [index, form] of FORMS[framework].entries()) {
    const spec = { framework, image: 'image', command: PRINT_ENVIRONMENT, ...form } as TrainingJobSpec;
    await checkEnvironments(`${framework}-${index}`, spec, { sshSecretName: 'keys' });
    await checkEnvironments(`${framework}-${index}-one`, spec, { sshSecretName: 'keys', jobPerRole: true });
  }
}));

withJobSet('all replicas start again after disruptions, which are not counted, and are told the attempt', async () => {
  await start('spot', { ...BASE, runPolicy: { restartPolicy: 'OnFailure', backoffLimit: 1, exitCodes: { fail: [9], recover: [75] } } });
  for (const attempt of [0, 1]) {
    const pods = await podsOf('spot', 3, attempt);
    await run(pods);
    await end(pods[1], 143, true);
  }
  const third = await podsOf('spot', 3, 2);
  await run(third);
  await end(third[2], 75);
  const fourth = await podsOf('spot', 3, 3);
  expect((await jobSet('spot')).status).toMatchObject({ restarts: 3 });
  expect((await jobSet('spot')).status.restartsCountTowardsMax ?? 0).toBe(0);
  expect((await environmentInside(fourth[0] as unknown as Pod, (fourth[0].spec as PodSpec).containers[0])).TRAINYARD_ATTEMPT).toBe('3');
  await run(fourth);
  await end(fourth[0], 1);
  const fifth = await podsOf('spot', 3, 4);
  expect((await jobSet('spot')).status).toMatchObject({ restartsCountTowardsMax: 1 });
  await run(fifth);
  await end(fifth[0], 1);
  expect(await untilEnded('spot')).toBe('Failed ReachedMaxRestarts');
});

const POLICIES: readonly (readonly [what: string, name: string, runPolicy: TrainingJobSpec['runPolicy'], exitCode: number])[] = [
  ['a failure that nothing retries', 'never', {}, 1],
  ['an exit code that is never retried', 'fatal', { restartPolicy: 'OnFailure', exitCodes: { fail: [9] } }, 9],
  ['an exit code of the program with ExitCode', 'own-code', { restartPolicy: 'ExitCode' }, 2],
];

POLICIES.forEach(([what, name, runPolicy, exitCode]) => withJobSet(`${what} ends the job`, async () => {
  await start(name, { ...BASE, runPolicy });
  const pods = await podsOf(name, 3);
  await run(pods);
  await end(pods[2], exitCode);
  expect(await untilEnded(name)).toBe('Failed FailJobSetFailurePolicyAction');
}));

withJobSet('the exit code of a signal is retried with ExitCode', async () => {
  await start('signal', { ...BASE, runPolicy: { restartPolicy: 'ExitCode' } });
  const pods = await podsOf('signal', 3);
  await run(pods);
  await end(pods[2], 137);
  await podsOf('signal', 3, 1);
});

withJobSet('the master\'s success is the job\'s, which goes when its time has come', async () => {
  await start('done', { ...BASE, runPolicy: { ttlSecondsAfterFinished: 5 } });
  const pods = await podsOf('done', 3);
  await run(pods);
  await end(pods.find(({ metadata }) => (metadata as Pod['metadata'])!.labels!.role === 'master')!, 0);
  expect(await untilEnded('done')).toBe('Completed AllJobsCompleted');
  await eventually('the JobSet to be gone', async () => jobSet('done').then(() => false, () => true));
});

withJobSet('roles wait for those that they depend on', async () => {
  const roles = [{ name: 'chief' }, { name: 'worker', replicas: 2 }, { name: 'ps', replicas: 2 }];
  const dependsOn = [{ role: 'chief', on: 'ps', status: 'Ready' }, { role: 'worker', on: 'ps', status: 'Ready' }] as const;
  await start('waits', { ...BASE, framework: 'tensorflow', replicas: undefined, roles }, { dependsOn });
  const first = await podsOf('waits', 2);
  expect(first.map(({ metadata }) => (metadata as Pod['metadata'])!.labels!.role)).toEqual(['ps', 'ps']);
  await run(first);
  await podsOf('waits', 5);
});

const HOOK = { command: ['echo', 'prepared'] };
const ALL_WORKERS = { successPolicy: 'AllWorkers' } as const;
const HOOKED: TrainingJobSpec = { ...BASE, runPolicy: ALL_WORKERS, hooks: { before: HOOK, after: HOOK } };

/** No replica has a pod, now that the controllers have had the occasion to make one. */
async function expectNoReplicas(name: string): Promise<void> {
  const pods = await api.list('pods', namespace, `job=${name},role!=hook`);
  expect(pods.map(({ metadata }) => metadata.name)).toEqual([]);
}

withJobSet('before ends before there are replicas, after starts when they have ended, and its end is the job\'s', async () => {
  await start('hooks', HOOKED);
  const before = await hookPod('hooks', 'before');
  await run([before]);
  await eventually('before to run', async () => ((await jobSet('hooks')).status?.replicatedJobsStatus as { name: string; ready: number }[] | undefined)
    ?.some(({ name, ready }) => name === 'hook-before' && ready === 1));
  await expectNoReplicas('hooks');
  expect(await runHook(before)).toBe('prepared\n');
  await end(before, 0, false, 'hook');
  const replicas = await podsOf('hooks', 3);
  await run(replicas);
  await end(replicas[0], 0);
  await end(replicas[1], 0);
  await eventually('two replicas to have ended', async () => ((await jobSet('hooks')).status.replicatedJobsStatus as { name: string; succeeded: number }[])
    .filter(({ name }) => name !== 'hook-before').reduce((sum, { succeeded }) => sum + succeeded, 0) === 2);
  expect(await api.list('pods', namespace, 'job=hooks,ml.collabnix.io/hook=after')).toEqual([]);
  await end(replicas[2], 0);
  const after = await hookPod('hooks', 'after');
  expect((await jobSet('hooks')).status.terminalState).toBeUndefined();
  expect(await runHook(after)).toBe('prepared\n');
  await end(after, 0, false, 'hook');
  expect(await untilEnded('hooks')).toBe('Completed AllJobsCompleted');
});

withJobSet('a hook is tried again as often as it says, a pod that the cluster removes is not counted, and then the job has failed', async () => {
  await start('tries', { ...HOOKED, runPolicy: { ...ALL_WORKERS, restartPolicy: 'OnFailure', backoffLimit: 3 }, hooks: { before: { ...HOOK, backoffLimit: 1 } } });
  const first = await hookPod('tries', 'before');
  await end(first, 137, true, 'hook');
  const second = await hookPod('tries', 'before', 0, [first]);
  await end(second, 1, false, 'hook');
  const third = await hookPod('tries', 'before', 0, [first, second]);
  await end(third, 1, false, 'hook');
  expect(await untilEnded('tries')).toBe('Failed FailJobSetFailurePolicyAction');
  await expectNoReplicas('tries');
  expect((await jobSet('tries')).status.restarts ?? 0).toBe(0);
});

withJobSet('after the success of all replicas a failing hook fails the job, and no replica runs again', async () => {
  await start('unregistered', { ...HOOKED, runPolicy: { ...ALL_WORKERS, restartPolicy: 'OnFailure', backoffLimit: 3 }, hooks: { after: HOOK } });
  const replicas = await podsOf('unregistered', 3);
  await run(replicas);
  await Promise.all(replicas.map(async (pod) => end(pod, 0)));
  await end(await hookPod('unregistered', 'after'), 1, false, 'hook');
  expect(await untilEnded('unregistered')).toBe('Failed FailJobSetFailurePolicyAction');
  expect((await jobSet('unregistered')).status.restarts ?? 0).toBe(0);
});

withJobSet('a hook that takes longer than its time fails the job', async () => {
  await start('slow', { ...HOOKED, hooks: { before: { ...HOOK, timeoutSeconds: 1 } } });
  const pod = await hookPod('slow', 'before');
  await run([pod]);
  expect(await untilEnded('slow')).toBe('Failed FailJobSetFailurePolicyAction');
  await expectNoReplicas('slow');
});

withJobSet('a failed hook of replicas that are independent fails the job too', async () => {
  await start('independent', { ...BASE, framework: 'plain', hooks: { before: HOOK } });
  await end(await hookPod('independent', 'before'), 1, false, 'hook');
  expect(await untilEnded('independent')).toBe('Failed FailedJobs');
  await expectNoReplicas('independent');
});

withJobSet('a restart of the replicas does not repeat before', async () => {
  await start('again', { ...HOOKED, runPolicy: { ...ALL_WORKERS, restartPolicy: 'OnFailure', backoffLimit: 1 }, hooks: { before: HOOK } });
  const first = await hookPod('again', 'before');
  expect(await runHook(first)).toBe('prepared\n');
  await end(first, 0, false, 'hook');
  const replicas = await podsOf('again', 3);
  await run(replicas);
  await end(replicas[1], 1);
  const second = await hookPod('again', 'before', 1);
  expect(await runHook(second)).toBe('');
  await end(second, 0, false, 'hook');
  await podsOf('again', 3, 1);
});

withJobSet('a suspended job runs its hook when it is resumed, and again from its start', async () => {
  await start('paused', { ...HOOKED, suspend: true });
  await eventually('the Job of before', async () => api.send('GET', `/apis/batch/v1/namespaces/${namespace}/jobs/paused-hook-before-0`).then(() => true, () => false));
  expect(await api.list('pods', namespace, 'job=paused')).toEqual([]);
  await api.send('PATCH', `${JOBSETS}/namespaces/${namespace}/jobsets/paused`, { spec: { suspend: false } }, 'application/merge-patch+json');
  await end(await hookPod('paused', 'before'), 0, false, 'hook');
  await podsOf('paused', 3);
});

withJobSet('the longest name that the engine allows is the longest that JobSet takes', async () => {
  const send = async (name: string) => api.send('POST', `${JOBSETS}/namespaces/${namespace}/jobsets?dryRun=All`,
    jobSetEngine().render({ name, spec: { ...BASE, framework: 'jax', replicas: 2 } }).job);
  await send('n'.repeat(46));
  await expect(send('n'.repeat(47))).rejects.toThrow('denied the request');
  expect(validateForEngine(jobSetEngine(), 'n'.repeat(47), { ...BASE, framework: 'jax', replicas: 2 })).toHaveLength(1);
});
