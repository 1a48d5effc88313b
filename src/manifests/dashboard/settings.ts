/** Names, ports and variables that the dashboard's manifests and the dashboard itself share. */
import { API_GROUP } from '../../model/labels';

/** Name of the dashboard's objects. */
export const DASHBOARD_NAME = 'trainyard-dashboard';

/** Labels of the dashboard's pods, which select them, and of its objects. */
export const DASHBOARD_LABELS = { 'app.kubernetes.io/name': DASHBOARD_NAME };

/** Annotation of the pods with a hash of their code, and label of the ConfigMaps with the code. */
export const DASHBOARD_CODE_HASH = `${API_GROUP}/dashboard-code`;

/** Port of the pages. */
export const DASHBOARD_PORT = 8080;

/** Port of `/healthz` and `/readyz`, which the Service does not have. */
export const DASHBOARD_HEALTH_PORT = 8081;

/** Folder of the keys that encrypt sessions: `key`, and after a rotation `previous-key`. */
export const DASHBOARD_KEY_FOLDER = '/etc/trainyard/session-key';

/** File of the image with the code (Dockerfile). */
export const DASHBOARD_PROGRAM = '/opt/trainyard/dashboard.mjs';

/** How long a session lasts by default, in seconds. */
export const DASHBOARD_SESSION_SECONDS = 8 * 3600;

/** Variables that configure the dashboard. */
export const DASHBOARD_VARIABLES = {
  /** `token` or `headers`. */
  auth: 'AUTH',
  /** Allowed host names of requests, separated by commas. */
  hosts: 'ALLOWED_HOSTS',
  /** Prefix of paths. */
  path: 'BASE_PATH',
  /** `true` if users may change jobs. */
  allowChanges: 'ALLOW_CHANGES',
  /** Origins that may show the pages in a frame, separated by spaces. */
  frameAncestors: 'FRAME_ANCESTORS',
  /** Initial namespace. */
  namespace: 'FIRST_NAMESPACE',
  /** Displayed name of the cluster. */
  cluster: 'CLUSTER_NAME',
  /** Port of the pages. */
  port: 'PORT',
  /** Port of the health endpoints. */
  healthPort: 'HEALTH_PORT',
  /** `debug`, `info`, `warn` or `error`. */
  logLevel: 'LOG_LEVEL',
  /** Folder of the keys; without it, the process generates a key. */
  keyFolder: 'SESSION_KEY_FOLDER',
  /** Seconds. */
  sessionSeconds: 'SESSION_SECONDS',
  /** Header with the user. */
  userHeader: 'USER_HEADER',
  /** Prefix of its value that is not part of the name. */
  headerPrefix: 'USER_HEADER_PREFIX',
  /** The cluster's prefix for user names. */
  userPrefix: 'USER_PREFIX',
  /** Header with groups, separated by commas. */
  groupsHeader: 'GROUPS_HEADER',
  /** The cluster's prefix for groups. */
  groupPrefix: 'GROUP_PREFIX',
  /** Address of the recorder; without it there is no history. */
  recorder: 'RECORDER_URL',
  /** File of the price table for the page Cost, as JSON; without it the page shows hours. */
  prices: 'PRICES_FILE',
  /** File with the token for it. */
  recorderToken: 'RECORDER_TOKEN_FILE',
  /** `recorder` to run the recorder of the history instead of the pages. */
  program: 'PROGRAM',
} as const;

/** Name of the recorder's objects. */
export const RECORDER_NAME = 'trainyard-recorder';

/** Labels of the recorder's pods, which select them, and of its objects. */
export const RECORDER_LABELS = { 'app.kubernetes.io/name': RECORDER_NAME };

/** Folder of the dashboard's token for the recorder, as `token`. */
export const RECORDER_TOKEN_FOLDER = '/var/run/secrets/trainyard/recorder';

/** Folder of the price table, as `prices.json`. */
export const PRICES_FOLDER = '/etc/trainyard/prices';

/** Port of the recorder's API for the dashboard. */
export const RECORDER_PORT = 8082;

/** Folder of the SQLite file. */
export const HISTORY_FOLDER = '/var/lib/trainyard/history';

/** Folder of the Secret with `url` and `ca.crt` of PostgreSQL. */
export const DATABASE_FOLDER = '/etc/trainyard/database';

/** Variables of the recorder, in addition to `LOG_LEVEL`, `PORT` and `HEALTH_PORT`. */
export const RECORDER_VARIABLES = {
  /** Folder for the SQLite file. */
  folder: 'HISTORY_FOLDER',
  /** Folder of the Secret of PostgreSQL, instead of SQLite. */
  database: 'HISTORY_DATABASE_FOLDER',
  /** Namespace of the dashboard. */
  namespace: 'DASHBOARD_NAMESPACE',
  /** Days for which a deleted job is kept. */
  days: 'HISTORY_DAYS',
  /** Maximum number of deleted jobs. */
  jobs: 'HISTORY_JOBS',
  /** Maximum size of deleted jobs in MiB. */
  mebibytes: 'HISTORY_MEBIBYTES',
} as const;
