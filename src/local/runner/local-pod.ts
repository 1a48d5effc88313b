/**
 * Adapts a pod to this machine: listeners bind to loopback, MPI needs no ssh, a variable assigns GPUs, and containers that need the entry point of
 * their image are left out.
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

export interface LocalPodOptions {
  readonly job: ResolvedTrainingJob;
  readonly replica: Replica;
  readonly gpus: GpuSlices;
  /** The script that replaces ssh. */
  readonly mpiAgent: string;
  /** Folder with the process ids of workers, for the discovery of hosts. */
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
  // That container prepares keys for ssh.
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
      // A process that only waits needs no time to end.
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

/** Shortens the time in which torchrun's rendezvous waits for the last processes: those of one machine start at the same time. */
function withQuickLastCall(env: readonly EnvVar[]): EnvVar[] {
  return env.map((entry) => (entry.name === 'PET_RDZV_CONF' ? { ...entry, value: entry.value?.replace(/last_call_timeout=15\b/, 'last_call_timeout=3') } : entry));
}

/** Variables that bind a framework's listeners to loopback, so that the host name of the machine need not resolve. */
function frameworkVariables(container: Container, { job, replica }: LocalPodOptions): EnvVar[] {
  const loopback = loopbackInterface();
  const gloo = loopback ? [variable('GLOO_SOCKET_IFNAME', loopback)] : [];
  switch (job.framework.name) {
    case 'jax':
      // Otherwise rank 0 listens on all interfaces.
      return replica.ordinal === 0 ? copyOf(container, 'JAX_COORDINATOR_ADDRESS', 'JAX_COORDINATOR_BIND_ADDRESS') : [];
    case 'pytorch':
      return gloo;
    case 'paddle':
      return [
        // Otherwise its launcher resolves the host name.
        variable('POD_IP', LOCAL_POD_IP),
        // Each launcher writes its process' output to a file and prints that, so each needs its own folder.
        variable('PADDLE_LOG_DIR', `log/${replica.podName}`),
        ...gloo,
      ];
    case 'mxnet':
      return [variable('DMLC_NODE_HOST', LOCAL_POD_IP)];
    default:
      return [];
  }
}

/** A variable with the value of another one. */
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
 * The checks of `spec.preflight` on one machine: they connect over loopback like the replicas, and count no devices, because replicas may share them.
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
