/** Names, ports and variables that the dashboard's manifests and the dashboard itself have to agree on. */
import { API_GROUP } from '../../model/labels';

/** Name of every object that the dashboard is installed with. */
export const DASHBOARD_NAME = 'trainyard-dashboard';

/** Labels of the dashboard's pods, which select them, and of its objects. */
export const DASHBOARD_LABELS = { 'app.kubernetes.io/name': DASHBOARD_NAME };

/** Annotation of the pods with a hash of the code that they run, and label of the ConfigMaps that hold it. */
export const DASHBOARD_CODE_HASH = `${API_GROUP}/dashboard-code`;

/** Port of the pages. */
export const DASHBOARD_PORT = 8080;

/** Port of `/healthz` and `/readyz`, which the Service does not have. */
export const DASHBOARD_HEALTH_PORT = 8081;

/** Folder of the keys that seal sessions: `key`, and after a change of keys `previous-key`. */
export const DASHBOARD_KEY_FOLDER = '/etc/trainyard/session-key';

/** File of the image with the code (Dockerfile). */
export const DASHBOARD_PROGRAM = '/opt/trainyard/dashboard.mjs';

/** How long a session lasts by default, in seconds. */
export const DASHBOARD_SESSION_SECONDS = 8 * 3600;

/** Variables that configure the dashboard. */
export const DASHBOARD_VARIABLES = {
  /** `token` or `headers`. */
  auth: 'AUTH',
  /** Host names that requests may be sent to, joined by commas. */
  hosts: 'ALLOWED_HOSTS',
  /** What paths begin with. */
  path: 'BASE_PATH',
  /** `true` when users may change jobs. */
  allowChanges: 'ALLOW_CHANGES',
  /** Origins that may show the pages in a frame, joined by blanks. */
  frameAncestors: 'FRAME_ANCESTORS',
  /** Namespace that is shown first. */
  namespace: 'FIRST_NAMESPACE',
  /** Address that people know the cluster by. */
  cluster: 'CLUSTER_NAME',
  /** Port of the pages. */
  port: 'PORT',
  /** Port of the health endpoints. */
  healthPort: 'HEALTH_PORT',
  /** `debug`, `info`, `warn` or `error`. */
  logLevel: 'LOG_LEVEL',
  /** Folder of the keys; without it there is a key for as long as the process lives. */
  keyFolder: 'SESSION_KEY_FOLDER',
  /** Seconds. */
  sessionSeconds: 'SESSION_SECONDS',
  /** Header with the user. */
  userHeader: 'USER_HEADER',
  /** What its value begins with, which is not part of the name. */
  headerPrefix: 'USER_HEADER_PREFIX',
  /** What the cluster puts in front of the name. */
  userPrefix: 'USER_PREFIX',
  /** Header with groups, joined by commas. */
  groupsHeader: 'GROUPS_HEADER',
  /** What the cluster puts in front of groups. */
  groupPrefix: 'GROUP_PREFIX',
  /** Address of the recorder; without it there is no history. */
  recorder: 'RECORDER_URL',
  /** File of the price table for the page Cost, as JSON; without it the page shows hours. */
  prices: 'PRICES_FILE',
  /** File with the token for it. */
  recorderToken: 'RECORDER_TOKEN_FILE',
  /** `recorder` to run the recorder of the history in place of the pages. */
  program: 'PROGRAM',
} as const;

/** Name of every object that the recorder is installed with. */
export const RECORDER_NAME = 'trainyard-recorder';

/** Labels of the recorder's pods, which select them, and of its objects. */
export const RECORDER_LABELS = { 'app.kubernetes.io/name': RECORDER_NAME };

/** Folder of the dashboard's token for the recorder, as `token`. */
export const RECORDER_TOKEN_FOLDER = '/var/run/secrets/trainyard/recorder';

/** Folder of the price table, as `prices.json`. */
export const PRICES_FOLDER = '/etc/trainyard/prices';

/** Port of the recorder's answers to the dashboard. */
export const RECORDER_PORT = 8082;

/** Folder of the SQLite file. */
export const HISTORY_FOLDER = '/var/lib/trainyard/history';

/** Folder of the Secret with `url` and `ca.crt` of PostgreSQL. */
export const DATABASE_FOLDER = '/etc/trainyard/database';

/** Variables of the recorder, in addition to `LOG_LEVEL`, `PORT` and `HEALTH_PORT`. */
export const RECORDER_VARIABLES = {
  /** Folder for the SQLite file. */
  folder: 'HISTORY_FOLDER',
  /** Folder of the Secret of PostgreSQL, in place of that. */
  database: 'HISTORY_DATABASE_FOLDER',
  /** Namespace of the dashboard. */
  namespace: 'DASHBOARD_NAMESPACE',
  /** Days since its deletion for which a job is kept. */
  days: 'HISTORY_DAYS',
  /** Most deleted jobs that are kept. */
  jobs: 'HISTORY_JOBS',
  /** Most MiB of deleted jobs that are kept. */
  mebibytes: 'HISTORY_MEBIBYTES',
} as const;
