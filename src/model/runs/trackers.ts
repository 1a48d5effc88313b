/**
 * Experiment trackers: what a tracker's library reads from its environment, so that a script names its run without a line of configuration. Each
 * tracker has its variables and its rules here.
 */
import type { RunIdentity, RunSpec } from './identity';
import { fieldPath } from '../shapes';
import type { EnvVarSpec, TrainingJobSpec } from '../training-job/spec';
import { hasRunsOfItsOwn, RUN_VARIABLES } from './identity';
import { escapeReferences, literal } from '../variable-references';
import { ViolationCollector, type Violation } from '../violations';
import { trimmedEnd } from '../text/trim';

export interface MlflowSpec {
  readonly kind: 'mlflow';
  readonly uri: string;
  readonly experiment: string;
  readonly tags: { readonly [name: string]: string };
  readonly systemMetrics?: boolean;
}

export interface WandbSpec {
  readonly kind: 'wandb';
  readonly project: string;
  readonly entity?: string;
  readonly baseUrl?: string;
  /** @default - the parent run, or the run itself in searches and arrays */
  readonly group?: string;
  readonly jobType?: string;
  readonly tags: readonly string[];
  readonly offline?: boolean;
}

export interface VertexSpec {
  readonly kind: 'vertex';
  readonly project: string;
  readonly location: string;
  readonly experiment: string;
  /** Resource name, `projects/P/locations/L/tensorboards/T`. */
  readonly tensorboard?: string;
  /** Where event files go, a folder of a bucket. */
  readonly logDir?: string;
}

export type TrackerSpec = MlflowSpec | WandbSpec | VertexSpec;

export function trackerVariables(tracker: TrackerSpec, jobName: string, spec: TrainingJobSpec, run: RunIdentity): EnvVarSpec[] {
  switch (tracker.kind) {
    case 'mlflow':
      return mlflowVariables(tracker, jobName, run);
    case 'wandb':
      return wandbVariables(tracker, spec, run);
    case 'vertex':
      return vertexVariables(tracker, run);
  }
}

/**
 * MLflow merges the tags of `MLFLOW_RUN_CONTEXT` into each run that is started, its name among them. Ids of runs are the server's, so a retry finds
 * its run by the tag `trainyard.run_id`.
 * @see https://mlflow.org/docs/latest/api_reference/python_api/mlflow.environment_variables.html
 */
function mlflowVariables({ uri, experiment, tags, systemMetrics }: MlflowSpec, jobName: string, run: RunIdentity): EnvVarSpec[] {
  const context = {
    ...Object.fromEntries(Object.entries(tags).map(([name, value]) => [escapeReferences(name), escapeReferences(value)])),
    'mlflow.runName': run.ownId,
    'trainyard.run_id': run.ownId,
    ...(run.parent !== undefined && { 'trainyard.parent_run': run.parent }),
    'trainyard.job': jobName,
    'trainyard.spec_digest': run.specDigest,
    ...(run.codeDigest !== undefined && { 'trainyard.code_digest': run.codeDigest }),
  };
  return [
    literal('MLFLOW_TRACKING_URI', uri),
    literal('MLFLOW_EXPERIMENT_NAME', experiment),
    { name: 'MLFLOW_RUN_CONTEXT', value: JSON.stringify(context) },
    ...(systemMetrics ? [{ name: 'MLFLOW_ENABLE_SYSTEM_METRICS_LOGGING', value: 'true' }] : []),
  ];
}

/** @see https://docs.wandb.ai/guides/track/environment-variables */
function wandbVariables(tracker: WandbSpec, spec: TrainingJobSpec, run: RunIdentity): EnvVarSpec[] {
  const { project, entity, baseUrl, group, jobType, tags, offline } = tracker;
  const runGroup = group ?? (hasRunsOfItsOwn(spec) ? run.id : run.parent);
  return [
    literal('WANDB_PROJECT', project),
    ...optional('WANDB_ENTITY', entity),
    ...optional('WANDB_BASE_URL', baseUrl),
    { name: 'WANDB_RUN_ID', value: run.ownId },
    { name: 'WANDB_NAME', value: run.ownId },
    // The first attempt begins the run, and the next ones go on with it.
    { name: 'WANDB_RESUME', value: 'allow' },
    ...optional('WANDB_RUN_GROUP', runGroup),
    ...optional('WANDB_JOB_TYPE', jobType),
    ...(tags.length > 0 ? [literal('WANDB_TAGS', tags.join(','))] : []),
    ...(offline ? [{ name: 'WANDB_MODE', value: 'offline' }] : []),
  ];
}

/** @see https://cloud.google.com/vertex-ai/docs/experiments/intro-vertex-ai-experiments */
function vertexVariables({ project, location, experiment, tensorboard, logDir }: VertexSpec, run: RunIdentity): EnvVarSpec[] {
  return [
    literal('GOOGLE_CLOUD_PROJECT', project),
    literal('GOOGLE_CLOUD_REGION', location),
    literal('AIP_EXPERIMENT_NAME', experiment),
    { name: 'AIP_EXPERIMENT_RUN_NAME', value: run.ownId },
    ...optional('AIP_TENSORBOARD_RESOURCE_NAME', tensorboard),
    ...(logDir === undefined ? [] : [{ name: 'AIP_TENSORBOARD_LOG_DIR', value: `${escapeReferences(trimmedEnd(logDir, '/'))}/$(${RUN_VARIABLES.id})` }]),
  ];
}

export function validateTracker(tracker: TrackerSpec, run: RunSpec): Violation[] {
  const violations = new ViolationCollector();
  switch (tracker.kind) {
    case 'mlflow':
      checkMlflow(tracker, violations);
      break;
    case 'wandb':
      checkWandb(tracker, violations);
      break;
    case 'vertex':
      checkVertex(tracker, run, violations);
  }
  return violations.violations;
}

/** Schemes of MLflow's tracking stores. @see https://mlflow.org/docs/latest/self-hosting/architecture/tracking-server/ */
const MLFLOW_SCHEMES = /^(?:https?|sqlite|postgresql|mysql|mssql|databricks|databricks-uc|uc|arn)(?:\+[a-z0-9_]+)?:|^(?:databricks|uc)$/;

/** Folders, which MLflow refuses since 3.17 unless `MLFLOW_ALLOW_FILE_STORE` is set. @see https://mlflow.org/docs/latest/self-hosting/migrate-from-file-store */
const MLFLOW_FOLDER = /^(?:file:|[./~])/;

/** Names that MLflow, and we, set in every run. */
const OWN_TAGS = /^(?:mlflow\.|trainyard\.)/;

function checkMlflow({ uri, experiment, tags }: MlflowSpec, violations: ViolationCollector): void {
  if (MLFLOW_FOLDER.test(uri)) {
    violations.add('tracker.uri', uri, 'is a folder, which MLflow no longer supports for tracking. Use a server, or a database such as sqlite:////data/mlflow.db.');
  } else if (!MLFLOW_SCHEMES.test(uri)) {
    violations.add('tracker.uri', uri, 'is not an MLflow tracking URI: http(s)://HOST, databricks, or a database (sqlite:////FILE, postgresql://…).');
  }
  if (experiment.trim() === '') {
    violations.add('tracker.experiment', experiment, 'must not be empty.');
  }
  for (const [name, value] of Object.entries(tags)) {
    if (OWN_TAGS.test(name)) {
      violations.add(fieldPath('tracker.tags', name), value, 'starts with a prefix reserved for MLflow and the run identity. Rename it.');
    } else if (!/^[/\w.\- :]{1,250}$/.test(name)) {
      violations.add(fieldPath('tracker.tags', name), value, 'has a name that MLflow rejects: at most 250 letters, digits, \'_\', \'-\', \'.\', \' \', \':\' and \'/\'.');
    }
  }
}

/** Characters that would be taken for parts of an address. @see https://docs.wandb.ai/ref/python/init */
const WANDB_FORBIDDEN = /[/\\#?%:]/;

function checkWandb({ project, entity, baseUrl, tags, group, jobType }: WandbSpec, violations: ViolationCollector): void {
  for (const [field, value, most] of [['project', project, 128], ['entity', entity, 128], ['group', group, 128], ['jobType', jobType, 64]] as const) {
    if (value !== undefined && (value === '' || value.length > most || WANDB_FORBIDDEN.test(value))) {
      violations.add(`tracker.${field}`, value, `must be 1 to ${most} characters, none of them / \\ # ? % or :.`);
    }
  }
  violations.form('tracker.baseUrl', baseUrl, /^https?:\/\/[^/\s]+\/?$/, 'must be the address of a server, such as https://wandb.example.');
  tags.forEach((tag, index) => {
    if (tag === '' || tag.length > 64 || tag.includes(',')) {
      violations.add(`tracker.tags[${index}]`, tag, 'must be 1 to 64 characters without a comma, which separates tags.');
    }
  });
}

/** @see https://cloud.google.com/vertex-ai/docs/experiments/create-experiment */
const VERTEX_NAME = /^[a-z0-9][a-z0-9-]{0,127}$/;

function checkVertex({ project, location, experiment, tensorboard, logDir }: VertexSpec, run: RunSpec, violations: ViolationCollector): void {
  if (project === '') {
    violations.add('tracker.project', project, 'must not be empty: the id of the project.');
  }
  violations.form('tracker.location', location, /^[a-z]+-[a-z]+[0-9]+$/, 'is not a region, such as europe-west4.');
  violations.form('tracker.experiment', experiment, VERTEX_NAME, 'must be at most 128 lower-case letters, digits and \'-\', beginning with a letter or digit.');
  violations.form('run.id', run.id, VERTEX_NAME, 'is also the run name in Vertex AI, which may only have lower-case letters, digits and \'-\'.');
  violations.form('tracker.tensorboard', tensorboard, /^projects\/[^/]+\/locations\/[^/]+\/tensorboards\/[^/]+$/,
    'must be the resource name: projects/PROJECT/locations/REGION/tensorboards/ID.');
  if (logDir !== undefined && !logDir.startsWith('gs://')) {
    violations.add('tracker.logDir', logDir, 'must be a folder of a bucket, gs://BUCKET/PATH: Vertex AI reads event files there.');
  }
}

function optional(name: string, value: string | undefined): EnvVarSpec[] {
  return value === undefined ? [] : [literal(name, value)];
}
