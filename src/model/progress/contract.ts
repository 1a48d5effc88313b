/**
 * How a training script reports its progress: the contract of Kubeflow Trainer v2.3's status server, so that its clients (the Kubeflow SDK's
 * `update_trainjob_status`, the `kubeflow` callback of Hugging Face Transformers) work with our jobs unchanged.
 * @see https://github.com/kubeflow/trainer/tree/v2.3.0/pkg/statusserver
 */

const PROGRESS_URL_VARIABLE = 'KUBEFLOW_TRAINER_SERVER_URL';

/** File with the certificate authorities that the server's certificate may come from. Absent where the URL is plain HTTP: on one machine. */
const PROGRESS_CA_VARIABLE = 'KUBEFLOW_TRAINER_SERVER_CA_CERT';

/** File with the bearer token, which is replaced from time to time. */
const PROGRESS_TOKEN_VARIABLE = 'KUBEFLOW_TRAINER_SERVER_TOKEN';

/** The same three under our own names, for scripts that do not want to look as if they ran under Kubeflow. */
const OWN_PROGRESS_VARIABLES = { url: 'TRAINYARD_PROGRESS_URL', ca: 'TRAINYARD_PROGRESS_CA_FILE', token: 'TRAINYARD_PROGRESS_TOKEN_FILE' } as const;

/** How many checkpoints the script should keep; set from `spec.checkpoint.keepLast`. */
export const KEEP_LAST_VARIABLE = 'CHECKPOINT_KEEP_LAST';

/** Variables that no job may set itself, whether its operator has the endpoint or not: a job runs on any operator. */
export const PROGRESS_VARIABLES: readonly string[] = [
  PROGRESS_URL_VARIABLE, PROGRESS_CA_VARIABLE, PROGRESS_TOKEN_VARIABLE, ...Object.values(OWN_PROGRESS_VARIABLES), KEEP_LAST_VARIABLE,
];

/** Folder in which containers find the token and the certificate authorities. */
export const PROGRESS_MOUNT_PATH = '/var/run/secrets/kubeflow/trainer';

/** File of the token in {@link PROGRESS_MOUNT_PATH}. */
export const PROGRESS_TOKEN_FILE = 'token';

/** File of the certificate authorities in {@link PROGRESS_MOUNT_PATH}. */
export const PROGRESS_CA_FILE = 'ca.crt';

/** Life of a token in seconds; the kubelet replaces it after four fifths of that. */
export const PROGRESS_TOKEN_SECONDS = 3600;

/** Largest body of a report, bytes. */
export const PROGRESS_BODY_MAX_BYTES = 64 * 1024;

/** A job as the endpoint's path names it. */
export interface JobRef {
  readonly namespace: string;
  readonly name: string;
}

/** Where replicas report to, and what they need to trust it. */
export interface ProgressEndpoint {
  /** Base URL without a path, such as `https://trainyard-operator.trainyard-system.svc:10443`. */
  readonly url: string;
  /** PEM of the certificate authorities. @default - none: the URL is plain HTTP, or the certificate is one that everybody trusts */
  readonly authorities?: string;
}

/** What one replica gets to know of the endpoint. */
export interface ProgressTarget {
  readonly url: string;
  /** Whether there is a file with certificate authorities in addition to the token. */
  readonly hasAuthorities: boolean;
}

/** The endpoint as the replicas of a job know it. */
export function progressTarget({ url, authorities }: ProgressEndpoint, job: JobRef): ProgressTarget {
  return { url: `${url}${progressPath(job)}`, hasAuthorities: authorities !== undefined };
}

/** The variables of a replica that can report. */
export function progressVariables({ url, hasAuthorities }: ProgressTarget): { readonly name: string; readonly value: string }[] {
  const token = `${PROGRESS_MOUNT_PATH}/${PROGRESS_TOKEN_FILE}`;
  const authorities = `${PROGRESS_MOUNT_PATH}/${PROGRESS_CA_FILE}`;
  return [
    { name: PROGRESS_URL_VARIABLE, value: url },
    { name: PROGRESS_TOKEN_VARIABLE, value: token },
    ...(hasAuthorities ? [{ name: PROGRESS_CA_VARIABLE, value: authorities }] : []),
    { name: OWN_PROGRESS_VARIABLES.url, value: url },
    { name: OWN_PROGRESS_VARIABLES.token, value: token },
    ...(hasAuthorities ? [{ name: OWN_PROGRESS_VARIABLES.ca, value: authorities }] : []),
  ];
}

export function progressPath(job: JobRef): string {
  return `/apis/${progressAudience(job)}`;
}

/** Audience that a token for this job, and for no other, is made for. */
export function progressAudience({ namespace, name }: JobRef): string {
  return `trainer.kubeflow.org/v1alpha1/namespaces/${namespace}/trainjobs/${name}/status`;
}

const PATH = /^\/apis\/trainer\.kubeflow\.org\/v1alpha1\/namespaces\/([a-z0-9][-a-z0-9]{0,62})\/trainjobs\/([a-z0-9][-.a-z0-9]{0,252})\/status$/;

/** The job that a path is about; undefined when it is not a path of the endpoint. @param path without query */
export function parseProgressPath(path: string): JobRef | undefined {
  const [, namespace, name] = PATH.exec(path) ?? [];
  return namespace === undefined ? undefined : { namespace, name };
}
