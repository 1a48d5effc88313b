/** Names and variables that the notifier's manifests and the notifier itself have to agree on. */
import { API_GROUP } from '../../model/labels';

/** Name of every object that the notifier is installed with, and of its Lease. */
export const NOTIFIER_NAME = 'trainyard-notifier';

/** Labels of the notifier's pods, which select them, and of its objects. */
export const NOTIFIER_LABELS = { 'app.kubernetes.io/name': NOTIFIER_NAME };

/** Annotation of the pods with a hash of the code that they run, and label of the ConfigMaps that hold it. */
export const NOTIFIER_CODE_HASH = `${API_GROUP}/notifier-code`;

/** Port of `/healthz` and `/readyz`. */
export const NOTIFIER_HEALTH_PORT = 8081;

/** File of the image with the code (Dockerfile). */
export const NOTIFIER_PROGRAM = '/opt/trainyard/notifier.mjs';

/** Variables that configure the notifier. */
export const NOTIFIER_VARIABLES = {
  /** Ranges of addresses that it may connect to although they are private, joined by commas. */
  allowedAddresses: 'ALLOWED_ADDRESSES',
  /** Name of the cluster in messages. */
  cluster: 'CLUSTER_NAME',
  /** Port of the health endpoints. */
  healthPort: 'HEALTH_PORT',
  /** `debug`, `info`, `warn` or `error`. */
  logLevel: 'LOG_LEVEL',
  /** Namespace of the pod, where the Lease is. */
  namespace: 'POD_NAMESPACE',
} as const;
