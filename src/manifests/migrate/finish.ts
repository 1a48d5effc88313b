/** From a draft to a training job: the last step for each kind, after its reader. */
import type { Fields } from './fields';
import { withoutOldHosts } from './hosts';
import type { JobDraft, JobFields, JobMetadata, RoleDraft } from './job';
import type { Notes } from './notes';
import { withoutRendering } from './own-rendering';
import { assembleRoles, withPodSpec } from './roles';
import { withoutContractVariables } from './variables';
import type { Container, PodSpec } from '../kubernetes';
import { nonEmptyObject } from '../plain-object';
import { noneIfEmpty } from '../pod/pod-parts';
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
    runPolicy: nonEmptyObject(defined<RunPolicySpec>({ restartPolicy, ...withoutDefaultSuccess(framework, roles, fields) })),
    scheduling: nonEmptyObject(defined<SchedulingSpec>({ topology, ...fields.scheduling, ...placement })),
    elastic: fields.elastic,
    hooks: fields.hooks,
    init: fields.init,
    suspend: fields.suspend,
    managedBy: fields.managedBy,
  });
}

/** Restores roles that Trainyard rendered. */
function withoutOwnRendering(draft: JobDraft): JobDraft {
  const unrendered = draft.roles.map(withoutRendering);
  const checkpoint = unrendered.find((role) => role.checkpoint !== undefined)?.checkpoint;
  const code = unrendered.find((role) => role.code !== undefined)?.code;
  const hasInit = unrendered.some((role) => role.init === true);
  const fields = { ...draft.fields, ...(checkpoint && { checkpoint }), ...(code && { code }), ...(hasInit && { init: true }) };
  return { ...draft, roles: unrendered.map(({ role }) => role), fields };
}

/** The run policy without a success policy that is the framework's default. */
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

/** Moves Kueue's topology annotation of all roles to the job. */
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
  const metadata = nonEmptyObject(defined({ ...labels, annotations: nonEmptyObject(rest) }));
  return {
    template: nonEmptyObject(defined<PodTemplateSpec>({ metadata, spec: template!.spec })),
    topology: { key, ...(required === undefined && { mode: 'Preferred' }) },
  };
}

/** Reports unread fields. */
export function noteUnread(object: Fields, kind: string, notes: Notes): void {
  for (const { path, value } of object.unread()) {
    notes.lost(path, value, `is not a field of ${kind} that has an equivalent here, and is left out.`);
  }
}

/**
 * The draft without unnamed container ports that equal the job's port, which every replica opens anyway. Engines that search for the port by name
 * would treat them as additional ports.
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
  const own = { ...training, ...noneIfEmpty('ports', left) } as Container;
  const others = containers.filter(({ name }) => name !== TRAINING_CONTAINER);
  const all = [...(Object.keys(own).length > 1 ? [own] : []), ...others];
  return withPodSpec(role, { ...pod, ...noneIfEmpty('containers', all) });
}

function isBare(entry: unknown, port: number): boolean {
  return isRecord(entry) && entry.containerPort === port
    && Object.entries(entry).every(([field, value]) => field === 'containerPort' || (field === 'protocol' && value === 'TCP'));
}
