/**
 * Variables that the framework's contract sets here: they are removed, and their values move to fields. Variables that refer to another controller's
 * labels are replaced.
 */
import { isOldHost } from './hosts';
import type { JobDraft, JobFields, OldHosts, RoleDraft } from './job';
import type { Notes } from './notes';
import { totalReplicas } from './roles';
import { PodAddressBook } from '../../model/frameworks/address-book';
import type { ReplicaContext } from '../../model/frameworks/contract';
import { frameworkContract } from '../../model/frameworks/registry';
import { HYPERPARAMETERS_VARIABLE, replicaEnvironment, reservedVariables } from '../../model/training-job/environment/environment';
import { replicasOfRole } from '../../model/training-job/replicas/replicas';
import { resolveTrainingJob } from '../../model/training-job/replicas/resolve';
import { DEFAULT_PORT } from '../../model/training-job/spec';
import type { EnvVarSpec, FrameworkName, TrainingJobSpec } from '../../model/training-job/spec';
import { validateTrainingJob } from '../../model/training-job/validation/validation';
import { expandReferences } from '../../model/variable-references';
import { isRecord } from '../../model/json-parts';

/** Index of a replica in its role. */
const INDEX_VARIABLE = 'TRAINYARD_REPLICA_INDEX';

/** Fields of a pod with the identity of a replica under other controllers, and the equivalent variable here. */
const IDENTITY: readonly { readonly field: RegExp; readonly variable: string }[] = [
  { field: /^metadata\.(annotations|labels)\['batch\.kubernetes\.io\/job-completion-index'\]$/, variable: INDEX_VARIABLE },
  { field: /^metadata\.labels\['training\.kubeflow\.org\/replica-index'\]$/, variable: INDEX_VARIABLE },
  { field: /^metadata\.labels\['volcano\.sh\/task-index'\]$/, variable: INDEX_VARIABLE },
  { field: /^metadata\.annotations\['volcano\.sh\/task-index'\]$/, variable: INDEX_VARIABLE },
  { field: /^metadata\.annotations\['volcano\.sh\/task-spec'\]$/, variable: 'ROLE' },
  { field: /^metadata\.(annotations|labels)\['volcano\.sh\/job-name'\]$/, variable: 'TRAINYARD_JOB_NAME' },
  { field: /^metadata\.annotations\['volcano\.sh\/job-retry-count'\]$/, variable: 'TRAINYARD_ATTEMPT' },
  { field: /^metadata\.labels\['training\.kubeflow\.org\/replica-type'\]$/, variable: 'ROLE' },
  { field: /^metadata\.labels\['training\.kubeflow\.org\/job-name'\]$/, variable: 'TRAINYARD_JOB_NAME' },
  { field: /^metadata\.(annotations|labels)\['jobset\.sigs\.k8s\.io\/jobset-name'\]$/, variable: 'TRAINYARD_JOB_NAME' },
  { field: /^metadata\.(annotations|labels)\['jobset\.sigs\.k8s\.io\/replicatedjob-name'\]$/, variable: 'ROLE' },
  { field: /^metadata\.(annotations|labels)\['jobset\.sigs\.k8s\.io\/restart-attempt'\]$/, variable: 'TRAINYARD_ATTEMPT' },
];

/** Fields with labels of other controllers, which pods do not have here. */
const FOREIGN_FIELD = /(batch\.kubernetes\.io|jobset\.sigs\.k8s\.io|training\.kubeflow\.org|ray\.io|volcano\.sh)\//;

/** The fields that are equivalent to a variable with a literal value. */
function fieldsOf(name: string, value: string, framework: FrameworkName, fields: JobFields): JobFields | undefined {
  switch (name) {
    case 'MASTER_PORT':
    case 'PET_MASTER_PORT':
      return frameworkContract(framework).launcherGivesRanks ? undefined : portField(value);
    case 'PET_NPROC_PER_NODE':
      return framework === 'pytorch' && /^([1-9][0-9]{0,3}|auto|cpu|gpu)$/.test(value) ? { nprocPerNode: Number(value) || value } : undefined;
    case 'CHECKPOINT_PATH':
      return { checkpointPath: value };
    case 'RESUME_FROM':
      return fields.checkpointPath === undefined ? undefined : { checkpoint: { ...fields.checkpoint, resumeFrom: value } };
    case 'CHECKPOINT_KEEP_LAST':
      return fields.checkpointPath === undefined || !/^[1-9][0-9]*$/.test(value) ? undefined
        : { checkpoint: { ...fields.checkpoint, keepLast: Number(value) } };
    default:
      return undefined;
  }
}

/** The draft without variables of the contract. */
export function withoutContractVariables(draft: JobDraft, name: string, notes: Notes): JobDraft {
  const identified = draft.roles.map((role) => ({ ...role, env: role.env.map((entry) => identify(role, entry, draft.indexVariable, notes)) }));
  const moved = moveToFields({ ...draft, roles: identified }, notes);
  const contexts = contextsOf(moved, name);
  if (contexts === undefined) {
    // The model's rules report the roles' errors. Until they are fixed, there is no contract.
    return moved;
  }
  const roles = moved.roles.map((role) => {
    const replicas = contexts.filter(({ replica }) => replica.role === role.name);
    const reserved = reservedVariables(replicas[0]);
    // Computed only once and on demand, because that takes time for a large job.
    const [first] = replicas;
    const own = new Set(replicaEnvironment(first, 0).map(({ name: variable, value }) => JSON.stringify([variable, value])));
    let environments: readonly Environment[] | undefined;
    const environmentsOf = () => environments ??= replicas.map((context) =>
      new Map(replicaEnvironment(context, 0).map(({ name: variable, value }) => [variable, value])));
    // A variable that a job may change is also removed if it has its default value.
    const isRemoved = ({ name: variable, value }: EnvVarSpec) =>
      reserved.has(variable) || (value !== undefined && own.has(JSON.stringify([variable, value])));
    const { title } = first.job.framework;
    role.env.filter(isRemoved).forEach((entry) => noteRemoved(role, entry, { title, environments: environmentsOf() }, draft.oldHosts, notes));
    return { ...role, env: role.env.filter((entry) => !isRemoved(entry)) };
  });
  return { ...moved, roles };
}

/** Replaces a reference to a label of another controller by a reference to the equivalent variable. */
function identify(role: RoleDraft, entry: EnvVarSpec, indexVariable = INDEX_VARIABLE, notes: Notes): EnvVarSpec {
  const field = (entry.valueFrom?.fieldRef as { readonly fieldPath?: string } | undefined)?.fieldPath ?? '';
  const known = IDENTITY.find((candidate) => candidate.field.test(field));
  const path = `${role.containerPath}.env['${entry.name}']`;
  if (known !== undefined) {
    const variable = known.variable === INDEX_VARIABLE && field.includes('job-completion-index') ? indexVariable : known.variable;
    if (entry.name !== variable) {
      notes.changed(path, field, `is $(${variable}), which has the same value.`);
    }
    return { name: entry.name, value: `$(${variable})` };
  }
  if (FOREIGN_FIELD.test(field)) {
    notes.lost(path, field, 'is set by another controller, and pods do not have it here. Use ROLE, RANK, TRAINYARD_REPLICA_INDEX or TRAINYARD_JOB_NAME.');
  }
  return entry;
}

function moveToFields(draft: JobDraft, notes: Notes): JobDraft {
  let fields = draft.fields;
  const hyperparameters = hyperparametersOf(draft);
  const move = (role: RoleDraft, { name, value, valueFrom }: EnvVarSpec): boolean => {
    if (hyperparameters?.has(name)) {
      return false;
    }
    const literal = valueFrom === undefined && value !== undefined ? tryLiteral(value) : undefined;
    const equivalent = literal === undefined ? undefined : fieldsOf(name, literal, draft.framework, fields);
    const [field] = Object.keys(equivalent ?? {}) as (keyof JobFields | undefined)[];
    // A field with another value takes precedence, and the variable is later compared with the contract's.
    if (equivalent === undefined || (field !== undefined && field !== 'checkpoint' && fields[field] !== undefined && fields[field] !== equivalent[field])) {
      return true;
    }
    fields = { ...fields, ...equivalent };
    notes.changed(`${role.containerPath}.env['${name}']`, value,
      field === undefined ? 'is left out: it is the default.' : `becomes the field ${field}, from which the variable is set.`);
    return false;
  };
  const roles = draft.roles.map((role) => ({ ...role, env: role.env.filter((entry) => move(role, entry)) }));
  const own = hyperparameters && Object.fromEntries([...hyperparameters].filter(([name]) => name !== HYPERPARAMETERS_VARIABLE));
  return { ...draft, roles, fields: own ? { ...fields, hyperparameters: own } : fields };
}

/** Hyperparameters of a job that was rendered from a TrainingJob: a variable with all of them as one object, on every role. */
function hyperparametersOf({ roles }: JobDraft): Map<string, string> | undefined {
  const text = tryLiteral(roles[0].env.find(({ name }) => name === HYPERPARAMETERS_VARIABLE)?.value ?? '') ?? '';
  if (!text.startsWith('{')) {
    return undefined;
  }
  const values = jsonObject(text);
  return values && new Map([...Object.entries(values), [HYPERPARAMETERS_VARIABLE, text]]);
}

/** A map of strings in JSON; undefined if the text is something else. */
function jsonObject(text: string): { readonly [name: string]: string } | undefined {
  try {
    const values: unknown = JSON.parse(text);
    return isRecord(values) && Object.values(values).every((value) => typeof value === 'string') ? values as { readonly [name: string]: string } : undefined;
  } catch {
    return undefined;
  }
}

/** A value in the container; undefined if it refers to another variable. */
function tryLiteral(value: string): string | undefined {
  let refers = false;
  const literal = expandReferences(value, () => {
    refers = true;
    return undefined;
  });
  return refers ? undefined : literal;
}

/** Variables of a replica. */
type Environment = ReadonlyMap<string, string | undefined>;

/** The variables of a role's replicas by the framework's contract. */
interface Contract {
  readonly title: string;
  readonly environments: readonly Environment[];
}

/** Reports the new value of a removed variable. */
function noteRemoved(
  role: RoleDraft, entry: EnvVarSpec, { title, environments }: Contract, oldHosts: readonly OldHosts[], notes: Notes,
): void {
  const values = environments.map((environment) => environment.get(entry.name));
  const expanded = environments.map((environment) => entry.value && expandReferences(entry.value, (name) => environment.get(name)));
  const path = `${role.containerPath}.env['${entry.name}']`;
  const written = entry.value ?? entry.valueFrom;
  const isSame = values.every((value, index) => value !== undefined && value === expanded[index]);
  if (isSame) {
    notes.changed(path, written, `is left out: the contract of ${title} sets it to the same.`);
  } else if (entry.value !== undefined && isOldHost(entry.value, oldHosts)) {
    notes.changed(path, written, `is left out: the contract of ${title} sets it to the host's name here.`);
  } else {
    const ours = [...new Set(values)].map((value) => value ?? 'a value of its own');
    const shown = ours.length > 3 ? `${ours.slice(0, 2).join(', ')}, … ${ours[ours.length - 1]}` : ours.join(', ');
    notes.differs(path, written, `is left out: the contract of ${title} sets it, here to ${shown}.`);
  }
}

/** Every replica with its job; undefined if the roles break a rule. */
function contextsOf({ framework, roles, fields }: JobDraft, name: string): readonly ReplicaContext[] | undefined {
  const { port, nprocPerNode, elastic, checkpointPath, checkpoint } = fields;
  const long = roles.map(({ name: role, replicas, resources }) => ({ name: role, replicas, resources }));
  const spec: TrainingJobSpec = {
    framework,
    image: 'image',
    ...(elastic === undefined ? { roles: long } : { replicas: totalReplicas(roles) }),
    port, nprocPerNode, elastic, checkpointPath, checkpoint,
  };
  if (validateTrainingJob('job', spec).length > 0) {
    return undefined;
  }
  const job = resolveTrainingJob(name, spec);
  const addresses = new PodAddressBook(name);
  return roles.flatMap((role) => replicasOfRole(job, role.name).map((replica) => ({ job, replica, addresses })));
}

function portField(value: string): JobFields | undefined {
  const port = Number(value);
  const isPort = Number.isInteger(port) && port > 0 && port < 65_536;
  return isPort ? port === DEFAULT_PORT ? {} : { port } : undefined;
}
