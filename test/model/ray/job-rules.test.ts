import { cluster, cronJob, elastic, head, job, jobOn, saidOfObject } from './clusters';
import { constructRayCronJobSpec, constructRayJobSpec } from '../../../src/manifests/ray/job';
import type { NamedRayJob, RayDeletionRuleSpec, RayJobSpec } from '../../../src/model/ray/job';
import { validateRayCronJob, validateRayJob, type NamedRayCronJob } from '../../../src/model/ray/validation';
import { formatViolation } from '../../../src/model/violations';

const long = (length: number) => 'a'.repeat(length);
const queued = { queue: { queueName: 'q' } };
const ruled = (rules: readonly RayDeletionRuleSpec[], changes: Partial<RayJobSpec> = {}) => (
  job({ shutdownAfterJobFinishes: undefined, deletionRules: rules, ...changes })
);
const rule = (policy: RayDeletionRuleSpec['policy'], ttlSeconds = 0, end: RayDeletionRuleSpec['end'] = 'SUCCEEDED'): RayDeletionRuleSpec => ({ policy, end, ttlSeconds });

/** What an object in YAML does not say, or says in a text of YAML, which is not read. */
const ONLY_IN_CODE: readonly string[] = [
  'two ways to install packages', 'a folder at a URL that is no archive', 'a folder of a scheme that Ray does not know', 'a variable with an equals sign',
  'a field that has a property', 'annotations that nobody gives to the jobs',
];

/** What is wrong, the job, how the line begins that says so. One broken rule each. */
const BROKEN: readonly (readonly [string, NamedRayJob, string])[] = [
  ['a name of 48 characters', job({}, { name: long(48) }), `metadata.name: "${long(48)}": has 48 characters, and KubeRay allows a RayJob 47, because its cluster is NAME-xxxxx.`],
  ['no cluster', job({ cluster: undefined, shutdownAfterJobFinishes: undefined }), 'spec.rayClusterSpec: is required: a job runs on a new cluster'],
  ['two clusters', job({ clusterName: 'ray', shutdownAfterJobFinishes: undefined }), 'spec.clusterSelector: "ray": refers to an existing cluster, but the job also defines a new one.'],
  ['a cluster that is wrong', job({ cluster: cluster({ rayVersion: 'new' }) }), 'spec.rayClusterSpec.rayVersion: "new": must be a version of Ray'],
  ['tokens of Kubernetes', job({ cluster: cluster({ rayVersion: '2.55.0', auth: { kubernetes: true } }) }), 'spec.rayClusterSpec.authOptions.enableK8sTokenAuth: true: is not supported for a RayJob'],

  // How it is submitted.
  ['no program', job({ entrypoint: undefined }), 'spec.entrypoint: is required: the command that runs on the cluster'],
  ['an empty program', job({ entrypoint: ' ' }), 'spec.entrypoint: " ": is required'],
  ['a program that nobody runs', job({ submissionMode: 'InteractiveMode' }), 'spec.entrypoint: "python train.py": is never run in InteractiveMode'],
  ['retries of what you have submitted', job({ entrypoint: undefined, submissionMode: 'InteractiveMode', backoffLimit: 1 }), 'spec.backoffLimit: 1: cannot be combined with InteractiveMode'],
  ['a pod that submits, and none does', job({ submissionMode: 'HTTPMode', submitter: { backoffLimit: 1 } }), 'spec.submitterPodTemplate: "HTTPMode": has no submitter pod to configure'],
  ['a pod that submits beside the head', job({ submissionMode: 'SidecarMode', submitter: { image: 'ray:1' } }), 'spec.submitterPodTemplate: "SidecarMode": has no submitter pod to configure'],
  ['a head that restarts beside its driver', job({ submissionMode: 'SidecarMode', cluster: cluster({ head: head({ podSpec: { restartPolicy: 'Always' } }) }) }),
    'spec.rayClusterSpec.headGroupSpec.template.spec.restartPolicy: "Always": must be Never or left out in SidecarMode'],
  ['a container in a head that runs', jobOn({ submissionMode: 'SidecarMode' }), 'spec.submissionMode: "SidecarMode": adds a container to the head'],
  ['new clusters for a job without one', jobOn({ backoffLimit: 2 }), 'spec.backoffLimit: 2: starts the job again on a new cluster'],
  ['an end of somebody else\'s cluster', jobOn({ shutdownAfterJobFinishes: true }), 'spec.shutdownAfterJobFinishes: true: does not shut down a cluster that the job does not own.'],
  ['one id for several attempts', job({ jobId: 'a', backoffLimit: 1 }), 'spec.jobId: "a": is one id for all attempts'],

  // Limits.
  ['a deadline of nothing', job({ activeDeadlineSeconds: 0 }), 'spec.activeDeadlineSeconds: 0: must be whole seconds, 1 or more.'],
  ['a deadline before the program of nothing', job({ preRunningDeadlineSeconds: 0 }), 'spec.preRunningDeadlineSeconds: 0: must be whole seconds, 1 or more.'],
  ['a beginning that is longer than the whole', job({ activeDeadlineSeconds: 60, preRunningDeadlineSeconds: 61 }), 'spec.preRunningDeadlineSeconds: 61: is longer than the whole job may take (activeDeadline, 60 s).'],
  ['fewer than no retries', job({ backoffLimit: -1 }), 'spec.backoffLimit: -1: must be a whole number, 0 or more.'],
  ['fewer than no attempts to submit', job({ submitter: { backoffLimit: -1 } }), 'spec.submitterConfig.backoffLimit: -1: must be a whole number, 0 or more.'],
  ['fewer than no cores', job({ entrypointResources: { cpus: -1 } }), 'spec.entrypointNumCpus: -1: must be a number, 0 or more.'],
  ['fewer than no resources of the author\'s', job({ entrypointResources: { custom: { a: -1 } } }), 'spec.entrypointResources.a: -1: must be a number, 0 or more.'],

  // The environment.
  ['two ways to install packages', job({ runtimeEnv: { pip: ['a'], uv: ['b'] } }), 'spec.runtimeEnvYAML: ["pip","uv"]: cannot be combined'],
  ['a folder at a URL that is no archive', job({ runtimeEnv: { workingDir: 's3://bucket/app' } }), 'spec.runtimeEnvYAML.working_dir: "s3://bucket/app": is downloaded, so it must be an archive'],
  ['a folder of a scheme that Ray does not know', job({ runtimeEnv: { pyModules: ['ftp://host/a.zip'] } }), 'spec.runtimeEnvYAML.py_modules[0]: "ftp://host/a.zip": must be the URL of an archive'],
  ['a variable with an equals sign', job({ runtimeEnv: { envVars: { 'A=B': 'c' } } }), 'spec.runtimeEnvYAML.env_vars: "A=B": is not a valid variable name.'],
  ['a field that has a property', job({ runtimeEnv: { more: { pip: ['a'] } } }), 'spec.runtimeEnvYAML.pip: ["a"]: has its own property.'],

  // What goes at the end.
  ['a time after which a cluster stays', job({ shutdownAfterJobFinishes: false, ttlSecondsAfterFinished: 60 }), 'spec.ttlSecondsAfterFinished: 60: is the time until a cluster is shut down'],
  ['a time beside rules', ruled([rule('DeleteSelf')], { ttlSecondsAfterFinished: 60 }), 'spec.ttlSecondsAfterFinished: 60: cannot be combined with deletionRules'],
  ['a time below none', job({ ttlSecondsAfterFinished: -1 }), 'spec.ttlSecondsAfterFinished: -1: must be whole seconds, 0 or more.'],
  ['rules beside a shutdown', ruled([rule('DeleteSelf')], { shutdownAfterJobFinishes: true }), 'spec.shutdownAfterJobFinishes: true: cannot be combined with deletionRules'],
  ['no rule', ruled([]), 'spec.deletionStrategy.deletionRules: []: must have at least one rule.'],
  ['a rule below no time', ruled([rule('DeleteSelf', -1)]), 'spec.deletionStrategy.deletionRules[0].condition.ttlSeconds: -1: must be whole seconds'],
  ['a rule on somebody else\'s cluster', jobOn({ deletionRules: [rule('DeleteCluster')] }), 'spec.deletionStrategy.deletionRules[0].policy: "DeleteCluster": deletes a cluster that is not the job\'s.'],
  ['workers that an autoscaler starts again', ruled([rule('DeleteWorkers')], { cluster: elastic() }), 'spec.deletionStrategy.deletionRules[0].policy: "DeleteWorkers": cannot be combined with an autoscaler'],
  ['a rule twice', ruled([rule('DeleteSelf', 1), rule('DeleteSelf', 2)]), 'spec.deletionStrategy.deletionRules[1]: "DeleteSelf": already exists for jobs that succeed.'],
  ['a cluster before its workers', ruled([rule('DeleteWorkers', 60), rule('DeleteCluster', 30)]),
    'spec.deletionStrategy.deletionRules: "DeleteCluster after 30 s": comes before DeleteWorkers (60 s) for jobs that succeed, and makes it void. Use 60 s or more.'],
  ['a job before its cluster', ruled([rule('DeleteSelf', 1, 'DeploymentFailed'), rule('DeleteCluster', 2, 'DeploymentFailed')]), 'spec.deletionStrategy.deletionRules: "DeleteSelf after 1 s": comes before DeleteCluster (2 s) for jobs that KubeRay gives up on'],

  // Suspension and queues.
  ['suspension that keeps the cluster', job({ suspend: true, shutdownAfterJobFinishes: false }), 'spec.suspend: true: needs a cluster that is shut down at the end of the job.'],
  ['suspension of somebody else\'s cluster', jobOn({ suspend: true }), 'spec.suspend: true: deletes the cluster of a job, but this one runs on an existing cluster.'],
  ['a queue for somebody else\'s cluster', jobOn({}, queued), 'metadata.labels[\'kueue.x-k8s.io/queue-name\']: "q": queues the cluster of a job'],
  ['a queue that gets nothing back', job({ shutdownAfterJobFinishes: false }, queued), 'spec.shutdownAfterJobFinishes: false: must be true for queued jobs, so '],
];

test.each(BROKEN)('a job with %s is told so, and nothing else', (what, broken, line) => {
  const lines = validateRayJob(broken).map(formatViolation);
  expect(lines).toHaveLength(1);
  expect(lines[0].slice(0, line.length)).toBe(line);
  expect(saidOfObject('RayJob', broken, constructRayJobSpec(broken))).toEqual(ONLY_IN_CODE.includes(what) ? [] : lines);
});

const BROKEN_SCHEDULES: readonly (readonly [string, NamedRayCronJob, string])[] = [
  ['a name of 37 characters', cronJob({ name: long(37) }), `metadata.name: "${long(37)}": has 37 characters, and KubeRay allows a RayCronJob 36, because its job names contain the time.`],
  ['four fields', cronJob({ schedule: '0 3 * *' }), 'spec.schedule: "0 3 * *": must have five fields'],
  ['the time zone in the schedule', cronJob({ schedule: 'TZ=UTC 0 3 * * *' }), 'spec.schedule: "TZ=UTC 0 3 * * *": contains a time zone'],
  ['a time zone that there is not', cronJob({ timeZone: 'Europe/Munich' }), 'spec.timeZone: "Europe/Munich": is not a time zone'],
  ['a job that is wrong', cronJob({}, { entrypoint: undefined }), 'spec.jobTemplate.entrypoint: is required'],
  ['a cluster that is wrong', cronJob({}, { cluster: cluster({ rayVersion: 'new' }) }), 'spec.jobTemplate.rayClusterSpec.rayVersion: "new": must be a version of Ray'],
  ['one id for all runs', cronJob({}, { jobId: 'a' }), 'spec.jobTemplate.jobId: "a": is one id for all runs'],
  ['annotations that nobody gives to the jobs', cronJob({}, { cluster: cluster({ head: head({ ingress: { className: 'nginx' } }) }) }),
    'spec.jobTemplate.rayClusterSpec.headGroupSpec.ingressOptions: "nginx": must be an annotation of each job'],
];

test.each(BROKEN_SCHEDULES)('a schedule with %s is told so, and nothing else', (what, broken, line) => {
  const lines = validateRayCronJob(broken).map(formatViolation);
  expect(lines).toHaveLength(1);
  expect(lines[0].slice(0, line.length)).toBe(line);
  expect(saidOfObject('RayCronJob', broken, constructRayCronJobSpec(broken))).toEqual(ONLY_IN_CODE.includes(what) ? [] : lines);
});

test.each([
  ['the least', job()],
  ['the longest name', job({}, { name: long(47) })],
  ['on a cluster that is there', jobOn()],
  ['in a queue', job({}, queued)],
  ['that you submit', job({ entrypoint: undefined, submissionMode: 'InteractiveMode' })],
  ['with a rule for each end and thing', ruled([rule('DeleteWorkers', 1), rule('DeleteCluster', 1), rule('DeleteSelf', 9), rule('DeleteSelf', 0, 'FAILED'), rule('DeleteNone', 0, 'DeploymentFailed')])],
  ['with files in the image', job({ runtimeEnv: { workingDir: '/app', pip: ['a'], more: { config: {} } } })],
] as const)('a job %s is in order', (_what, fine) => {
  expect(validateRayJob(fine)).toEqual([]);
  expect(saidOfObject('RayJob', fine, constructRayJobSpec(fine))).toEqual([]);
});

test.each(['@daily', '*/15 8-18 * * mon-fri', '@every 1h30m'])('the schedule %s is in order', (schedule) => {
  expect(validateRayCronJob(cronJob({ schedule, timeZone: 'Europe/Berlin', name: long(36) }))).toEqual([]);
});
