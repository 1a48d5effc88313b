/** Names and variables that the notifier's manifests and the notifier itself share. */
import { API_GROUP } from '../../model/labels';

/** Name of the notifier's objects and of its Lease. */
export const NOTIFIER_NAME = 'trainyard-notifier';

/** Labels of the notifier's pods, which select them, and of its objects. */
export const NOTIFIER_LABELS = { 'app.kubernetes.io/name': NOTIFIER_NAME };

/** Annotation of the pods with a hash of their code, and label of the ConfigMaps with the code. */
export const NOTIFIER_CODE_HASH = `${API_GROUP}/notifier-code`;

/** Port of `/healthz` and `/readyz`. */
export const NOTIFIER_HEALTH_PORT = 8081;

/** File of the image with the code (Dockerfile). */
export const NOTIFIER_PROGRAM = '/opt/trainyard/notifier.mjs';

/** Variables that configure the notifier. */
export const NOTIFIER_VARIABLES = {
  /** Ranges of private addresses to which it may connect, separated by commas. */
  allowedAddresses: 'ALLOWED_ADDRESSES',
  /** Name of the cluster in messages. */
  cluster: 'CLUSTER_NAME',
  /** Port of the health endpoints. */
  healthPort: 'HEALTH_PORT',
  /** `debug`, `info`, `warn` or `error`. */
  logLevel: 'LOG_LEVEL',
  /** Namespace of the pod and the Lease. */
  namespace: 'POD_NAMESPACE',
} as const;
