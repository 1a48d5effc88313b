/**
 * Sets of components that are whole by themselves.
 */
export enum PlatformPreset {
  /** Jobs: our operator, Trainer v2, JobSet, KubeRay, queues by Kueue, monitoring. */
  TRAINING = 'training',

  /** Model servers: KServe without Knative, language models, scaling by KEDA, monitoring. */
  SERVING = 'serving',

  /** All of Kubeflow, both of the above, Spark, MLflow, lines, and search for weaknesses. */
  FULL = 'full',

  /** Kubeflow's applications, Trainer v2, our operator and KServe on one machine. */
  LOCAL = 'local',
}

/**
 * Where a platform runs.
 */
export enum PlatformEnvironment {
  /** kind: nodes are containers on one machine. */
  KIND = 'kind',

  /** Google Kubernetes Engine, which has the Gateway API, an autoscaler and drivers of GPUs already. */
  GKE = 'gke',

  /** Any other cluster. */
  OTHER = 'other',
}

/**
 * Whose mesh it is.
 */
export enum ServiceMesh {
  /** Istio, installed with the platform. */
  ISTIO = 'istio',

  /** Cloud Service Mesh of a GKE fleet. */
  MANAGED = 'managed',
}
