/**
 * How KServe runs the pods of a service. It is required, because KServe's code and its default configuration have different defaults, and it cannot
 * change later.
 */
export enum ServingMode {
  /** Deployments, Services and an autoscaler of your choice. */
  STANDARD = 'Standard',
  /** Revisions of Knative Serving: scale to zero, scaling by requests. */
  KNATIVE = 'Knative',
}

/** Autoscaler in `ServingMode.STANDARD`. */
export enum Autoscaler {
  /** A HorizontalPodAutoscaler, based on CPU and memory. */
  HPA = 'hpa',
  /** A KEDA ScaledObject, also based on queries, down to zero. */
  KEDA = 'keda',
  /** Your own autoscaler; KServe creates none. */
  EXTERNAL = 'external',
  /** None: the number is always `minReplicas`. */
  NONE = 'none',
}

/** Protocol of a server. */
export enum ServingProtocol {
  /** KServe's first protocol: `/v1/models/NAME:predict`. */
  V1 = 'v1',
  /** The Open Inference Protocol: `/v2/models/NAME/infer`. */
  V2 = 'v2',
  /** TensorFlow Serving's gRPC. */
  GRPC_V1 = 'grpc-v1',
  /** The Open Inference Protocol over gRPC. */
  GRPC_V2 = 'grpc-v2',
}
