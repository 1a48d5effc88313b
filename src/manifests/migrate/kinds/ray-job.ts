/**
 * RayJob of KubeRay: a Ray cluster, and a program that is submitted to it. As a training job, its first role is the head, which submits the program
 * to itself and ends with it, and every worker group is a role that joins the head. Autoscaling has no equivalent.
 * @see https://docs.ray.io/en/latest/cluster/kubernetes/getting-started/rayjob-quick-start.html
 */
import { type Fields, MigrationError } from '../fields';
import type { JobDraft, JobFields, JobReader, RoleDraft } from '../job';
import type { Notes } from '../notes';
import { readPodTemplate } from '../pod';
import { wordsOf } from '../roles';
import { readManagedBy, readSuspend } from '../run-policy';
import { ENTRYPOINT } from '../../engines/ray/pods';
import { defined } from '../../../model/lists';

/** Fields of a RayJob without an equivalent, with an alternative. */
const RAY_FIELDS: { readonly [field: string]: string } = {
  submitterPodTemplate: 'has no equivalent: the head submits the program itself, without a separate pod.',
  submitterConfig: 'has no equivalent: the head submits the program itself, without a separate pod.',
  deletionStrategy: 'has no equivalent. runPolicy.cleanPodPolicy sets which pods are deleted when the job ends, ttlSecondsAfterFinished when the job itself is deleted.',
  jobId: 'has no equivalent: each attempt is submitted again.',
  metadata: 'has no equivalent: labels of the job are in metadata.labels.',
};

const CLUSTER_FIELDS: { readonly [field: string]: string } = {
  autoscalerOptions: 'has no equivalent: the number of replicas is fixed.',
  gcsFaultToleranceOptions: 'has no equivalent: when the head fails, the job restarts according to its run policy.',
  headServiceAnnotations: 'has no equivalent: the job has a service of its own.',
  authOptions: 'has no equivalent. Set the variables of Ray\'s token authentication on the container.',
  networkPolicy: 'has no equivalent of its own. security.networkPolicy is a firewall around the job.',
  tlsOptions: 'has no equivalent. Mount certificates and set Ray\'s variables for TLS.',
  historyServerOptions: 'has no equivalent.',
  upgradeStrategy: 'has no equivalent.',
};

/** @see JobReader */
export const RAY_JOB_READER: JobReader = {
  read(object, metadata, notes): JobDraft {
    const spec = object.requiredObject('spec');
    rejectUnsupported(spec);
    const cluster = spec.requiredObject('rayClusterSpec', 'the cluster that the program runs on');
    const isQueued = metadata.scheduling.queueName !== undefined;
    const suspend = readSuspend(spec, isQueued, notes);
    const managedBy = readManagedBy(spec, notes) ?? readManagedBy(cluster, notes);
    const backoffLimit = spec.count('backoffLimit') ?? 0;
    const mode = spec.text('submissionMode');
    if (mode !== undefined) {
      notes.changed(spec.at('submissionMode'), mode, 'is left out: the head submits the program to itself.');
    }
    notes.loseEach(spec, RAY_FIELDS);
    notes.loseEach(cluster, CLUSTER_FIELDS);
    cluster.flag('enableInTreeAutoscaling');
    const version = cluster.text('rayVersion');
    if (version !== undefined) {
      notes.changed(cluster.at('rayVersion'), version, 'is left out: the version is that of the image.');
    }
    const head = readHead(cluster, readSubmission(spec), backoffLimit, notes);
    const workers = cluster.list('workerGroupSpecs').flatMap((group) => readGroup(group, head, cluster, notes) ?? []);
    const ttl = spec.flag('shutdownAfterJobFinishes') ? spec.count('ttlSecondsAfterFinished') : undefined;
    const activeDeadlineSeconds = spec.count('activeDeadlineSeconds');
    const preRunningDeadlineSeconds = spec.count('preRunningDeadlineSeconds');
    if (spec.has('ttlSecondsAfterFinished') && ttl === undefined) {
      notes.lost(spec.at('ttlSecondsAfterFinished'), spec.take('ttlSecondsAfterFinished'), 'had no effect without shutdownAfterJobFinishes.');
    }
    notes.differs(spec.at('rayClusterSpec'), undefined,
      `the cluster is the job's own pods: ${head.name} starts Ray and submits the program, the others join it. The program may start before all of them have.`);
    if (ttl !== undefined) {
      notes.differs(spec.at('ttlSecondsAfterFinished'), ttl, 'also deletes the job here, not only its cluster. Running pods are deleted when the job ends.');
    }
    const fields: JobFields = {
      runPolicy: defined({
        successPolicy: 'Coordinator' as const,
        backoffLimit: backoffLimit > 0 ? backoffLimit : undefined,
        preRunningDeadlineSeconds,
        activeDeadlineSeconds,
        ttlSecondsAfterFinished: ttl,
      }),
      scheduling: metadata.scheduling,
      ...defined({ suspend, managedBy }),
    };
    return { framework: 'plain', roles: [head, ...workers], fields, oldHosts: [] };
  },
};

/** Rejects RayJobs that cannot be a training job. */
function rejectUnsupported(spec: Fields): void {
  if (spec.peek('entrypoint') === ENTRYPOINT) {
    throw new MigrationError(spec.at('entrypoint'), ENTRYPOINT,
      'is the program that Trainyard runs on KubeRay. Migrate what the RayJob was generated from: the program or manifest of the job.');
  }
  const selector = spec.peek('clusterSelector');
  if (selector !== undefined) {
    throw new MigrationError(spec.at('clusterSelector'), selector,
      'submits to an existing cluster, but a training job has its own replicas. Keep the RayJob, or add a rayClusterSpec.');
  }
  if (spec.peek('submissionMode') === 'InteractiveMode') {
    throw new MigrationError(spec.at('submissionMode'), 'InteractiveMode', 'waits for a user to submit a program, but a training job runs its own. Keep the RayJob.');
  }
  if (spec.peek('entrypoint') === undefined) {
    throw new MigrationError(spec.at('entrypoint'), undefined, 'is required: the program.');
  }
  const cluster = spec.peek('rayClusterSpec') as { readonly enableInTreeAutoscaling?: boolean } | undefined;
  if (cluster?.enableInTreeAutoscaling) {
    throw new MigrationError(`${spec.at('rayClusterSpec')}.enableInTreeAutoscaling`, true,
      'lets Ray change the number of its workers, which replicas of a training job cannot do by themselves. Keep the RayJob, or remove the autoscaler and set replicas.');
  }
}

function readSubmission(spec: Fields): RaySubmission {
  const [cpus, gpus] = ['entrypointNumCpus', 'entrypointNumGpus'].map((field) => spec.take(field)?.toString());
  return {
    entrypoint: spec.text('entrypoint')!,
    runtimeEnv: spec.text('runtimeEnvYAML'),
    cpus,
    gpus,
    resources: spec.text('entrypointResources'),
  };
}

function readHead(cluster: Fields, submission: RaySubmission, backoffLimit: number, notes: Notes): RoleDraft {
  const group = cluster.requiredObject('headGroupSpec', 'the head');
  notes.lose(group, 'has no equivalent: replicas reach the head by the job\'s own service. Create a Service for other users of the dashboard.',
    'serviceType', 'headService', 'enableIngress', 'ingressOptions');
  const { draft, start } = readPods(group, 'head', 1, notes);
  return {
    ...draft,
    command: ['/bin/bash', '-c', headScript(start, submission)],
    args: undefined,
    env: submission.runtimeEnv === undefined ? draft.env : [...draft.env, { name: 'RAY_RUNTIME_ENV_YAML', value: submission.runtimeEnv.replaceAll('$', '$$$$') }],
    restartPolicy: backoffLimit > 0 ? 'OnFailure' : 'Never',
  };
}

function readGroup(group: Fields, head: RoleDraft, cluster: Fields, notes: Notes): RoleDraft | undefined {
  const name = group.requiredText('groupName', 'the name of the group').toLowerCase().replace(/[^a-z0-9-]+/g, '-');
  const hosts = group.count('numOfHosts') ?? 1;
  const replicas = (group.count('replicas') ?? group.count('minReplicas') ?? 0) * hosts;
  for (const field of ['minReplicas', 'maxReplicas']) {
    const value = group.take(field);
    if (value !== undefined && Number(value) * hosts !== replicas) {
      notes.lost(group.at(field), value, `has no equivalent: the group has ${replicas} replicas.`);
    }
  }
  notes.lose(group, 'has no equivalent: the number of replicas is fixed.', 'idleTimeoutSeconds', 'priority', 'scaleStrategy');
  if (replicas === 0) {
    notes.leaveOutEmpty(group, 'the group');
    return undefined;
  }
  if (name === head.name) {
    throw new MigrationError(group.at('groupName'), name, `is the role of ${cluster.at('headGroupSpec')}. Rename the group.`);
  }
  const { draft, start } = readPods(group, name, replicas, notes);
  return { ...draft, command: ['/bin/bash', '-c', workerScript(start)], args: undefined, restartPolicy: 'OnFailure' };
}

interface RayPods {
  readonly draft: RoleDraft;
  /** Flags of `ray start`. */
  readonly start: StartFlags;
}

function readPods(group: Fields, name: string, replicas: number, notes: Notes): RayPods {
  const start = group.textMap('rayStartParams') ?? {};
  const { restartPolicy: _restarts, subdomain: _subdomain, ...pod } = readPodTemplate(group, { kind: 'RayJob' }, notes);
  notes.lose(group, 'has no equivalent. Pass --labels or --resources to ray start in the command.', 'labels', 'resources');
  if (pod.command !== undefined || pod.args !== undefined) {
    notes.differs(`${pod.containerPath}.command`, wordsOf(pod),
      'is left out: the container runs ray start. Add it to the command if it prepares something.');
  }
  const gpus = pod.resources?.gpu;
  return {
    draft: { ...pod, name, replicas, path: group.path },
    start: { ...(gpus !== undefined && { 'num-gpus': String(gpus) }), ...(pod.resources?.cpu !== undefined && { 'num-cpus': wholeCpusOf(pod.resources.cpu) }), ...start },
  };
}

/** Ray counts whole cores; KubeRay rounds up as well. */
function wholeCpusOf(cpu: string): string {
  return String(cpu.endsWith('m') ? Math.ceil(Number(cpu.slice(0, -1)) / 1000) : Math.ceil(Number(cpu)));
}

/** The program that is submitted to the cluster. */
interface RaySubmission {
  readonly entrypoint: string;
  /** YAML of the runtime environment, for the variable `RAY_RUNTIME_ENV_YAML`. */
  readonly runtimeEnv?: string;
  readonly cpus?: string;
  readonly gpus?: string;
  /** JSON of custom resources. */
  readonly resources?: string;
}

type StartFlags = { readonly [flag: string]: string };

const PORT = '6379';
const DASHBOARD = 'http://127.0.0.1:8265';

/** The head starts Ray, waits for its job server, submits the program and exits with its result. */
function headScript(start: StartFlags, submission: RaySubmission): string {
  // With --block, the head would never submit anything.
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

/** A worker waits for the head, joins it, and exits with it. */
function workerScript(start: StartFlags): string {
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

/** A word for a shell. Existing quotes around it are kept. */
function quoted(text: string): string {
  return /^(".*"|'.*')$/s.test(text) ? text : `'${text.replaceAll('\'', '\'\\\'\'')}'`;
}
