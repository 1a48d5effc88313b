/** Variables, volumes and ports that are KubeRay's, and by which field of ours each is said instead. */

/** Variables that KubeRay sets in its containers, whatever was there before or because Ray is lost without them. */
export const KUBERAY_VARIABLES: readonly string[] = [
  'FQ_RAY_IP', 'KUBERAY_GEN_RAY_START_CMD', 'RAY_ADDRESS', 'RAY_CLOUD_INSTANCE_ID', 'RAY_CLUSTER_NAME', 'RAY_CLUSTER_NAMESPACE', 'RAY_IP', 'RAY_NODE_TYPE_NAME',
  'RAY_PORT', 'REDIS_PASSWORD',
];

/** Variable that chooses the autoscaler's version in old installations. */
export const AUTOSCALER_V2_VARIABLE = 'RAY_enable_autoscaler_v2';

/** Variable that KubeRay gives the autoscaler's container. */
export const AUTOSCALER_COMMAND_VARIABLE = 'KUBERAY_GEN_AUTOSCALER_START_CMD';

/** Variables of a head whose state is in Redis. */
export const REDIS_VARIABLES: readonly string[] = ['RAY_REDIS_ADDRESS', 'REDIS_PASSWORD', 'REDIS_USERNAME', 'RAY_external_storage_namespace'];

/** Variables of a head whose state is on a volume. */
export const EMBEDDED_VARIABLES: readonly string[] = ['RAY_GCS_STORAGE', 'RAY_GCS_STORAGE_PATH'];

export const EMBEDDED_MOUNT_PATH = '/data/gcs';

export const TLS_VARIABLES: readonly string[] = ['RAY_USE_TLS', 'RAY_TLS_SERVER_CERT', 'RAY_TLS_SERVER_KEY', 'RAY_TLS_CA_CERT'];

/** Volume with the certificates, and where KubeRay mounts it. */
export const TLS_VOLUME = { name: 'ray-tls', mountPath: '/etc/ray/tls' } as const;

export const TOKEN_VARIABLES: readonly string[] = ['RAY_AUTH_MODE', 'RAY_AUTH_TOKEN', 'RAY_ENABLE_K8S_TOKEN_AUTH'];

/** Annotations of old installations that say what `gcsFaultToleranceOptions` says. */
export const FAULT_TOLERANCE_ANNOTATIONS: readonly string[] = ['ray.io/ft-enabled', 'ray.io/external-storage-namespace'];

/** Ports of the head by the names that KubeRay, its Services and monitors know: `as-metrics` is the autoscaler's, `dash-metrics` the dashboard's. */
export const HEAD_PORTS: { readonly [name: string]: number } = {
  'gcs-server': 6379, 'dashboard': 8265, 'client': 10001, 'metrics': 8080, 'as-metrics': 44217, 'dash-metrics': 44227, 'serve': 8000,
};

export const METRICS_PORT = { name: 'metrics', port: HEAD_PORTS.metrics } as const;
