/** Version of Ray's autoscaler. */
export enum RayAutoscalerVersion {
  /** The first: a monitor next to the head. */
  V1 = 'v1',
  /** The second, Ray's own choice from 2.47 on: knows idle times and priorities of groups, and replaces pods instead of restarting them. */
  V2 = 'v2',
}

/** How fast the autoscaler adds workers. */
export enum RayUpscaling {
  /** At once. */
  DEFAULT = 'Default',
  /** At once. */
  AGGRESSIVE = 'Aggressive',
  /** As many at a time as the cluster has already. */
  CONSERVATIVE = 'Conservative',
}

/** What happens to the pods of a RayCluster whose description has changed. */
export enum RayClusterUpgrade {
  /** All pods are deleted and created again. */
  RECREATE = 'Recreate',
  /** Pods stay as they are; only new ones follow the description. */
  NONE = 'None',
}

/** How the program of a RayJob reaches its cluster. */
export enum RayJobSubmissionMode {
  /** By a Job, whose log is the program's. */
  K8S_JOB = 'K8sJobMode',
  /** By a container of the head: no further pod. */
  SIDECAR = 'SidecarMode',
  /** By KubeRay itself, without a pod: the log is in the head's files only. */
  HTTP = 'HTTPMode',
  /** Not at all: the cluster waits for you to submit, with the job's id in the annotation `ray.io/ray-job-submission-id`. */
  INTERACTIVE = 'InteractiveMode',
}

/** Where Ray Serve takes requests. */
export enum ServeProxyLocation {
  /** On each node that has a replica. */
  EVERY_NODE = 'EveryNode',
  /** On the head. */
  HEAD_ONLY = 'HeadOnly',
}

/** How a path of an Ingress is compared. */
export enum RayIngressPathType {
  /** As it is. */
  EXACT = 'Exact',
  /** By its beginning, part by part. */
  PREFIX = 'Prefix',
  /** As the controller likes, such as by a regular expression. */
  IMPLEMENTATION_SPECIFIC = 'ImplementationSpecific',
}
