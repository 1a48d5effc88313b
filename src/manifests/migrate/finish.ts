/** From a draft to a training job: what every kind has in common once its own reader is done. */
import type { Fields } from './fields';
import { withoutOldHosts } from './hosts';
import type { JobDraft, JobFields, JobMetadata, RoleDraft } from './job';
import type { Notes } from './notes';
import { withoutRendering } from './own-rendering';
import { assembleRoles } from './roles';
import { withoutContractVariables } from './variables';
import type { Container, PodSpec } from '../kubernetes';
import { isRecord } from '../../model/json-parts';
import { PREFERRED_TOPOLOGY_ANNOTATION, REQUIRED_TOPOLOGY_ANNOTATION } from '../../model/kueue-names';
import { TRAINING_CONTAINER } from '../../model/names';
import { resolveTrainingJob } from '../../model/training-job/replicas/resolve';
import type { RunPolicySpec } from '../../model/training-job/run-policy';
import type { SchedulingSpec } from '../../model/training-job/scheduling';
import { DEFAULT_PORT, type FrameworkName, type PodTemplateSpec, type TrainingJobSpec } from '../../model/training-job/spec';
import { defined } from '../../model/lists';

/** Builds the spec. Its fields are in the order of the model. */
export function finishJob(draft: JobDraft, metadata: JobMetadata, notes: Notes): TrainingJobSpec {
  const own = withoutContractVariables(withoutOwnRendering(draft), metadata.name, notes);
  const { framework, roles, fields } = withoutOldHosts(withoutOpenedPorts(own, notes), metadata, notes);
  const { scheduling: placement, restartPolicy, ...assembled } = assembleRoles(framework, roles, notes);
  const { template, topology } = withoutTopology(assembled.template, notes);
  return defined<TrainingJobSpec>({
    framework,
    image: assembled.image,
    replicas: assembled.replicas,
    roles: assembled.roles,
    command: assembled.command,
    args: assembled.args,
    code: fields.code,
    workingDir: assembled.workingDir,
    env: assembled.env,
    resources: assembled.resources,
    hyperparameters: fields.hyperparameters,
    array: fields.array,
    checkpointPath: fields.checkpointPath,
    checkpoint: fields.checkpoint,
    nprocPerNode: fields.nprocPerNode,
    port: fields.port,
    template,
    runPolicy: definedOrNone<RunPolicySpec>({ restartPolicy, ...withoutDefaultSuccess(framework, roles, fields) }),
    scheduling: definedOrNone<SchedulingSpec>({ topology, ...fields.scheduling, ...placement }),
    elastic: fields.elastic,
    hooks: fields.hooks,
    init: fields.init,
    suspend: fields.suspend,
    managedBy: fields.managedBy,
  });
}

/** Roles that Trainyard rendered, as their author wrote them. */
function withoutOwnRendering(draft: JobDraft): JobDraft {
  const unrendered = draft.roles.map(withoutRendering);
  const checkpoint = unrendered.find((role) => role.checkpoint !== undefined)?.checkpoint;
  const code = unrendered.find((role) => role.code !== undefined)?.code;
  const hasInit = unrendered.some((role) => role.init === true);
  const fields = { ...draft.fields, ...(checkpoint && { checkpoint }), ...(code && { code }), ...(hasInit && { init: true }) };
  return { ...draft, roles: unrendered.map(({ role }) => role), fields };
}

/** What makes the framework's jobs succeed anyway goes without saying. */
function withoutDefaultSuccess(framework: FrameworkName, roles: readonly RoleDraft[], fields: JobFields): RunPolicySpec | undefined {
  const { successPolicy, ...rest } = fields.runPolicy ?? {};
  if (successPolicy === undefined) {
    return fields.runPolicy;
  }
  const job = resolveTrainingJob('job', {
    framework, image: 'image', roles: roles.map(({ name, replicas }) => ({ name, replicas })), elastic: fields.elastic,
  });
  return job.successPolicy === successPolicy ? rest : fields.runPolicy;
}

/** Kueue's topology of a pod set is the job's, where all roles ask for the same. */
function withoutTopology(
  template: PodTemplateSpec | undefined, notes: Notes,
): { readonly template?: PodTemplateSpec; readonly topology?: SchedulingSpec['topology'] } {
  const { [REQUIRED_TOPOLOGY_ANNOTATION]: required, [PREFERRED_TOPOLOGY_ANNOTATION]: preferred, ...rest } = template?.metadata?.annotations ?? {};
  const key = (required ?? preferred) as string | undefined;
  if (key === undefined) {
    return { template };
  }
  const annotation = required === undefined ? PREFERRED_TOPOLOGY_ANNOTATION : REQUIRED_TOPOLOGY_ANNOTATION;
  notes.changed(`template.metadata.annotations['${annotation}']`, key, 'is scheduling.topology.');
  const { annotations: _annotations, ...labels } = template!.metadata!;
  const metadata = definedOrNone({ ...labels, annotations: definedOrNone(rest) });
  return {
    template: definedOrNone<PodTemplateSpec>({ metadata, spec: template!.spec }),
    topology: { key, ...(required === undefined && { mode: 'Preferred' }) },
  };
}

function definedOrNone<T extends object>(fields: T): T | undefined {
  const found = defined(fields);
  return Object.keys(found).length > 0 ? found : undefined;
}

/** Says what nobody read. */
export function noteUnread(object: Fields, kind: string, notes: Notes): void {
  for (const { path, value } of object.unread()) {
    notes.lost(path, value, `is not a field of ${kind} that has an equivalent here, and is left out.`);
  }
}

/**
 * The draft without such ports: engines that look for the port by a name of theirs take it for one too many.
 *
 * Container ports without a name that say no more than the job's own port does, which every replica has anyway.
 */
function withoutOpenedPorts(draft: JobDraft, notes: Notes): JobDraft {
  const port = draft.fields.port ?? DEFAULT_PORT;
  return { ...draft, roles: draft.roles.map((role) => withoutPort(role, port, notes)) };
}

function withoutPort(role: RoleDraft, port: number, notes: Notes): RoleDraft {
  const { containers = [], ...pod } = (role.template.spec ?? {}) as Partial<PodSpec>;
  const container: Partial<Container> = containers.find(({ name }) => name === TRAINING_CONTAINER) ?? {};
  const { ports = [], ...training } = container;
  const left = ports.filter((entry) => !isBare(entry, port));
  if (left.length === ports.length) {
    return role;
  }
  notes.changed(`${role.containerPath}.ports`, port, 'is left out: it is the job\'s port, which every replica opens.');
  const own = { ...training, ...(left.length > 0 && { ports: left }) } as Container;
  const others = containers.filter(({ name }) => name !== TRAINING_CONTAINER);
  const all = [...(Object.keys(own).length > 1 ? [own] : []), ...others];
  const { spec: _spec, ...template } = role.template;
  const spec = { ...pod, ...(all.length > 0 && { containers: all }) };
  return { ...role, template: { ...template, ...(Object.keys(spec).length > 0 && { spec }) } };
}

function isBare(entry: unknown, port: number): boolean {
  return isRecord(entry) && entry.containerPort === port
    && Object.entries(entry).every(([field, value]) => field === 'containerPort' || (field === 'protocol' && value === 'TCP'));
}
