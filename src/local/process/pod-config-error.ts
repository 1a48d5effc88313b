/**
 * A pod that cannot be started as it is written: a missing config map, a container without a command. In a cluster the kubelet would show the
 * same as `CreateContainerConfigError`.
 */
export class PodConfigError extends Error {
  public readonly name = 'PodConfigError';
}
