/** Version of Ray's autoscaler. */
export enum RayAutoscalerVersion {
  /** The first version. */
  V1 = 'v1',
  /**
   * The second version, Ray's default from 2.47 on: supports idle timeouts and priorities of groups, and replaces pods instead of restarting them.
   */
  V2 = 'v2',
}

/** How fast the autoscaler adds workers. */
export enum RayUpscaling {
  /** Immediately. */
  DEFAULT = 'Default',
  /** Immediately. */
  AGGRESSIVE = 'Aggressive',
  /** At most as many at a time as the cluster already has. */
  CONSERVATIVE = 'Conservative',
}

/** What happens to the pods of a RayCluster whose spec has changed. */
export enum RayClusterUpgrade {
  /** All pods are deleted and created again. */
  RECREATE = 'Recreate',
  /** Existing pods are not changed; only new ones use the new spec. */
  NONE = 'None',
}

/** How the program of a RayJob is submitted. */
export enum RayJobSubmissionMode {
  /** By a Job, whose log is the program's. */
  K8S_JOB = 'K8sJobMode',
  /** By a container in the head's pod: no additional pod. */
  SIDECAR = 'SidecarMode',
  /** By KubeRay itself, without a pod: the log is only in the head's files. */
  HTTP = 'HTTPMode',
  /** By you, with the job's id in the annotation `ray.io/ray-job-submission-id`. */
  INTERACTIVE = 'InteractiveMode',
}

/** Where Ray Serve accepts requests. */
export enum ServeProxyLocation {
  /** On each node that has a replica. */
  EVERY_NODE = 'EveryNode',
  /** On the head. */
  HEAD_ONLY = 'HeadOnly',
}

/** How a path of an Ingress is matched. */
export enum RayIngressPathType {
  /** Exactly. */
  EXACT = 'Exact',
  /** By prefix, element by element. */
  PREFIX = 'Prefix',
  /** As the controller defines, for example with a regular expression. */
  IMPLEMENTATION_SPECIFIC = 'ImplementationSpecific',
}
