/** Which framework containers without one are: only where the launcher that they run says it. */
import type { RoleDraft } from './job';
import type { Notes } from './notes';
import { frameworkContract } from '../../model/frameworks/registry';
import type { FrameworkName } from '../../model/training-job/spec';

interface Hint {
  readonly framework: FrameworkName;
  /** Found in command and arguments. */
  readonly command?: RegExp;
  /** Found among the names of variables. */
  readonly variable?: RegExp;
}

const HINTS: readonly Hint[] = [
  { framework: 'pytorch', command: /\btorchrun\b|torch\.distributed\.(run|launch)\b/, variable: /^PET_/ },
  { framework: 'paddle', command: /paddle\.distributed\.launch/, variable: /^PADDLE_(MASTER|NNODES)$/ },
  { framework: 'jax', variable: /^JAX_(COORDINATOR_ADDRESS|NUM_PROCESSES|PROCESS_ID)$/ },
  { framework: 'tensorflow', variable: /^TF_CONFIG$/ },
  { framework: 'lightgbm', variable: /^LIGHTGBM_MACHINES$/ },
  { framework: 'xgboost', variable: /^DMLC_TRACKER_URI$/ },
  { framework: 'mxnet', variable: /^DMLC_PS_ROOT_URI$/ },
];

/** What pods without a framework turn out to be. */
export interface Recognised {
  readonly framework: FrameworkName;
  readonly roles: readonly RoleDraft[];
  /** That all replicas have to succeed, where the framework would look at its coordinator alone. */
  readonly successPolicy?: 'AllWorkers';
  /** Variable with the index that a pod had among all. */
  readonly indexVariable: string;
}

/**
 * The framework of pods that are all alike, and their roles as it calls them; plain where nothing is certain.
 * @param role the pods
 * @param keepsName whether the role stays one where the framework has a role of its name @default - it becomes the framework's short form
 */
export function recognised(role: RoleDraft, notes: Notes, keepsName = false): Recognised {
  const found = hintOf(role);
  if (found === undefined) {
    return { framework: 'plain', roles: [role], indexVariable: 'TRAINYARD_REPLICA_INDEX' };
  }
  const { framework, why } = found;
  notes.changed(role.containerPath, undefined, `the framework is ${framework}, because of ${why}; its contract sets the variables of each replica.`);
  noteAloneTorchrun(role, notes);
  const contract = frameworkContract(framework);
  if (keepsName && contract.roles.some(({ name, singleton }) => name === role.name && (!singleton || role.replicas === 1))) {
    return { framework, roles: [role], indexVariable: 'RANK' };
  }
  const isPyTorch = framework === 'pytorch';
  if (isPyTorch && role.replicas > 1) {
    notes.changed(role.path, undefined, 'succeeds when all replicas have, as before: runPolicy.successPolicy AllWorkers; for PyTorch it would be the master.');
  }
  return {
    framework,
    roles: contract.shortForm(role.replicas).map(({ name, replicas }) => ({ ...role, name, replicas })),
    ...(isPyTorch && role.replicas > 1 && { successPolicy: 'AllWorkers' }),
    indexVariable: 'RANK',
  };
}

/**
 * The framework of pods with several roles: one that has roles of these names, and whose variables stand in all of them.
 * @param roles the pods
 */
export function recognisedRoles(roles: readonly RoleDraft[], notes: Notes): Recognised {
  const plain: Recognised = { framework: 'plain', roles, indexVariable: 'TRAINYARD_REPLICA_INDEX' };
  const hints = roles.map(hintOf);
  const [first] = hints;
  if (first === undefined || hints.some((hint) => hint?.framework !== first.framework)) {
    return plain;
  }
  const contract = frameworkContract(first.framework);
  if (!roles.every((role) => contract.roles.some(({ name, singleton }) => name === role.name && (!singleton || role.replicas === 1)))) {
    return plain;
  }
  notes.changed(roles[0].containerPath, undefined, `the framework is ${first.framework}, because of ${first.why} and the names of the roles; its contract sets the variables of each replica.`);
  return { ...plain, framework: first.framework };
}

/** Where nothing said how many nodes there are, torchrun started a group of its own in each pod. */
function noteAloneTorchrun({ command = [], args = [], env, replicas, containerPath }: RoleDraft, notes: Notes): void {
  const text = [...command, ...args].join(' ');
  const isTold = /--nnodes\b/.test(text) || env.some(({ name }) => name === 'PET_NNODES');
  if (replicas > 1 && !isTold && /\btorchrun\b|torch\.distributed\.run\b/.test(text)) {
    notes.differs(containerPath, undefined,
      `torchrun has no --nnodes, which defaults to 1: each pod trained by itself. Here PET_NNODES is ${replicas}, and they train together; write --nnodes=1 if they should not.`);
  }
}

/** What a pod's command or variables say. */
function hintOf(role: RoleDraft): { readonly framework: FrameworkName; readonly why: string } | undefined {
  const text = [...role.command ?? [], ...role.args ?? []].join(' ');
  for (const { framework, command, variable } of HINTS) {
    const word = command?.exec(text)?.[0];
    const name = role.env.find((entry) => variable?.test(entry.name))?.name;
    if (word !== undefined || name !== undefined) {
      return { framework, why: word === undefined ? `the variable ${name}` : `its command (${word})` };
    }
  }
  return undefined;
}
