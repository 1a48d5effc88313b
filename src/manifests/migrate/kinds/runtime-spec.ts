/** The spec of a TrainingRuntime or ClusterTrainingRuntime. */
import { Fields, type JsonObject, MigrationError } from '../fields';
import type { RoleDraft } from '../job';
import { hooksOf, waitsForAll } from './job-set-hooks';
import { readJobSetSpec, roleOfJob, type ReadJobSet } from './job-set-spec';
import { noteSshMount } from './mpi-job';
import type { Notes } from '../notes';
import { ANCESTOR_LABEL } from '../../engines/trainer/runtime';
import { MANAGED_BY_ENGINES, MANAGED_BY_LABEL } from '../../../model/labels';
import type { HooksSpec } from '../../../model/training-job/hooks';
import type { RunPolicySpec, SuccessPolicy } from '../../../model/training-job/run-policy';
import type { GangSpec } from '../../../model/training-job/scheduling';
import type { FrameworkName } from '../../../model/training-job/spec';

export interface ReadRuntime {
  readonly framework: FrameworkName;
  readonly trainers: RoleDraft;
  /** The launcher of MPI. */
  readonly launcher?: RoleDraft;
  /** All roles in the order of the runtime; empty if there are only nodes. */
  readonly roles: readonly RoleDraft[];
  readonly numProcPerNode?: number | string;
  readonly gang?: GangSpec;
  readonly hooks?: HooksSpec;
  readonly runPolicy: RunPolicySpec;
}

const INITIALIZERS = ['dataset-initializer', 'model-initializer'];

/** Settings of the TrainJob that override the runtime's. */
export interface RuntimeOverrides {
  readonly numNodes?: number;
  readonly image?: string;
}

/** Reads a runtime. @param path its name in notes */
export function readRuntime(object: JsonObject, path: string, { numNodes, image }: RuntimeOverrides, notes: Notes): ReadRuntime {
  const runtime = new Fields(object, path);
  for (const field of ['apiVersion', 'kind', 'metadata', 'status']) {
    runtime.take(field);
  }
  const spec = runtime.requiredObject('spec');
  const policy = spec.object('mlPolicy');
  const nodes = numNodes ?? policy?.count('numNodes') ?? 1;
  policy?.take('numNodes');
  const { framework, numProcPerNode, launcherTrains } = readMlPolicy(policy, notes);
  const gang = readGang(spec, notes);
  const template = spec.requiredObject('template', 'the template of the JobSet');
  let trainer: string | undefined;
  const set = readJobSetSpec(template.requiredObject('spec', 'the JobSet'), (replicated, name) => {
    if (INITIALIZERS.includes(name)) {
      notes.lost(replicated.path, name, 'has no equivalent: mount datasets and models, or fetch them in an init container or in the program.');
      replicated.takeRest();
      return undefined;
    }
    const isTrainer = noteJobLabels(replicated, notes) || name === 'node';
    const isNodes = isTrainer && name !== 'launcher';
    trainer = isNodes ? name : trainer;
    return { choice: { kind: 'runtime', name: 'node' }, image, ...(isNodes && { replicas: nodes }) };
  }, notes);
  const roles = set.jobs.map((job, index) => roleOfJob(job, set.restartPolicies[index]));
  const launcher = framework === 'mpi' ? roles.find(({ name }) => name === 'launcher') : undefined;
  const trainers = roles.find(({ name }) => name === trainer) ?? roles.find((role) => role !== launcher);
  if (trainers === undefined || (framework === 'mpi' && launcher === undefined)) {
    throw new MigrationError(template.at('spec'), roles.map(({ name }) => name), framework === 'mpi'
      ? 'has no launcher and node, which MPI requires.' : 'has no replicated job node.');
  }
  const others = roles.filter((role) => role !== launcher && role !== trainers);
  for (const role of framework === 'mpi' ? others : []) {
    notes.lost(role.path, role.name, `has no equivalent: an MPI job has no role ${role.name}.`);
  }
  if (launcherTrains) {
    notes.differs(`${policy!.path}.mpi.runLauncherAsNode`, true, `the launcher only launches here, next to ${trainers.replicas} workers; there it was one of them.`);
  }
  const success = readSuccess(set, roles, framework, trainers.name, template, notes);
  runtime.unread().forEach(({ path, value }) => notes.lost(path, value, 'is not a field of a runtime that has an equivalent here, and is left out.'));
  return {
    framework,
    // The number of nodes applies only to the job that is marked as the trainer.
    trainers: { ...trainers, name: others.length > 0 && framework !== 'mpi' ? trainers.name : 'worker' },
    roles: framework === 'mpi' || others.length === 0 ? [] : roles,
    ...(launcher && { launcher: { ...launcher, replicas: 1 } }),
    numProcPerNode,
    gang,
    hooks: hooksOf(set.hooks, roles),
    runPolicy: { ...set.runPolicy, ...(success && { successPolicy: success }) },
  };
}

interface ReadMlPolicy {
  readonly framework: FrameworkName;
  readonly numProcPerNode?: number | string;
  readonly launcherTrains: boolean;
}

function readMlPolicy(policy: Fields | undefined, notes: Notes): ReadMlPolicy {
  if (policy?.has('flux')) {
    throw new MigrationError(policy.at('flux'), policy.peek('flux'), 'starts its processes through Flux, which has no equivalent here. Use framework mpi.');
  }
  const [torch, mpi, jax, xgboost] = ['torch', 'mpi', 'jax', 'xgboost'].map((name) => policy?.object(name));
  notes.lose(torch, 'has no equivalent: only the container training gets the PyTorch variables. Set them in the others.', 'envInjection');
  const implementation = mpi?.text('mpiImplementation');
  if (implementation !== undefined && !['', 'OpenMPI'].includes(implementation)) {
    notes.lost(mpi!.at('mpiImplementation'), implementation, 'the launcher gets the variables and the hostfile of Open MPI.');
  }
  noteSshMount(mpi, notes);
  return {
    framework: torch ? 'pytorch' : mpi ? 'mpi' : jax ? 'jax' : xgboost ? 'xgboost' : 'plain',
    numProcPerNode: (torch?.take('numProcPerNode') ?? mpi?.take('numProcPerNode')) as number | string | undefined,
    launcherTrains: mpi?.flag('runLauncherAsNode') ?? false,
  };
}

function readGang(spec: Fields, notes: Notes): GangSpec | undefined {
  const policy = spec.object('podGroupPolicy');
  const volcano = policy?.object('volcano');
  notes.lose(volcano, 'has no equivalent. scheduling.topology keeps the replicas on one domain by a label of the nodes.', 'networkTopology');
  const coscheduling = policy?.object('coscheduling');
  const timeout = coscheduling?.count('scheduleTimeoutSeconds');
  if (volcano === undefined && coscheduling === undefined) {
    return undefined;
  }
  return volcano ? { scheduler: 'Volcano' } : { scheduler: 'Coscheduling', ...(timeout !== undefined && { scheduleTimeoutSeconds: timeout }) };
}

/** Reports labels of the Job between the JobSet and its pods. @returns whether they mark it as the trainer */
function noteJobLabels(replicated: Fields, notes: Notes): boolean {
  const metadata = replicated.object('template')?.object('metadata');
  const { [ANCESTOR_LABEL]: step, ...labels } = metadata?.textMap('labels') ?? {};
  for (const [label, value] of labels[MANAGED_BY_LABEL] === MANAGED_BY_ENGINES ? [] : Object.entries(labels)) {
    notes.lost(`${metadata!.at('labels')}['${label}']`, value, 'is a label of the intermediate Job, which does not exist here. Put it on the pods.');
  }
  return step === 'trainer';
}

/** Which of the jobs decide about success, if not all. */
function readSuccess(
  { success, hooks }: ReadJobSet, roles: readonly RoleDraft[], framework: FrameworkName, trainer: string, template: Fields, notes: Notes,
): SuccessPolicy | undefined {
  if (waitsForAll(hooks)) {
    return 'AllReplicas';
  }
  const isOneSide = framework === 'mpi' || roles.length === 1;
  if (success === undefined || (isOneSide && !success.any && success.targets.includes(framework === 'mpi' ? 'launcher' : trainer))) {
    return undefined;
  }
  const isFirst = !success.any && success.targets.length === 1 && success.targets[0] === roles[0].name && roles[0].replicas === 1;
  if (!isFirst) {
    notes.lost(`${template.at('spec')}.successPolicy`, success,
      'has no equivalent: the job succeeds with its nodes, and an MPI job with its launcher. Set runPolicy.successPolicy.');
  }
  return isFirst ? 'Coordinator' : undefined;
}
