/**
 * The spec of a JobSet: by itself, or in the runtime of a TrainJob.
 * @see https://jobset.sigs.k8s.io/docs/reference/jobset.v1alpha2/
 */
import { readBatchJob, type BatchJobHints, type ReadBatchJob } from './batch-job';
import { type Fields, MigrationError } from '../fields';
import type { RoleDraft } from '../job';
import type { Notes } from '../notes';
import { HOOK_JOBS } from '../../engines/jobset/hooks';
import { optional } from '../../../model/lists';
import { type RestartPolicy, type RunPolicySpec, RUN_POLICY_DEFAULTS } from '../../../model/training-job/run-policy';

export interface ReadReplicatedJob extends ReadBatchJob {
  readonly name: string;
  readonly path: string;
  /** Number of Jobs, each with {@link ReadBatchJob.replicas} pods. */
  readonly jobs: number;
}

/** Name of the failure policy's rule for hooks. */
const HOOK_RULE = 'hooks';

/** Whether a replicated job is a hook that Trainyard rendered. */
function isHookJob({ name, pod }: Pick<ReadReplicatedJob, 'name' | 'pod'>): boolean {
  return pod.isOurs && Object.values(HOOK_JOBS).includes(name);
}

/** The result of reading a JobSet. */
export interface ReadJobSet {
  readonly jobs: readonly ReadReplicatedJob[];
  /** Hooks of a job that Trainyard rendered. */
  readonly hooks: readonly ReadReplicatedJob[];
  readonly subdomain?: string;
  readonly restartPolicies: readonly RestartPolicy[];
  readonly runPolicy: RunPolicySpec;
  /** Replicated jobs that decide about success, and whether one of them is enough. */
  readonly success?: { readonly any: boolean; readonly targets: readonly string[] };
}

/** A replicated job as a role. */
export function roleOfJob(job: ReadReplicatedJob, restartPolicy: RestartPolicy): RoleDraft {
  const { subdomain: _subdomain, restartPolicy: _pod, ...pod } = job.pod;
  return { ...pod, name: job.name, replicas: job.jobs * job.replicas, path: job.path, restartPolicy };
}

/** How to read a replicated job; undefined to leave it out. */
export type HintsOfJob = (replicated: Fields, name: string) => Omit<BatchJobHints, 'restartsAfterDisruption'> | undefined;

/** Reads a JobSet's spec, except suspend and managedBy. */
export function readJobSetSpec(spec: Fields, hintsOf: HintsOfJob, notes: Notes): ReadJobSet {
  const written = spec.list('replicatedJobs');
  if (written.length === 0) {
    throw new MigrationError(spec.at('replicatedJobs'), spec.peek('replicatedJobs'), 'has no jobs. Add one.');
  }
  const { maxRestarts, restartsAfterDisruption } = readFailurePolicy(spec, notes);
  const all = written.flatMap((replicated) => readReplicatedJob(replicated, hintsOf, restartsAfterDisruption, notes) ?? []);
  const hooks = all.filter(isHookJob);
  const jobs = all.filter((job) => !hooks.includes(job));
  if (jobs.length === 0) {
    throw new MigrationError(spec.at('replicatedJobs'), undefined, 'has no training job.');
  }
  noteOrder(spec, jobs, hooks, notes);
  const success = spec.object('successPolicy');
  const operator = success?.oneOf('operator', ['All', 'Any']) ?? 'All';
  const targets = (success?.texts('targetReplicatedJobs') ?? []).filter((target) => hooks.every(({ name }) => name !== target));
  const ttl = spec.count('ttlSecondsAfterFinished');
  const restarts = readRestarts(jobs, maxRestarts, spec, notes);
  return {
    jobs,
    hooks,
    subdomain: readNetwork(spec, notes),
    restartPolicies: jobs.map((job) => (maxRestarts > 0 ? 'OnFailure' : job.restartPolicy)),
    runPolicy: {
      ...Object.assign({}, ...jobs.map((job) => job.runPolicy)) as RunPolicySpec,
      ...restarts,
      ...optional('ttlSecondsAfterFinished', ttl),
    },
    ...(success && { success: { any: operator === 'Any', targets: targets.length > 0 ? targets : jobs.map(({ name }) => name) } }),
  };
}

function readReplicatedJob(replicated: Fields, hintsOf: HintsOfJob, restartsAfterDisruption: boolean, notes: Notes): ReadReplicatedJob | undefined {
  const name = replicated.requiredText('name', 'the name of the job');
  const hints = hintsOf(replicated, name);
  if (hints === undefined) {
    return undefined;
  }
  const jobs = replicated.count('replicas') ?? 1;
  if (jobs === 0) {
    notes.leaveOutEmpty(replicated, 'the role');
    return undefined;
  }
  const group = replicated.text('groupName');
  if (group !== undefined && group !== 'default') {
    notes.lost(replicated.at('groupName'), group, 'has no equivalent: roles have no groups.');
  }
  const spec = replicated.requiredObject('template', 'the template of the Job').requiredObject('spec', 'the spec of the Job');
  const job = readBatchJob(spec, { ...hints, restartsAfterDisruption }, true, notes);
  return { ...job, name, path: replicated.path, jobs };
}

/** How often all jobs restart, and whether they restart after disruptions. */
function readFailurePolicy(spec: Fields, notes: Notes): { readonly maxRestarts: number; readonly restartsAfterDisruption: boolean } {
  const policy = spec.object('failurePolicy');
  const strategy = policy?.text('restartStrategy');
  if (strategy === 'InPlaceRestart') {
    notes.lost(policy!.at('restartStrategy'), strategy, 'has no equivalent: all replicas start again as new pods.');
  } else if (strategy !== undefined) {
    notes.changed(policy!.at('restartStrategy'), strategy, 'is left out: a replica restarts when its old pod has ended, which is what BlockingRecreate does.');
  }
  let restartsAfterDisruption = false;
  for (const rule of policy?.list('rules') ?? []) {
    const name = rule.text('name');
    const action = rule.text('action') ?? '';
    const reasons = rule.texts('onJobFailureReasons') ?? [];
    const targets = rule.texts('targetReplicatedJobs') ?? [];
    if (name === HOOK_RULE && targets.length > 0 && targets.every((target) => Object.values(HOOK_JOBS).includes(target))) {
      notes.changed(rule.path, rule.value, 'is left out: a job fails with its hooks.');
    } else if (/^Restart(JobSet|Job)AndIgnoreMaxRestarts$/.test(action) && (reasons.length === 0 || reasons.includes('PodFailurePolicy'))) {
      restartsAfterDisruption = true;
      notes.changed(rule.path, rule.value, 'is left out: disruptions (preemption, eviction, lost nodes) are restarted and never counted here.');
    } else {
      notes.lost(rule.path, rule.value, 'has no equivalent. runPolicy.exitCodes decides by the exit code of the training container.');
    }
    rule.takeRest();
  }
  return { maxRestarts: policy?.count('maxRestarts') ?? 0, restartsAfterDisruption };
}

/** Both a JobSet and its Jobs count restarts; a job here has one number. */
function readRestarts(jobs: readonly ReadReplicatedJob[], maxRestarts: number, spec: Fields, notes: Notes): RunPolicySpec {
  const own = Math.max(...jobs.map((job) => job.backoffLimit ?? RUN_POLICY_DEFAULTS.backoffLimit));
  const isSet = jobs.some((job) => job.backoffLimit !== undefined && job.backoffLimit > 0);
  if (maxRestarts === 0) {
    return isSet ? { backoffLimit: own } : {};
  }
  const path = `${spec.at('failurePolicy')}.maxRestarts`;
  if (own === 0) {
    notes.changed(path, maxRestarts, 'is runPolicy.backoffLimit.');
    return { backoffLimit: maxRestarts };
  }
  const backoffLimit = (maxRestarts + 1) * (own + 1) - 1;
  notes.differs(path, maxRestarts,
    `each of these restarts gave the Jobs ${own} of their own (backoffLimit); a job here has a single limit, ${backoffLimit}: as many failures as were tolerated before.`);
  return { backoffLimit };
}

function readNetwork(spec: Fields, notes: Notes): string | undefined {
  const network = spec.object('network');
  const subdomain = network?.text('subdomain');
  if (network !== undefined) {
    notes.changed(spec.at('network'), network.value, 'is left out: the job has its own service, which replicas use to find each other.');
    network.takeRest();
  }
  return subdomain;
}

/** The order in which jobs start. */
function noteOrder(spec: Fields, jobs: readonly ReadReplicatedJob[], hooks: readonly ReadReplicatedJob[], notes: Notes): void {
  const startup = spec.object('startupPolicy');
  const order = startup?.text('startupPolicyOrder');
  const wait = 'has no equivalent: all roles start together. Let the program wait for the others, or an init container.';
  if (order !== undefined && order !== 'AnyOrder') {
    notes.lost(startup!.at('startupPolicyOrder'), order, wait);
  }
  for (const replicated of spec.list('replicatedJobs')) {
    const dependsOn = replicated.take('dependsOn');
    // Jobs that are left out have their own note.
    const names = Array.isArray(dependsOn) ? dependsOn.map((item: { readonly name?: string } | null) => item?.name) : [];
    // Dependencies of hooks follow from the hook.
    if (jobs.some(({ name }) => names.includes(name)) && !hooks.some(({ name }) => name === replicated.peek('name'))) {
      notes.lost(replicated.at('dependsOn'), dependsOn, wait);
    }
  }
  notes.lose(spec, 'has no equivalent: claims are not created with the job. Create a PersistentVolumeClaim, and mount it by name.', 'volumeClaimPolicies');
}
