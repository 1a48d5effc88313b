/**
 * From roles that were read one by one to a job: what all roles say alike moves up to the job, and where nothing is left for a role to say, the short
 * form is enough.
 */
import type { RoleDraft } from './job';
import type { Notes } from './notes';
import { isEqual } from './values';
import type { PodSpec } from '../kubernetes';
import { frameworkContract } from '../../model/frameworks/registry';
import { RUN_POLICY_DEFAULTS, type RestartPolicy } from '../../model/training-job/run-policy';
import type { SchedulingSpec } from '../../model/training-job/scheduling';
import type { EnvVarSpec, FrameworkName, PodTemplateSpec, ResourcesSpec, RoleSpec, TrainingJobSpec } from '../../model/training-job/spec';
import { isRecord } from '../../model/json-parts';
import { defined, nonEmpty } from '../../model/lists';

/** What roles become. */
export type AssembledRoles = Pick<
  TrainingJobSpec, 'image' | 'replicas' | 'roles' | 'command' | 'args' | 'workingDir' | 'env' | 'resources' | 'template'
> & { readonly scheduling: SchedulingSpec; readonly restartPolicy?: RestartPolicy };

/** Pod fields with a place of their own in `scheduling`, where all roles agree on them. */
const SCHEDULING_FIELDS = ['nodeSelector', 'tolerations', 'priorityClassName', 'schedulerName'] as const;

/** Builds the job's side of its roles. There is at least one. */
export function assembleRoles(framework: FrameworkName, drafts: readonly RoleDraft[], notes: Notes): AssembledRoles {
  const contract = frameworkContract(framework);
  const isRanked = (draft: RoleDraft) => contract.roles.find(({ name }) => name === draft.name)?.ranked ?? true;
  const main = drafts.find(isRanked) ?? drafts[0];
  const workingDir = commonWorkingDir(main, drafts, notes);
  // Workers of MPI run an ssh server unless they say otherwise, and never the job's command.
  const hasOwnCommand = (draft: RoleDraft) => contract.roles.find(({ name }) => name === draft.name)?.command !== undefined;
  const speaking = drafts.filter((draft) => !hasOwnCommand(draft));
  const isOneEntry = speaking.every(({ command, args }) => isEqual({ command, args }, { command: speaking[0].command, args: speaking[0].args }));
  const entry = isOneEntry && speaking.length > 0 ? { command: speaking[0].command, args: speaking[0].args } : undefined;
  const env = commonEnv(drafts);
  const isOneSize = drafts.every((draft) => isEqual(draft.resources, main.resources));
  const resources = isOneSize && canInherit(framework, drafts) ? main.resources : undefined;
  const commonPolicy = drafts.every(({ restartPolicy }) => restartPolicy === main.restartPolicy) ? main.restartPolicy : undefined;
  const templates = splitTemplates(drafts.map(({ template }) => template));
  const roles = drafts.map((draft, index): RoleSpec => defined({
    name: draft.name,
    replicas: draft.replicas === 1 ? undefined : draft.replicas,
    image: draft.image === main.image ? undefined : draft.image,
    ...(entry === undefined || hasOwnCommand(draft) ? { command: draft.command, args: draft.args } : {}),
    env: nonEmpty(draft.env.filter((variable) => !env.includes(variable.name))),
    resources: resources === undefined ? draft.resources : undefined,
    template: templates.own[index],
    restartPolicy: commonPolicy === undefined ? unlessDefault(draft.restartPolicy) : undefined,
  }));
  const { scheduling, template } = withoutScheduling(templates.common);
  return {
    image: main.image,
    ...form(framework, roles),
    ...entry,
    workingDir,
    env: nonEmpty(main.env.filter(({ name }) => env.includes(name))),
    resources,
    template,
    scheduling,
    restartPolicy: unlessDefault(commonPolicy),
  };
}

function unlessDefault(policy: RestartPolicy | undefined): RestartPolicy | undefined {
  return policy === RUN_POLICY_DEFAULTS.restartPolicy ? undefined : policy;
}

/** The short form, where it means the same. */
function form(framework: FrameworkName, roles: readonly RoleSpec[]): Pick<TrainingJobSpec, 'replicas' | 'roles'> {
  const isBare = roles.every((role) => Object.keys(role).every((field) => ['name', 'replicas'].includes(field)));
  const total = roles.reduce((sum, role) => sum + (role.replicas ?? 1), 0);
  const written = new Map(roles.map((role) => [role.name, role.replicas ?? 1]));
  for (const replicas of isBare ? [total, total - 1].filter((count) => count > 0) : []) {
    const short = frameworkContract(framework).shortForm(replicas);
    if (short.length === written.size && short.every((role) => written.get(role.name) === role.replicas)) {
      return { replicas };
    }
  }
  return { roles };
}

/** A working directory is the job's alone. */
function commonWorkingDir(main: RoleDraft, drafts: readonly RoleDraft[], notes: Notes): string | undefined {
  for (const draft of drafts.filter(({ workingDir }) => workingDir !== main.workingDir)) {
    notes.lost(`${draft.containerPath}.workingDir`, draft.workingDir,
      `differs from that of ${main.name} (${main.workingDir ?? 'the image\'s'}), but a job has one for all roles. Change the directory in the command.`);
  }
  return main.workingDir;
}

/** Variables that stand in all roles alike; none where moving them could change what `$(NAME)` in one of them means. */
function commonEnv(drafts: readonly RoleDraft[]): string[] {
  const [first, ...others] = drafts;
  const has = (draft: RoleDraft, variable: EnvVarSpec) => draft.env.some((candidate) => isEqual(candidate, variable));
  const common = first.env.filter((variable) => others.every((draft) => has(draft, variable)));
  const isWhole = drafts.every((draft) => draft.env.length === common.length && isEqual(draft.env, first.env));
  const refers = drafts.some((draft) => draft.env.some(({ value }) => value?.includes('$(')));
  return isWhole || !refers ? common.map(({ name }) => name) : [];
}

/**
 * A parameter server gets the job's resources without devices, so devices that it asks for have to stand in the role; a launcher gets none of them.
 */
function canInherit(framework: FrameworkName, drafts: readonly RoleDraft[]): boolean {
  const hasDevices = ({ gpu, tpu, extended }: ResourcesSpec) => gpu !== undefined || tpu !== undefined || extended !== undefined;
  return drafts.every(({ name, resources }) => {
    const contract = frameworkContract(framework).roles.find((role) => role.name === name);
    return resources === undefined || (contract?.resources === undefined && (!hasDevices(resources) || (contract?.devices ?? true)));
  });
}

/** What all templates have in common, field by field, and what each has beside it. */
function splitTemplates(templates: readonly PodTemplateSpec[]): { readonly common: PodTemplateSpec; readonly own: (PodTemplateSpec | undefined)[] } {
  const metadata = splitMaps(templates.map((template) => (template.metadata ?? {}) as { readonly [field: string]: unknown }));
  const specs = templates.map((template) => ({ ...template.spec, ...byName(template.spec) }));
  const spec = splitMaps(specs);
  const template = (labels: { readonly [field: string]: unknown }, fields: { readonly [field: string]: unknown }): PodTemplateSpec => defined({
    metadata: Object.keys(labels).length > 0 ? labels : undefined,
    spec: Object.keys(fields).length > 0 ? asList(fields) : undefined,
  });
  return {
    common: template(metadata.common, spec.common),
    own: templates.map((_template, index) => {
      const own = template(metadata.own[index], spec.own[index]);
      return Object.keys(own).length > 0 ? own : undefined;
    }),
  };
}

const CONTAINER_KEY = 'container ';

/** Containers one by one, so that a sidecar of all roles can move up beside a `training` that differs. */
function byName(spec: PodTemplateSpec['spec']): { readonly [field: string]: unknown } {
  const containers = (spec as Partial<PodSpec> | undefined)?.containers ?? [];
  return { containers: undefined, ...Object.fromEntries(containers.map((container) => [`${CONTAINER_KEY}${typeof container?.name === 'string' ? container.name : JSON.stringify(container)}`, container])) };
}

function asList(fields: { readonly [field: string]: unknown }): { readonly [field: string]: unknown } {
  const isContainer = ([name]: readonly [string, unknown]) => name.startsWith(CONTAINER_KEY);
  const containers = Object.entries(fields).filter(isContainer).map(([, container]) => container);
  const rest = Object.fromEntries(Object.entries(fields).filter((entry) => !isContainer(entry)));
  return { ...rest, ...(containers.length > 0 && { containers }) };
}

function splitMaps(
  maps: readonly { readonly [field: string]: unknown }[],
): { readonly common: { readonly [field: string]: unknown }; readonly own: readonly { readonly [field: string]: unknown }[] } {
  const given = maps.map((map) => Object.entries(map).filter(([, value]) => value !== undefined));
  const isCommon = (field: string) => maps.every((map) => map[field] !== undefined && isEqual(map[field], maps[0][field]));
  return {
    common: Object.fromEntries(given[0].filter(([field]) => isCommon(field))),
    own: given.map((entries) => Object.fromEntries(entries.filter(([field]) => !isCommon(field)))),
  };
}

/** Moves what `scheduling` has fields for. */
function withoutScheduling(template: PodTemplateSpec): { readonly scheduling: SchedulingSpec; readonly template?: PodTemplateSpec } {
  const spec = { ...template.spec };
  const scheduling: { [field: string]: unknown } = {};
  for (const field of SCHEDULING_FIELDS.filter((name) => spec[name] !== undefined)) {
    scheduling[field] = field === 'tolerations' && Array.isArray(spec.tolerations) ? (spec.tolerations as readonly unknown[]).map(withOperator) : spec[field];
    delete spec[field];
  }
  const rest = defined({ metadata: template.metadata, spec: Object.keys(spec).length > 0 ? spec : undefined });
  return { scheduling, template: Object.keys(rest).length > 0 ? rest : undefined };
}

/** A toleration without an operator means Equal, and says so here. */
function withOperator(toleration: unknown): unknown {
  return !isRecord(toleration) ? toleration : { ...toleration, operator: toleration.operator ?? 'Equal' };
}
