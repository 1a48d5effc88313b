/** Recognizes the framework of containers by the launcher that they run or by their variables. */
import type { RoleDraft } from './job';
import type { Notes } from './notes';
import { wordsOf } from './roles';
import { frameworkContract } from '../../model/frameworks/registry';
import type { FrameworkName } from '../../model/training-job/spec';

interface Hint {
  readonly framework: FrameworkName;
  /** Searched in command and arguments. */
  readonly command?: RegExp;
  /** Searched in the names of variables. */
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

/** The recognized framework of pods. */
export interface Recognised {
  readonly framework: FrameworkName;
  readonly roles: readonly RoleDraft[];
  /** Set if all replicas must succeed, but the framework's default is only its coordinator. */
  readonly successPolicy?: 'AllWorkers';
  /** Variable that replaces the index of a pod among all. */
  readonly indexVariable: string;
}

/**
 * The framework of identical pods, and their roles in it; plain if it is not certain.
 * @param keepsName whether the role is kept if the framework has one with its name @default - it becomes the framework's short form
 */
export function recognised(role: RoleDraft, notes: Notes, keepsName = false): Recognised {
  const found = hintOf(role);
  if (found === undefined) {
    return { framework: 'plain', roles: [role], indexVariable: 'TRAINYARD_REPLICA_INDEX' };
  }
  const { framework, why } = found;
  notes.changed(role.containerPath, undefined, `the framework is ${framework}, because of ${why}; its contract sets the variables of each replica.`);
  noteSingleNodeTorchrun(role, notes);
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
 * The framework of pods with several roles: one that has roles with these names, and whose variables are set in all of them.
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
  notes.changed(roles[0].containerPath, undefined,
    `the framework is ${first.framework}, because of ${first.why} and the names of the roles; its contract sets the variables of each replica.`);
  return { ...plain, framework: first.framework };
}

/** Without a number of nodes, torchrun started a separate group in each pod. */
function noteSingleNodeTorchrun(role: RoleDraft, notes: Notes): void {
  const { env, replicas, containerPath } = role;
  const text = wordsOf(role).join(' ');
  const hasNodes = /--nnodes\b/.test(text) || env.some(({ name }) => name === 'PET_NNODES');
  if (replicas > 1 && !hasNodes && /\btorchrun\b|torch\.distributed\.run\b/.test(text)) {
    notes.differs(containerPath, undefined,
      `torchrun has no --nnodes, which defaults to 1: each pod trained by itself. Here PET_NNODES is ${replicas}, and they train together; write --nnodes=1 if they should not.`);
  }
}

/** The framework that a pod's command or variables identify. */
function hintOf(role: RoleDraft): { readonly framework: FrameworkName; readonly why: string } | undefined {
  const text = wordsOf(role).join(' ');
  for (const { framework, command, variable } of HINTS) {
    const word = command?.exec(text)?.[0];
    const name = role.env.find((entry) => variable?.test(entry.name))?.name;
    if (word !== undefined || name !== undefined) {
      return { framework, why: word === undefined ? `the variable ${name}` : `its command (${word})` };
    }
  }
  return undefined;
}
