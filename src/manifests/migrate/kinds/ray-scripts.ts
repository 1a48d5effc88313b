/** What the containers of a Ray cluster run when they are the replicas of a job. */

/** What is submitted to the cluster. */
export interface RaySubmission {
  readonly entrypoint: string;
  /** YAML of the runtime environment. It comes in the variable `RAY_RUNTIME_ENV_YAML`. */
  readonly runtimeEnv?: string;
  readonly cpus?: string;
  readonly gpus?: string;
  /** JSON of custom resources. */
  readonly resources?: string;
}

type StartFlags = { readonly [flag: string]: string };

const PORT = '6379';
const DASHBOARD = 'http://127.0.0.1:8265';

/** The head starts Ray, waits until its job server answers, submits the program and ends as it ends. */
export function headScript(start: StartFlags, submission: RaySubmission): string {
  // A head that blocked would never submit anything.
  const { block: _block, ...given } = start;
  const flags = { 'port': PORT, 'dashboard-host': '0.0.0.0', 'disable-usage-stats': 'true', ...given };
  const submit = ['ray', 'job', 'submit', '--address', DASHBOARD,
    ...(submission.runtimeEnv === undefined ? [] : ['--runtime-env', '/tmp/runtime-env.yaml']),
    ...(submission.cpus === undefined ? [] : ['--entrypoint-num-cpus', submission.cpus]),
    ...(submission.gpus === undefined ? [] : ['--entrypoint-num-gpus', submission.gpus]),
    ...(submission.resources === undefined ? [] : ['--entrypoint-resources', quoted(submission.resources)]),
    '--', submission.entrypoint];
  return [
    'set -e',
    `ray start --head ${flagText(flags)}`,
    ...(submission.runtimeEnv === undefined ? [] : ['printf %s "$RAY_RUNTIME_ENV_YAML" > /tmp/runtime-env.yaml']),
    `until ray job list --address ${DASHBOARD} > /dev/null 2>&1; do sleep 1; done`,
    submit.join(' '),
  ].join('\n');
}

/** A worker waits for the head, joins it, and ends with it. */
export function workerScript(start: StartFlags): string {
  const address = `$MASTER_ADDR:${PORT}`;
  const { 'dashboard-host': _host, block: _block, ...flags } = start;
  return [
    `until ray health-check --address "${address}" > /dev/null 2>&1; do sleep 1; done`,
    `exec ray start --address "${address}" --block ${flagText({ 'disable-usage-stats': 'true', ...flags })}`.trimEnd(),
  ].join('\n');
}

/** Flags as KubeRay writes them; a flag that is `true` has no value. */
function flagText(flags: StartFlags): string {
  return Object.entries(flags).filter(([, value]) => value !== 'false')
    .map(([flag, value]) => (value === 'true' ? `--${flag}` : `--${flag}=${/^[\w.:/-]+$/.test(value) ? value : quoted(value)}`)).join(' ');
}

/** A word for a shell. Quotes that somebody wrote around it already stay. */
function quoted(text: string): string {
  return /^(".*"|'.*')$/s.test(text) ? text : `'${text.replaceAll('\'', '\'\\\'\'')}'`;
}
