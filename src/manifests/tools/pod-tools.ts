/**
 * Changes of a replica's pod by `spec.debug` and `spec.preflight`.
 *
 * The folder of `sitecustomize.py` must come first on PYTHONPATH, but a variable in the pod would replace the image's own PYTHONPATH. So a job's
 * command is started by a shell, which prepends the folder and then executes the program. A job without a command gets no stack dumps, unless it sets
 * PYTHONPATH itself.
 */
import { PREFLIGHT_VARIABLE, type PreflightSettings } from './preflight-program';
import { runPython } from './run-python';
import { STACKS_PATH_VARIABLE } from './stacks';
import { needsTools, TOOL_FILES } from './tools-config-map';
import { TOOLS_MOUNT, TOOLS_PATH, TOOLS_VOLUME } from './tools-volume';
import type { Container, EnvVar, Volume, VolumeMount } from '../kubernetes';
import { COORDINATOR_PORT_NAME } from '../../model/frameworks/address-book';
import type { ReplicaContext } from '../../model/frameworks/contract';
import { RESERVED_VOLUME_PREFIX } from '../../model/labels';
import { toolsConfigMapName } from '../../model/names';
import { isDebugged } from '../../model/training-job/environment/debug-environment';
import { PREFLIGHT_CONTAINER, checksReplica, devicesOf, networkPeers, preflightTimeoutSeconds } from '../../model/training-job/preflight';
import type { ResolvedTrainingJob } from '../../model/training-job/replicas/resolve';
import { programText } from '../../programs/program-text';

/** Folder where processes of a debugged job register and write their stacks. */
const STACKS_PATH = '/run/trainyard/stacks';

/** Default file for a container's termination message. */
export const TERMINATION_MESSAGE_PATH = '/dev/termination-log';

const STACKS_VOLUME = `${RESERVED_VOLUME_PREFIX}stacks`;

const STACKS_MOUNT: VolumeMount = { name: STACKS_VOLUME, mountPath: STACKS_PATH };

const NO_PYTHON = 'preflight: the image has no python3; name one that has in spec.preflight.image';

/** Volumes of a pod with tools. */
export function toolVolumes(job: ResolvedTrainingJob): Volume[] {
  return [
    ...(needsTools(job) ? [{ name: TOOLS_VOLUME, configMap: { name: toolsConfigMapName(job.name), defaultMode: 0o444 } }] : []),
    ...(isDebugged(job) ? [{ name: STACKS_VOLUME, emptyDir: { sizeLimit: '64Mi' } }] : []),
  ];
}

/** The complete `training` container, with stack dumps if the job is debugged. */
export function withStackDumps(job: ResolvedTrainingJob, container: Container): Container {
  if (!isDebugged(job)) {
    return container;
  }
  const own = container.env?.find((entry) => entry.name === 'PYTHONPATH');
  const mountsAndEnv = {
    volumeMounts: [...(container.volumeMounts ?? []), TOOLS_MOUNT, STACKS_MOUNT],
    env: [...(container.env ?? []), { name: STACKS_PATH_VARIABLE, value: STACKS_PATH }],
    lifecycle: withDump(container),
  };
  if (container.command?.length) {
    return { ...container, ...mountsAndEnv, command: ['/bin/sh', '-c', programText('tools/with-pythonpath.sh'), 'trainyard-debug', TOOLS_PATH, ...container.command] };
  }
  if (own?.value !== undefined) {
    return { ...container, ...mountsAndEnv, env: mountsAndEnv.env.map((entry) => (entry === own ? prepended(own) : entry)) };
  }
  return container;
}

function prepended({ name, value }: EnvVar): EnvVar {
  return { name, value: [TOOLS_PATH, value].filter(Boolean).join(':') };
}

interface Hook {
  readonly exec?: { readonly command?: readonly string[] };
  readonly sleep?: { readonly seconds: number };
}

/** Our hook, then the user's own. A user's hook that is an HTTP request or a socket cannot follow a program, and remains the only one. */
function withDump(container: Container): object {
  const lifecycle = (container.lifecycle ?? {}) as { readonly preStop?: Hook };
  const { preStop } = lifecycle;
  const then = preStop?.exec?.command ?? (preStop?.sleep ? ['sleep', String(preStop.sleep.seconds)] : undefined);
  if (preStop !== undefined && then === undefined) {
    return lifecycle;
  }
  const message = (container.terminationMessagePath as string | undefined) ?? TERMINATION_MESSAGE_PATH;
  const command = [
    '/bin/sh', '-c', programText('stacks/dump-then-hook.sh'), 'trainyard-stacks', STACKS_PATH, `${TOOLS_PATH}/${TOOL_FILES.stacks}`, message, ...(then ?? []),
  ];
  return { ...lifecycle, preStop: { exec: { command } } };
}

/**
 * The init container that checks the replica's node and the network; none if there is nothing to check.
 * @param training its complete `training` container: the checks have the same devices, volumes, variables and user
 */
export function preflightContainer(context: ReplicaContext, training: Container): Container | undefined {
  const { job, replica } = context;
  if (!checksReplica(job, replica)) {
    return undefined;
  }
  return {
    name: PREFLIGHT_CONTAINER,
    image: job.spec.preflight?.image ?? training.image,
    imagePullPolicy: training.imagePullPolicy,
    command: runPython('trainyard-preflight', NO_PYTHON, `${TOOLS_PATH}/${TOOL_FILES.preflight}`, TERMINATION_MESSAGE_PATH),
    env: [...(training.env ?? []), { name: PREFLIGHT_VARIABLE, value: JSON.stringify(preflightSettings(context)) }],
    envFrom: training.envFrom,
    // The same devices as training: the kubelet reuses them, so the pod requests no more than without the check.
    resources: training.resources,
    volumeMounts: [...(training.volumeMounts ?? []).filter((mount) => mount.name !== TOOLS_VOLUME && mount.name !== STACKS_VOLUME), TOOLS_MOUNT],
    terminationMessagePolicy: 'FallbackToLogsOnError',
    securityContext: training.securityContext,
  };
}

function preflightSettings({ job, replica, addresses, facts }: ReplicaContext): PreflightSettings {
  const peers = networkPeers(job);
  const rank = peers.findIndex((peer) => peer.ordinal === replica.ordinal);
  const [leader = replica] = rank < 0 ? [] : peers;
  const devices = devicesOf(job, replica);
  return {
    rank: Math.max(0, rank),
    size: rank < 0 ? 1 : peers.length,
    host: addresses.host(leader),
    port: addresses.port(leader, COORDINATOR_PORT_NAME, job.port),
    devices: devices.count,
    ...(devices.count > 0 && { deviceResource: devices.resource }),
    torch: ['pytorch', 'deepspeed', 'horovod'].includes(job.framework.name),
    timeoutSeconds: preflightTimeoutSeconds(job),
    ...(facts?.uid !== undefined && { key: facts.uid }),
  };
}
