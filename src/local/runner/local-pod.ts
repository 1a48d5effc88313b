/**
 * From the pod that a cluster would get to the one that runs on this machine. The differences are few, and all are here: listeners bind to
 * loopback, MPI needs no ssh, GPUs are shared out by a variable, and what only an image could tell is left out.
 */
import { VISIBLE_DEVICES_VARIABLE, type GpuSlices } from './gpu-slices';
import { discoverableWorker, withLocalDiscovery } from './local-discovery';
import { IDLE_COMMAND, isMpiWorker, loopbackInterface, mpiLaunchVariables } from './mpi-launch';
import { LOCAL_POD_IP } from '../process/pod-fields';
import { discoversHosts } from '../../manifests/job/host-discovery';
import { needsMpiFiles } from '../../manifests/job/mpi-files';
import type { Container, EnvVar, Pod } from '../../manifests/kubernetes';
import { TRAINING_CONTAINER } from '../../manifests/pod/replica-pod';
import { MPI_PREPARE_CONTAINER } from '../../manifests/pod/replica-volumes';
import { PREFLIGHT_VARIABLE, type PreflightSettings } from '../../manifests/tools/preflight-program';
import { variable, type Replica } from '../../model/frameworks/contract';
import { PREFLIGHT_CONTAINER } from '../../model/training-job/preflight';
import type { ResolvedTrainingJob } from '../../model/training-job/replicas/resolve';

/** What {@link localPod} is built from. */
export interface LocalPodOptions {
  readonly job: ResolvedTrainingJob;
  readonly replica: Replica;
  readonly gpus: GpuSlices;
  /** The script that replaces ssh. */
  readonly mpiAgent: string;
  /** Folder in which workers tell that they live, where a launcher discovers them. */
  readonly workersFolder: string;
  readonly warn: (message: string) => void;
}

export function localPod(pod: Pod, options: LocalPodOptions): Pod {
  const { job, replica, warn } = options;
  const containers = pod.spec!.containers.flatMap((container) => {
    if (container.name === TRAINING_CONTAINER) {
      return [localTraining(container, options)];
    }
    if (!container.command?.length) {
      warn(`container '${container.name}' is left out: it runs the entry point of image '${container.image}', and no image is pulled`);
      return [];
    }
    return [withVariables(container, frameworkVariables(container, options))];
  });
  // The keys that it prepares are for ssh.
  const initContainers = pod.spec!.initContainers?.filter((container) => container.name !== MPI_PREPARE_CONTAINER || !needsMpiFiles(job))
    .map((container) => (container.name === PREFLIGHT_CONTAINER
      ? localPreflight(withVariables(container, frameworkVariables(container, options)), warn)
      : container));
  return {
    ...pod,
    spec: {
      ...pod.spec!,
      containers,
      initContainers: initContainers?.length ? initContainers : undefined,
      // Nothing has to be shut down with care in a process that only waits.
      ...(isMpiWorker(job, replica) && { terminationGracePeriodSeconds: 1 }),
    },
  };
}

function localTraining(container: Container, options: LocalPodOptions): Container {
  const { job, replica, gpus, mpiAgent, workersFolder } = options;
  if (isMpiWorker(job, replica)) {
    const command = discoversHosts(job) ? discoverableWorker(replica, workersFolder) : [...IDLE_COMMAND];
    return { ...container, command, args: undefined, workingDir: undefined };
  }
  const devices = gpus.visibleDevices(replica);
  return withVariables({ ...container, env: withQuickLastCall(withLocalDiscovery(container.env ?? [], workersFolder)) }, [
    ...(devices === undefined ? [] : [variable(VISIBLE_DEVICES_VARIABLE, devices)]),
    ...(needsMpiFiles(job) && replica.role === 'launcher' ? mpiLaunchVariables(mpiAgent) : []),
    ...frameworkVariables(container, options),
  ]);
}

/** Processes of one machine come together; in a cluster torchrun's rendezvous waits longer for those that come last. */
function withQuickLastCall(env: readonly EnvVar[]): EnvVar[] {
  return env.map((entry) => (entry.name === 'PET_RDZV_CONF' ? { ...entry, value: entry.value?.replace(/last_call_timeout=15\b/, 'last_call_timeout=3') } : entry));
}

/** What keeps a framework's own listeners on loopback, and right where the machine's host name leads nowhere. */
function frameworkVariables(container: Container, { job, replica }: LocalPodOptions): EnvVar[] {
  const loopback = loopbackInterface();
  const gloo = loopback ? [variable('GLOO_SOCKET_IFNAME', loopback)] : [];
  switch (job.framework.name) {
    case 'jax':
      // Rank 0 would listen on all interfaces.
      return replica.ordinal === 0 ? copyOf(container, 'JAX_COORDINATOR_ADDRESS', 'JAX_COORDINATOR_BIND_ADDRESS') : [];
    case 'pytorch':
      return gloo;
    case 'paddle':
      return [
        // Its launcher otherwise asks the host name for the node's address.
        variable('POD_IP', LOCAL_POD_IP),
        // Each launcher has a file for its process' output, and prints from it: with one folder for all they would print each other's.
        variable('PADDLE_LOG_DIR', `log/${replica.podName}`),
        ...gloo,
      ];
    case 'mxnet':
      return [variable('DMLC_NODE_HOST', LOCAL_POD_IP)];
    default:
      return [];
  }
}

/** A variable with another one's value. */
function copyOf(container: Container, name: string, copy: string): EnvVar[] {
  const value = container.env?.find((entry) => entry.name === name)?.value;
  return value === undefined ? [] : [variable(copy, value)];
}

/** Adds variables that the container does not have already. */
function withVariables(container: Container, variables: readonly EnvVar[]): Container {
  const known = new Set((container.env ?? []).map((entry) => entry.name));
  return { ...container, env: [...(container.env ?? []), ...variables.filter((entry) => !known.has(entry.name))] };
}

/**
 * The preflight container as it runs here.
 *
 * The checks of `spec.preflight` on one machine: they meet on loopback like the replicas, and count no devices, because here nobody gets any of his
 * own.
 */
function localPreflight(container: Container, warn: (message: string) => void): Container {
  return { ...container, env: container.env?.map((entry) => (entry.name === PREFLIGHT_VARIABLE ? withoutDevices(entry, warn) : entry)) };
}

function withoutDevices({ name, value }: EnvVar, warn: (message: string) => void): EnvVar {
  const settings = JSON.parse(value!) as PreflightSettings;
  if (settings.devices > 0) {
    warn('spec.preflight does not count devices on this machine; the other checks run');
  }
  return { name, value: JSON.stringify({ ...settings, devices: 0 }) };
}
