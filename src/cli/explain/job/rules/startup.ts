/** Pods that have a node and cannot start: images, configuration, volumes, init steps. */
import { fixFor, podEvidence, type Cause, type DiagnosisRule, type FixTable } from '../diagnosis';
import { ageOf, eventsOf, groupedBy, isTrainingJob, livePods, podName, startError, trainingSpec } from '../facts';
import type { JobSnapshot } from '../snapshot';
import { containerStatuses, type PodObject } from '../../../jobs/objects';
import { count } from '../../../text';
import { duration } from '../../../../model/text/times';

/** Milliseconds after which the creation of a container is reported as slow. */
const CREATING_MS = 60_000;

export const startup: DiagnosisRule = (snapshot) => {
  const pods = livePods(snapshot).filter(({ spec }) => spec?.nodeName !== undefined);
  const failing = groupedBy(pods.filter((pod) => startError(pod) !== undefined), (pod) => `${startError(pod)!.reason} ${withoutBackOff(startError(pod)!.message)}`);
  return [...failing.map((group) => startCause(snapshot, group)), ...slow(snapshot, pods)];
};

/** The same message for both forms of a failed pull: after an attempt, and while it waits for the next one. */
function withoutBackOff(message: string): string {
  return message.replace(/ImagePullBackOff|ErrImagePull/, 'pull').replace(/Back-off pulling image "[^"]*":? ?/, '');
}

function startCause(snapshot: JobSnapshot, group: readonly PodObject[]): Cause {
  const { reason, message, permanent } = startError(group[0])!;
  const limit = isTrainingJob(snapshot) && !permanent ? [`The job fails when this lasts for ${trainingSpec(snapshot).runPolicy?.startTimeoutSeconds ?? 300} s.`] : [];
  const evidence = [message, ...pullWords(snapshot, group[0], message), ...podEvidence(group), ...limit];
  const pods = group.length === 1 ? `The pod ${podName(group[0])}` : count(group.length, 'pod');
  const all = evidence.join(' ');
  switch (reason) {
    case 'InvalidImageName':
      return { id: reason, what: 'The image name is not valid.', evidence, fix: 'Correct spec.image: REGISTRY/PATH:TAG, lower-case, without spaces.' };
    case 'ImagePullFailed':
      return {
        id: reason, what: `${pods} cannot pull ${group.length === 1 ? 'its' : 'their'} image.`, evidence,
        fix: fixFor(all, PULL_FIXES, 'Try it from a node, or check the events: kubectl describe pod.'),
      };
    case 'ContainerConfigError':
      return { id: reason, what: `${pods} ${group.length === 1 ? 'refers' : 'refer'} to something that does not exist.`, evidence, fix: configFix(all) };
    default:
      return {
        id: reason, what: `${pods} cannot start ${group.length === 1 ? 'its' : 'their'} program.`, evidence,
        fix: fixFor(all, PROGRAM_FIXES, 'Fix what the message names.'),
      };
  }
}

const PROGRAM_FIXES: FixTable = [
  [/executable file not found|no such file/i, 'Correct the command (spec.command), or use an image that has it.'],
  [/permission denied/i, 'Make the program executable in the image, or start it with its interpreter.'],
  [/exec format error/i, 'The image is for another architecture: build it for that of the nodes.'],
];

/** The event of the pull has more details than the container's state. */
function pullWords(snapshot: JobSnapshot, pod: PodObject, known: string): string[] {
  const event = eventsOf(snapshot, pod).find(({ reason, message }) => reason === 'Failed' && /pull/i.test(message ?? ''));
  return event?.message === undefined || known.includes(event.message) ? [] : [event.message];
}

const PULL_FIXES: FixTable = [
  [
    /unauthorized|authentication|denied|forbidden|40[13]\b/i,
    'Give the pods pull credentials: imagePullSecrets in spec.template.spec or on the service account. Some registries return the same error for names that do not exist.',
  ],
  [/not found|manifest unknown|no such image|name unknown/i, 'The registry has no such image: correct its name or tag, or push it.'],
  [/toomanyrequests|rate limit/i, 'The registry limits pulls: pull with an account, or from a mirror.'],
  [/no such host|i\/o timeout|connection refused|dial tcp|TLS handshake/i, 'The node cannot reach the registry: check its name, the proxy and the network.'],
  [/no match for platform|no matching manifest/i, 'The image is for another architecture: build it for that of the nodes.'],
];

/** How to fix a reference to something that does not exist. */
export function configFix(words: string): string {
  const missing = missingObject(words);
  if (missing !== undefined) {
    return `Create the ${missing} in the job's namespace, or correct its name, or mark the reference as optional.`;
  }
  const key = /couldn't find key (\S+) in (Secret|ConfigMap) (\S+)/i.exec(words);
  if (key !== null) {
    return `Add the key ${key[1]} to the ${key[2]} ${key[3]}, or correct it where it is used.`;
  }
  return /runAsNonRoot/.test(words) ? 'The image runs as root and the pod must not: set spec.security.runAsUser to another user of the image.' : 'Fix what the message names.';
}

/** `Secret s3`, for a message that it was not found. */
function missingObject(words: string): string | undefined {
  const [, kind, name] = /(secret|configmap) "([^"]+)" not found/i.exec(words) ?? [];
  return name === undefined ? undefined : `${kind.toLowerCase() === 'secret' ? 'Secret' : 'ConfigMap'} ${name}`;
}

const MOUNT_EVENTS = /^(FailedMount|FailedAttachVolume|FailedMapVolume|FailedCreatePodSandBox|NetworkNotReady|FailedScheduling|FailedToRetrieveImagePullSecret)$/;

/** Pods whose containers have been starting for a long time, and init containers that run for a long time. */
function slow(snapshot: JobSnapshot, pods: readonly PodObject[]): Cause[] {
  const creating = pods.filter((pod) => startError(pod) === undefined && ageOf(snapshot, pod) > CREATING_MS && isCreating(pod));
  const known = groupedBy(creating, (pod) => troubleOf(snapshot, pod)?.message ?? '').map((group): Cause => {
    const event = troubleOf(snapshot, group[0]);
    const age = duration(ageOf(snapshot, group[0]));
    return {
      id: event?.reason ?? 'ContainerCreating',
      what: `${group.length === 1 ? `The pod ${podName(group[0])} has` : `${group.length} pods have`} been starting for ${age}.`,
      evidence: [event?.message ?? 'No event shows why.', ...podEvidence(group)],
      fix: mountFix(event?.message ?? ''),
    };
  });
  const preparing = pods.filter((pod) => ageOf(snapshot, pod) > CREATING_MS && runningStep(pod) !== undefined);
  return [...known, ...groupedBy(preparing, (pod) => runningStep(pod)!).map((group): Cause => ({
    id: 'InitContainerRunning',
    what: `The init container ${runningStep(group[0])} of ${group.length === 1 ? podName(group[0]) : `${group.length} pods`} has not ended yet.`,
    evidence: podEvidence(group),
    fix: `Check what it waits for: kubectl logs ${podName(group[0])} -c ${runningStep(group[0])}.`,
  }))];
}

function isCreating({ status }: PodObject): boolean {
  const statuses = containerStatuses({ status });
  return status?.phase === 'Pending' && (statuses.length === 0 || statuses.some(({ state }) => state?.waiting?.reason === 'ContainerCreating'
    || (state?.waiting?.reason === 'PodInitializing' && (status.initContainerStatuses ?? []).every((step) => step.state?.running === undefined))));
}

/** A running init container that is not a sidecar. */
function runningStep({ spec, status }: PodObject): string | undefined {
  const sidecars = (spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always').map(({ name }) => name);
  return status?.phase === 'Pending' ? (status.initContainerStatuses ?? []).find(({ name, state }) => state?.running !== undefined && !sidecars.includes(name))?.name : undefined;
}

function troubleOf(snapshot: JobSnapshot, pod: PodObject) {
  return eventsOf(snapshot, pod).find(({ type, reason }) => type === 'Warning' && MOUNT_EVENTS.test(reason ?? ''));
}

function mountFix(words: string): string {
  const missing = missingObject(words);
  return missing === undefined ? fixFor(words, MOUNT_FIXES, 'Check the events of the pod: kubectl describe pod.') : `Create the ${missing}, or correct the volume that names it.`;
}

const MOUNT_FIXES: FixTable = [
  [
    /Multi-Attach/i,
    'The volume is attached to another node, and only one node at a time is possible: use a claim with ReadWriteMany, or wait until the other pod is deleted.',
  ],
  [/permission denied|access denied|mount\.nfs|exit status 32/i, 'The node cannot mount the volume: check its server, path and permissions.'],
  [/sandbox|network/i, 'The network of the node is not ready: check its CNI pods, or drain the node.'],
];
