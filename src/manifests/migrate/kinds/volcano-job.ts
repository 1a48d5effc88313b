/** Job of Volcano: a gang, whose roles are its tasks. */
import { frameworkOf, withSshServer } from './mpi-job';
import { successForm } from '../../engines/volcano/outcome';
import { type Fields, MigrationError } from '../fields';
import { recognised, recognisedRoles, type Recognised } from '../framework-hints';
import type { JobDraft, JobFields, JobReader, OldHosts, RoleDraft } from '../job';
import type { Notes } from '../notes';
import { noteSubdomain, readPodTemplate } from '../pod';
import { totalReplicas, wordsOf } from '../roles';
import { noteRestarts } from '../run-policy';
import { readVolcanoPolicies, type VolcanoPolicies } from './volcano-policies';
import { readVolcanoPlugins, withVolcanoVolumes, type VolcanoPlugins } from './volcano-plugins';
import { nonEmptyObject } from '../../plain-object';
import { INT32_MAX } from '../../../model/shapes';
import { resolveTrainingJob } from '../../../model/training-job/replicas/resolve';
import { SUCCESS_POLICIES, type ExitCodesSpec, type RunPolicySpec, type SuccessPolicy } from '../../../model/training-job/run-policy';
import type { FrameworkName } from '../../../model/training-job/spec';
import { quotedPattern } from '../../../model/text/expressions';
import { defined, optional } from '../../../model/lists';

/** Volcano's default of `maxRetry`. */
const DEFAULT_MAX_RETRY = 3;

/** Fields of a task, and of the job, without an equivalent. */
const TASK_FIELDS: { readonly [field: string]: string } = {
  maxRetry: 'has no equivalent: runPolicy.backoffLimit counts the failures of all replicas together.',
  dependsOn: 'has no equivalent: all roles start together. Let the program wait for the others, or an init container.',
  partitionPolicy: 'has no equivalent: a role has no parts.',
  topologyPolicy: 'has no equivalent. Set what the kubelet\'s topology manager uses: whole CPUs, and requests equal to limits.',
};
const JOB_FIELDS: { readonly [field: string]: string } = {
  networkTopology: 'has no equivalent here except one node label that all replicas share: set scheduling.topology.',
  runningEstimate: 'has no equivalent.',
};

interface Task {
  readonly role: RoleDraft;
  readonly policies: VolcanoPolicies;
  readonly minAvailable?: number;
}

/** @see JobReader */
export const VOLCANO_JOB_READER: JobReader = {
  read(object, metadata, notes): JobDraft {
    const spec = object.requiredObject('spec');
    const tasks = spec.list('tasks').flatMap((task, index) => readTask(task, index, notes) ?? []);
    if (tasks.length === 0) {
      throw new MigrationError(spec.at('tasks'), spec.peek('tasks'), 'has no pods. Add a task with a replica.');
    }
    const policies = readVolcanoPolicies(spec, notes);
    const drafts = withVolcanoVolumes(spec, tasks.map((task) => withRestartPolicy(task, policies, notes)), notes);
    const plugins = readVolcanoPlugins(spec, notes);
    const { framework, roles, indexVariable } = rolesOf(drafts, plugins, notes);
    const lastHost = `${metadata.name}-${roles[roles.length - 1].name}-0.${metadata.name}`;
    drafts.forEach((role) => noteServiceFiles(role, lastHost, notes));
    notes.loseEach(spec, JOB_FIELDS);
    const completing = tasks.find((task) => task.policies.completesJob) ?? (policies.completesJob && tasks.length === 1 ? tasks[0] : undefined);
    const success = readSuccess(spec, framework, roles, completing?.role.path, policies.completesJob && completing === undefined, notes);
    const retries = readRetries(spec, roles, [policies, ...tasks.map((task) => task.policies)], notes);
    const ttl = spec.count('ttlSecondsAfterFinished');
    const fields: JobFields = {
      runPolicy: defined<RunPolicySpec>({ successPolicy: success, ...retries, ttlSecondsAfterFinished: ttl }),
      scheduling: { ...metadata.scheduling, ...readGang(spec, tasks, totalReplicas(roles), notes) },
      ...(plugins.port !== undefined && { port: plugins.port }),
    };
    noteRestarts(framework, roles, fields, undefined, notes);
    return { framework, roles, fields, indexVariable, oldHosts: hostsOf(metadata.name, tasks, roles) };
  },
};

function readTask(task: Fields, index: number, notes: Notes): Task | undefined {
  // Volcano's name of a task without one.
  const name = task.text('name') ?? `default${index}`;
  const replicas = task.count('replicas') ?? 1;
  const policies = readVolcanoPolicies(task, notes);
  const minAvailable = task.count('minAvailable');
  notes.loseEach(task, TASK_FIELDS);
  if (replicas === 0) {
    notes.leaveOutEmpty(task, 'the role');
    return undefined;
  }
  const read = readPodTemplate(task, { kind: 'Volcano Job' }, notes);
  noteSubdomain(read, notes);
  const { restartPolicy, subdomain: _subdomain, ...pod } = read;
  const own = restartPolicy === 'Never' ? 'Never' : 'OnFailure';
  return { role: { ...pod, name, replicas, path: task.path, restartPolicy: own }, policies, minAvailable };
}

/** The policies decide about a failure, and otherwise the kubelet, by the pod's restart policy. */
function withRestartPolicy({ role, policies }: Task, ofJob: VolcanoPolicies, notes: Notes): RoleDraft {
  const decided = policies.onFailure ?? ofJob.onFailure;
  if (decided === undefined && role.restartPolicy !== 'Never') {
    notes.differs(`${role.podPath}.restartPolicy`, 'OnFailure', 'restarts are counted here, up to runPolicy.backoffLimit; there the kubelet restarted without limit.');
  }
  return { ...role, restartPolicy: decided ?? role.restartPolicy };
}

function rolesOf(drafts: readonly RoleDraft[], plugins: VolcanoPlugins, notes: Notes): Recognised {
  const named = drafts.map((role) => ({ ...role, name: plugins.roleOf?.(role) ?? role.name }));
  const plain = { roles: named, indexVariable: 'TRAINYARD_REPLICA_INDEX' };
  const launcher = named.find((role) => role.name === 'launcher');
  if (launcher !== undefined && plugins.framework === 'mpi') {
    const roles = [launcher, ...named.filter((role) => role !== launcher).map((role) => withSshServer(role, notes))];
    return { ...plain, roles, framework: frameworkOf(roles, notes) };
  }
  if (plugins.framework !== undefined) {
    return { ...plain, framework: plugins.framework };
  }
  const mpi = mpiRoles(named, plugins, notes);
  if (mpi !== undefined) {
    return { ...plain, roles: mpi, framework: frameworkOf(mpi, notes) };
  }
  if (plugins.hasSsh) {
    notes.lost(plugins.path, 'ssh',
      'has no equivalent for these roles: keys between replicas are created for MPI (framework mpi, with a launcher and workers). Mount a Secret with keys.');
  }
  const found = named.length === 1 ? recognised(named[0], notes, true) : recognisedRoles(named, notes);
  return { ...found, roles: found.roles.map((role) => plugins.withIndex(role, found.indexVariable, notes)) };
}

/** The roles of MPI: a pod that starts ranks on others with ssh, and these others. */
function mpiRoles(drafts: readonly RoleDraft[], { hasSsh }: VolcanoPlugins, notes: Notes): RoleDraft[] | undefined {
  const launchers = drafts.filter((role) => role.replicas === 1 && /\b(mpirun|mpiexec|horovodrun)\b/.test(wordsOf(role).join(' ')));
  if (!hasSsh || drafts.length !== 2 || launchers.length !== 1) {
    return undefined;
  }
  const [launcher] = launchers;
  const worker = drafts.find((role) => role !== launcher)!;
  notes.changed(launcher.containerPath, undefined, 'the framework is MPI, because of its command and the plugin ssh: the task is the launcher, the other one is the workers.');
  return [{ ...launcher, name: 'launcher' }, withSshServer({ ...worker, name: 'worker' }, notes)];
}

/**
 * The success policy: all pods, some of them, or those of one task.
 * @param completing path of the task whose end completes the job
 * @param anyTask whether the end of any task completes the job
 */
function readSuccess(
  spec: Fields, framework: FrameworkName, roles: readonly RoleDraft[], completing: string | undefined, anyTask: boolean, notes: Notes,
): SuccessPolicy | undefined {
  const minSuccess = spec.count('minSuccess');
  const total = totalReplicas(roles);
  const deciding = roles.filter(({ path }) => path === completing);
  const wanted = deciding.length === 1 && roles.length > 1 ? { form: 'task', task: deciding[0].name }
    : minSuccess === 1 && total > 1 && completing === undefined ? { form: 'count', minSuccess } : { form: 'all' };
  const isSupported = completing !== undefined || (!anyTask && (minSuccess === undefined || minSuccess === 1 || minSuccess === total));
  const bare = { framework, image: 'image', roles: roles.map(({ name, replicas }) => ({ name, replicas })) };
  const policy = ([undefined, ...SUCCESS_POLICIES] as const).find((successPolicy) => (
    JSON.stringify(successForm(resolveTrainingJob('job', { ...bare, runPolicy: defined({ successPolicy }) }))) === JSON.stringify(wanted)));
  const isFound = policy !== undefined || JSON.stringify(successForm(resolveTrainingJob('job', bare))) === JSON.stringify(wanted);
  if (isSupported && isFound) {
    return policy;
  }
  const [field, value] = completing !== undefined ? [`${completing}.policies`, deciding.map(({ name }) => name)]
    : anyTask ? [spec.at('policies'), spec.peek('policies')] : [spec.at('minSuccess'), minSuccess];
  notes.lost(field, value, 'has no equivalent: a job succeeds with its coordinator, all workers, all replicas or any one. Set runPolicy.successPolicy.');
  return undefined;
}

/** `maxRetry` is the number of the restart at which a job fails, including evictions. */
function readRetries(spec: Fields, roles: readonly RoleDraft[], all: readonly VolcanoPolicies[], notes: Notes): RunPolicySpec {
  const maxRetry = spec.count('maxRetry');
  const limit = Math.max(0, (maxRetry ?? DEFAULT_MAX_RETRY) - 1);
  const lists = (['fail', 'retry'] as const).map((list) => [list, [...new Set(all.flatMap(({ exitCodes }) => exitCodes[list] ?? []))]] as const);
  const exitCodes = Object.fromEntries(lists.filter(([, codes]) => codes.length > 0)) as ExitCodesSpec;
  const found = optional('exitCodes', nonEmptyObject(exitCodes));
  if (roles.every(({ restartPolicy }) => restartPolicy === 'Never') && exitCodes.retry === undefined) {
    return maxRetry === undefined || maxRetry >= INT32_MAX ? found : { ...found, disruptionLimit: limit };
  }
  notes.differs(spec.at('maxRetry'), maxRetry, `is runPolicy.backoffLimit ${limit}: the restart number maxRetry `
    + `${maxRetry === undefined ? '(default 3) ' : ''}failed the job. Evictions are not counted here.`);
  return { ...found, backoffLimit: limit };
}

function readGang(spec: Fields, tasks: readonly Task[], total: number, notes: Notes): NonNullable<JobFields['scheduling']> {
  const [schedulerName, queue, priorityClassName] = ['schedulerName', 'queue', 'priorityClassName'].map((field) => spec.text(field));
  const written = spec.count('minAvailable');
  const own = tasks.map(({ role, minAvailable = role.replicas }) => minAvailable);
  const sum = own.reduce((one, other) => one + other, 0);
  const minAvailable = written === undefined || written === 0 ? sum : Math.min(written, total);
  const isSpread = tasks.some((task) => task.minAvailable !== undefined && task.minAvailable !== task.role.replicas);
  if (isSpread && sum !== minAvailable) {
    notes.lost(spec.at('tasks'), own, 'minAvailable of tasks has no equivalent: a gang has one minimum for all of its replicas.');
  } else if (isSpread) {
    notes.changed(spec.at('tasks'), own, 'minAvailable of tasks is the minimum of the gang, which consists of the first replicas by rank.');
  }
  return defined({
    priorityClassName,
    schedulerName: schedulerName === 'volcano' ? undefined : schedulerName,
    gang: defined({ scheduler: 'Volcano' as const, queue: queue === 'default' ? undefined : queue, minAvailable: minAvailable === total ? undefined : Math.max(1, minAvailable) }),
  });
}

/** Reports the use of files and variables with the names of all pods, which the plugin `svc` created. */
function noteServiceFiles(role: RoleDraft, lastHost: string, notes: Notes): void {
  if (role.isOurs) {
    return;
  }
  const texts = [
    ...(['command', 'args'] as const).flatMap((field) => (role[field] ?? []).map((text, index) => [`${field}[${index}]`, text] as const)),
    ...role.env.map(({ name, value = '' }) => [`env['${name}']`, value] as const),
  ];
  for (const [field, text] of texts) {
    const [found] = /\/etc\/volcano\/[\w.-]+|\bV[CK]_\w+_(HOSTS|NUM)\b/.exec(text) ?? [];
    if (found !== undefined) {
      notes.lost(`${role.containerPath}.${field}`, text,
        `reads ${found}, which Volcano created. mpirun finds its hosts by itself here; other programs find the first replica at $(MASTER_ADDR), `
        + `and the others under names such as ${lastHost}.`);
    }
  }
}

/** Pods of Volcano: `JOB-TASK-INDEX.JOB`. */
function hostsOf(name: string, tasks: readonly Task[], roles: readonly RoleDraft[]): OldHosts[] {
  const escaped = quotedPattern(name);
  return tasks.flatMap(({ role }, index) => {
    const here = roles.length === tasks.length ? roles.find(({ path }) => path === role.path) ?? roles[index] : roles[0];
    return [{ role: here.name, pattern: `${escaped}-${quotedPattern(role.name)}-([0-9]+)(?:\\.${escaped})?` }];
  });
}
