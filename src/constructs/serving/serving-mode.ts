/**
 * How KServe runs the pods of a service. It is always written into the object, because KServe's code and its shipped configuration have different
 * defaults, and cannot change once the service exists.
 */
export enum ServingMode {
  /** Deployments, Services and an autoscaler of your choice. */
  STANDARD = 'Standard',
  /** Revisions of Knative Serving: scale to zero, scaling by requests. */
  KNATIVE = 'Knative',
}

/** What changes the number of replicas in `ServingMode.STANDARD`. */
export enum Autoscaler {
  /** A HorizontalPodAutoscaler, by cpu and memory. */
  HPA = 'hpa',
  /** A ScaledObject of KEDA, by queries too, down to zero. */
  KEDA = 'keda',
  /** Something that you run; KServe makes nothing. */
  EXTERNAL = 'external',
  /** Nothing: `minReplicas` stay. */
  NONE = 'none',
}

/** Protocol that a server speaks. */
export enum ServingProtocol {
  /** KServe's first: `/v1/models/NAME:predict`. */
  V1 = 'v1',
  /** The Open Inference Protocol: `/v2/models/NAME/infer`. */
  V2 = 'v2',
  /** TensorFlow Serving's gRPC. */
  GRPC_V1 = 'grpc-v1',
  /** The Open Inference Protocol over gRPC. */
  GRPC_V2 = 'grpc-v2',
}
