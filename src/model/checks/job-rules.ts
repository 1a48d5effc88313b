/** Rules on a training job as a whole, whichever engine runs it. */
import { podsOfHooks, podsOfJob, type CheckedPod } from './checked-pod';
import { checkLauncher, checkTorchrun } from './command-rules';
import { checkPod } from './pod-rules';
import { CHECK_RULES } from './rule-list';
import { checkSharedMemoryOfJob } from './shared-memory-rules';
import { NODE_LABELS } from '../accelerators/labels';
import { FindingCollector, type Finding } from '../findings';
import { record, records } from '../json-parts';
import { resolveTrainingJob, type ResolvedTrainingJob } from '../training-job/replicas/resolve';
import type { TrainingJobSpec } from '../training-job/spec';
import { distinct } from '../violations';

/** Pods with GPUs, and GPUs in all, from which on a job that is placed in part wastes much. */
const LARGE_PODS = 8;
const LARGE_GPUS = 64;

/** Shortest time that a finished job stays, in seconds. */
const SHORT_TTL = 60;

/** Checks a job that keeps the rules of the model. */
export function checkJob(name: string, spec: TrainingJobSpec): Finding[] {
  const job = resolveTrainingJob(name, spec);
  const pods = podsOfJob(job);
  const findings = new FindingCollector();
  findings.addAll([...new Set(pods), ...podsOfHooks(job)].flatMap(checkPod));
  checkPrograms(job, pods, findings);
  checkCheckpoint(job, pods, findings);
  checkSharedMemoryOfJob(job, pods, findings);
  checkTimes(spec, findings);
  checkPlacement(job, pods, findings);
  if (!pods.some(({ containers }) => containers.some(({ name: container, resources }) => container === 'training' && !resources.isEmpty))) {
    findings.warn(CHECK_RULES.resources, 'spec.resources', undefined, 'is not set: the pods are evicted first, and the scheduler puts any number of them on a node. Set cpu and memory, or GPUs.');
  }
  // What the job says for all roles is found once for each of them.
  return distinct(findings.findings);
}

function checkPrograms(job: ResolvedTrainingJob, pods: readonly CheckedPod[], findings: FindingCollector): void {
  const { spec } = job;
  if (spec.framework !== 'pytorch') {
    return;
  }
  job.roles.forEach((role, index) => {
    const [training] = pods[index].containers;
    // What roles share is looked at once.
    if (role.helper !== undefined || !role.ranked || pods.indexOf(pods[index]) < index) {
      return;
    }
    const { gpus, gpuPath } = training.resources;
    checkTorchrun(training, { nodes: spec.elastic === undefined ? job.trainers : undefined, gpus }, findings);
    if (spec.nprocPerNode === undefined) {
      checkLauncher(training, gpus, findings);
    }
    const processes = Number(spec.nprocPerNode);
    if (index === 0 && gpus > 0 && processes > gpus) {
      findings.error(CHECK_RULES.torchrunProcesses, 'spec.nprocPerNode', spec.nprocPerNode,
        `starts more processes than the replica has GPUs, ${gpus} (${gpuPath}): each process needs its own. Use ${gpus}, or leave it out.`);
    }
  });
}

function checkCheckpoint(job: ResolvedTrainingJob, pods: readonly CheckedPod[], findings: FindingCollector): void {
  const { spec } = job;
  const place = spec.checkpointPath;
  if (place === undefined || place === '') {
    return;
  }
  const isUrl = /^[a-z][a-z0-9+.-]{0,31}:\/\//i.test(place.slice(0, 64));
  if (!isUrl && !place.startsWith('/')) {
    const scheme = /^([a-z][a-z0-9+.-]{0,31}):\/?/i.exec(place.slice(0, 64));
    findings.error(CHECK_RULES.checkpointPath, 'spec.checkpointPath', place, scheme === null
      ? 'must be an absolute path, such as /checkpoints, or a URL: a relative one depends on the working directory.'
      : `has no '//' after '${scheme[1]}:', so it is treated as a folder of that name. Write ${scheme[1]}://BUCKET/PATH.`);
    return;
  }
  if (isUrl || spec.checkpoint?.claimName !== undefined || job.roles.every((role, index) => !role.ranked || hasMountAt(pods[index], place))) {
    return;
  }
  findings.warn(CHECK_RULES.checkpointVolume, 'spec.checkpointPath', place,
    'is inside the container: it is lost when the pod ends, and each replica has its own. Mount a claim (Checkpoint.onClaim, spec.checkpoint.claimName) or a volume at this path or above it, or use a URL.');
}

/** Whether the training container has a volume that outlives it at a path or above it. */
function hasMountAt(pod: CheckedPod, place: string): boolean {
  const passing = pod.volumes.filter(({ value }) => value.emptyDir !== undefined).map(({ value }) => value.name);
  return pod.containers[0].mounts.some(({ value: { mountPath, name } }) => {
    if (typeof mountPath !== 'string' || passing.includes(name)) {
      return false;
    }
    const above = mountPath.endsWith('/') ? mountPath : `${mountPath}/`;
    return place === mountPath || place.startsWith(above) || `${place}/` === above;
  });
}

function checkTimes(spec: TrainingJobSpec, findings: FindingCollector): void {
  const { activeDeadlineSeconds: deadline, startTimeoutSeconds, stall, ttlSecondsAfterFinished: ttl, backoff } = spec.runPolicy ?? {};
  const grace = spec.checkpoint?.gracePeriodSeconds;
  const stallSeconds = (stall as { readonly timeoutSeconds?: number } | undefined)?.timeoutSeconds;
  const idleSeconds = (record(spec.idle) as { readonly timeoutSeconds?: unknown }).timeoutSeconds;
  const limits: readonly (readonly [path: string, seconds: unknown, what: string])[] = [
    ['spec.runPolicy.startTimeoutSeconds', startTimeoutSeconds, 'a pod that does not start'],
    ['spec.runPolicy.stall.timeoutSeconds', stallSeconds, 'a job that stalls'],
    ['spec.idle.timeoutSeconds', idleSeconds, 'a job that is idle'],
    ['spec.checkpoint.gracePeriodSeconds', grace, 'a replica that saves'],
    ['spec.runPolicy.backoff.initialSeconds', backoff?.initialSeconds, 'the first pause'],
  ];
  for (const [path, seconds, what] of limits) {
    if (deadline !== undefined && typeof seconds === 'number' && seconds >= deadline) {
      findings.warn(CHECK_RULES.timeLimits, path, seconds, `seconds for ${what} never elapse: spec.runPolicy.activeDeadlineSeconds, ${deadline}, ends the job first. Lower one, or raise the other.`);
    }
  }
  if (ttl !== undefined && ttl < SHORT_TTL) {
    findings.warn(CHECK_RULES.ttl, 'spec.runPolicy.ttlSecondsAfterFinished', ttl, `seconds after its end the job is deleted, with its status, its events and the logs of its pods. Keep it for ${SHORT_TTL} or more.`);
  }
}

function checkPlacement(job: ResolvedTrainingJob, pods: readonly CheckedPod[], findings: FindingCollector): void {
  const { spec } = job;
  const isSpot = pods.some(({ nodeSelector }) => nodeSelector[NODE_LABELS.spot] === 'true');
  if (isSpot && spec.checkpointPath === undefined && spec.checkpoint?.claimName === undefined && spec.autoTuning === undefined) {
    findings.warn(CHECK_RULES.spotCheckpoint, 'spec.checkpointPath', undefined, 'is not set, and the job runs on spot nodes, which can be preempted: each attempt starts at step 0. Save checkpoints.');
  }
  const withGpus = job.roles.map((role, index) => ({ replicas: role.replicas, gpus: pods[index].containers[0].resources.gpus }))
    .filter((role) => role.gpus > 0);
  const count = withGpus.reduce((sum, { replicas }) => sum + replicas, 0);
  const gpus = withGpus.reduce((sum, role) => sum + role.replicas * role.gpus, 0);
  const { gang, queueName } = spec.scheduling ?? {};
  const scheduler = spec.scheduling?.schedulerName ?? records([spec.template?.spec])[0]?.schedulerName;
  const isPlaced = gang !== undefined || queueName !== undefined || scheduler !== undefined || spec.elastic !== undefined;
  if (count >= LARGE_PODS && gpus >= LARGE_GPUS && !isPlaced) {
    findings.warn(CHECK_RULES.gang, 'spec.scheduling.gang', undefined, `is not set and there is no queue: some of ${count} pods can hold GPUs while the others wait for theirs. Set scheduling.gang or scheduling.queueName.`);
  }
}
