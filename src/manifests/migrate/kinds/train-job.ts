/** TrainJob of Kubeflow Trainer v2, with its runtime if the input contains it. */
import { COMPLETION_INDEX, countedHosts, withCompletionIndex } from './indexed-job';
import { frameworkOf, withSshServer } from './mpi-job';
import { readCompute } from '../compute';
import { readEnv } from '../container';
import { type Fields, type JsonObject, MigrationError } from '../fields';
import { recognised, recognisedRoles, type Recognised } from '../framework-hints';
import type { JobDraft, JobFields, JobMetadata, JobReader, OldHosts, RoleDraft } from '../job';
import type { Notes } from '../notes';
import { wordsOf } from '../roles';
import { readControl } from '../run-policy';
import { readRuntime, type ReadRuntime } from './runtime-spec';
import { findRuntime, frameworkOfName, patchedRuntime, readPatches } from './training-runtime';
import { ANCESTOR_LABEL } from '../../engines/trainer/runtime';
import { frameworkContract } from '../../../model/frameworks/registry';
import type { EnvVarSpec, FrameworkName } from '../../../model/training-job/spec';
import { quotedPattern } from '../../../model/text/expressions';
import { isRecord } from '../../../model/json-parts';
import { defined } from '../../../model/lists';

/** @see JobReader */
export const TRAIN_JOB_READER: JobReader = {
  read(object, metadata, notes, context): JobDraft {
    const spec = object.requiredObject('spec');
    const control = readControl(spec, metadata, notes);
    const deadline = spec.count('activeDeadlineSeconds');
    const reference = spec.requiredObject('runtimeRef', 'the runtime');
    const runtimeName = reference.requiredText('name', 'the name of the runtime');
    const runtimeKind = reference.text('kind') ?? 'ClusterTrainingRuntime';
    reference.take('apiGroup');
    const trainer = readTrainer(spec, notes);
    noteInitializer(spec, notes);
    const patches = readPatches(spec, notes);
    const found = findRuntime(runtimeKind, runtimeName, metadata.namespace, context);
    const runtime = found === undefined
      ? assumedRuntime(runtimeName, trainer, reference, notes)
      : readRuntime(patchedRuntime(found, patches, isTrainer, trainer.resources), `${runtimeKind}/${runtimeName}`, trainer, notes);
    if (found === undefined && patches.length > 0) {
      notes.lost(spec.at('runtimePatches'), patches, 'changes a runtime that is not in the input. Migrate again with the runtime, or write it into the pod template.');
    }
    const { framework, roles, successPolicy, indexVariable } = rolesOf(runtime, trainer, notes);
    const nprocPerNode = processes(framework, trainer.numProcPerNode ?? runtime.numProcPerNode);
    const queue = metadata.annotations[VOLCANO_QUEUE] as string | undefined;
    const fields: JobFields = {
      ...(nprocPerNode !== undefined && { nprocPerNode }),
      hooks: runtime.hooks,
      runPolicy: defined({ successPolicy, ...runtime.runPolicy, activeDeadlineSeconds: deadline ?? runtime.runPolicy.activeDeadlineSeconds }),
      scheduling: {
        ...metadata.scheduling,
        ...(runtime.gang && { gang: { ...runtime.gang, ...(runtime.gang.scheduler === 'Volcano' && queue !== undefined && { queue }) } }),
      },
      ...control,
    };
    return { framework, roles, fields, indexVariable, oldHosts: hostsOf(metadata, roles), usedAnnotations: runtime.gang ? [VOLCANO_QUEUE] : [] };
  },
};

const VOLCANO_QUEUE = 'scheduling.volcano.sh/queue-name';

/** `spec.trainer`. */
interface Trainer {
  readonly path: string;
  readonly image?: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly env: readonly EnvVarSpec[];
  readonly numNodes?: number;
  readonly resources: JsonObject;
  readonly numProcPerNode?: number | string;
}

function readTrainer(spec: Fields, notes: Notes): Trainer {
  const trainer = spec.object('trainer');
  const resources = trainer?.take('resourcesPerNode') ?? {};
  // A string that is spread into an object would become one resource per character.
  if (!isRecord(resources) || !['requests', 'limits'].every((part) => isRecord(resources[part] ?? {}))) {
    throw new MigrationError(trainer!.at('resourcesPerNode'), resources, 'must be an object with requests and limits.');
  }
  const command = trainer?.texts('command');
  if (command?.join(' ').startsWith('tune run')) {
    notes.lost(trainer!.at('command'), command, 'torchtune\'s recipe and settings were added by the controller, from the name of the runtime. Write the whole command.');
  }
  return {
    path: trainer?.path ?? spec.at('trainer'),
    image: trainer?.text('image'),
    command,
    args: trainer?.texts('args'),
    env: trainer ? readEnv(trainer, notes) : [],
    numNodes: trainer?.count('numNodes'),
    resources,
    numProcPerNode: trainer?.take('numProcPerNode') as number | string | undefined,
  };
}

function noteInitializer(spec: Fields, notes: Notes): void {
  const initializer = spec.object('initializer');
  for (const what of ['dataset', 'model']) {
    notes.lose(initializer, `has no equivalent. Mount the ${what}, or fetch it in an init container (template.spec.initContainers) or in the program.`, what);
  }
}

/** Without the runtime, its name must identify the framework, and the job must have an image. */
function assumedRuntime(name: string, trainer: Trainer, reference: Fields, notes: Notes): ReadRuntime {
  const framework = frameworkOfName(name);
  const advice = `Add the runtime to the same input: kubectl get clustertrainingruntime ${name} -o yaml`;
  if (framework === undefined || trainer.image === undefined) {
    throw new MigrationError(reference.at('name'), name, framework === undefined
      ? `is a runtime that is not in the input, and its name does not identify a framework. ${advice}.`
      : `is a runtime that is not in the input, and it contains the image: spec.trainer.image is not given. ${advice}.`);
  }
  notes.differs(reference.at('name'), name,
    `is not in the input, and is read as ${frameworkContract(framework).title} because of its name; its other contents are not known. ${advice}.`);
  const { resources, rest } = readCompute(trainer.resources, `${trainer.path}.resourcesPerNode`, notes);
  const role: RoleDraft = {
    name: 'worker', replicas: trainer.numNodes ?? 1, path: reference.path, podPath: reference.path, containerPath: trainer.path, image: trainer.image,
    env: [], resources, template: rest ? { spec: { containers: [{ name: 'training', resources: rest }] } } : {}, restartPolicy: 'OnFailure',
  };
  const launcher: RoleDraft = { ...role, name: 'launcher', replicas: 1, resources: undefined, template: {} };
  return { framework, trainers: role, launcher: frameworkContract(framework).launcherGivesRanks ? launcher : undefined, roles: [], runPolicy: {} };
}

/** Applies the trainer's settings to the role that has its container: the launcher with MPI, otherwise all replicas. */
function rolesOf({ framework, trainers, launcher, roles: all }: ReadRuntime, trainer: Trainer, notes: Notes): Recognised {
  if (all.length > 0) {
    const written = all.map((role) => (role.name === trainers.name ? withTrainer({ ...role, replicas: trainers.replicas }, trainer) : role));
    return framework === 'plain' ? recognisedRoles(written, notes) : { framework, roles: written, indexVariable: 'TRAINYARD_REPLICA_INDEX' };
  }
  if (launcher !== undefined) {
    const nodes = { ...trainers, image: trainer.image ?? trainers.image, env: merged(trainers.env, trainer.env) };
    const roles = [withTrainer(launcher, trainer), withSshServer(nodes, notes)];
    return { framework: framework === 'mpi' ? frameworkOf(roles, notes) : framework, roles, indexVariable: 'TRAINYARD_REPLICA_INDEX' };
  }
  const role = withTrainer(trainers, trainer);
  if (framework === 'plain') {
    const found = recognised(role, notes);
    return { ...found, roles: found.roles.map((own) => withCompletionIndex(own, found.indexVariable, notes)) };
  }
  const roles = frameworkContract(framework).shortForm(role.replicas).map(({ name, replicas }) => ({ ...role, name, replicas }));
  const hasMaster = roles.length > 1;
  if (hasMaster) {
    notes.changed(role.path, undefined, 'succeeds when all nodes have, as before: runPolicy.successPolicy AllWorkers; otherwise it would be the master.');
  }
  const texts = [...wordsOf(role), ...role.env.map(({ value }) => value ?? '')];
  const usesIndex = texts.some((text) => text.includes(COMPLETION_INDEX));
  return {
    framework,
    roles: usesIndex ? roles.map((own) => withCompletionIndex(own, 'RANK', notes)) : roles,
    ...(hasMaster && { successPolicy: 'AllWorkers' }),
    indexVariable: 'RANK',
  };
}

function withTrainer(role: RoleDraft, trainer: Trainer): RoleDraft {
  return {
    ...role,
    containerPath: trainer.path,
    image: trainer.image ?? role.image,
    command: trainer.command ?? role.command,
    args: trainer.args ?? role.args,
    env: merged(role.env, trainer.env),
  };
}

function merged(base: readonly EnvVarSpec[], over: readonly EnvVarSpec[]): EnvVarSpec[] {
  return [...base.filter(({ name }) => !over.some((own) => own.name === name)), ...over];
}

/** With MPI, one slot per node means the number of GPUs, upstream and here. */
function processes(framework: FrameworkName, written: number | string | undefined): number | string | undefined {
  const count = Number(written);
  if (written === undefined || (frameworkContract(framework).launcherGivesRanks && count === 1)) {
    return undefined;
  }
  return Number.isInteger(count) ? count : written;
}

function isTrainer(job: JsonObject): boolean {
  const { metadata } = (job.template ?? {}) as { readonly metadata?: { readonly labels?: JsonObject } };
  return metadata?.labels?.[ANCESTOR_LABEL] === 'trainer' || job.name === 'node';
}

/** Nodes: `NAME-node-0-INDEX.NAME`. */
function hostsOf({ name }: JobMetadata, roles: readonly RoleDraft[]): OldHosts[] {
  const escaped = quotedPattern(name);
  const workers = roles.filter((role) => role.name !== 'launcher');
  const [before, after] = [`${escaped}-node-0-`, `(?:\\.${escaped})?`];
  return workers.length === 1
    ? [...countedHosts(workers, before, after), { role: 'launcher', pattern: `${escaped}-launcher-0-0${after}` }]
    : countedHosts(workers, before, after);
}
