/**
 * Combines roles to a job: fields that are the same in all roles move to the job, and if roles have no other fields, the job gets the short form.
 */
import type { RoleDraft } from './job';
import type { Notes } from './notes';
import { canonical, isEqual, isRecord } from '../../model/json-parts';
import type { Container, PodSpec } from '../kubernetes';
import { nonEmptyObject } from '../plain-object';
import { noneIfEmpty } from '../pod/pod-parts';
import { frameworkContract } from '../../model/frameworks/registry';
import { RUN_POLICY_DEFAULTS, type RestartPolicy } from '../../model/training-job/run-policy';
import type { SchedulingSpec } from '../../model/training-job/scheduling';
import type { FrameworkName, PodTemplateSpec, ResourcesSpec, RoleSpec, TrainingJobSpec } from '../../model/training-job/spec';
import { defined, nonEmpty, optional } from '../../model/lists';

/** The fields of a job that come from its roles. */
export type AssembledRoles = Pick<
  TrainingJobSpec, 'image' | 'replicas' | 'roles' | 'command' | 'args' | 'workingDir' | 'env' | 'resources' | 'template'
> & { readonly scheduling: SchedulingSpec; readonly restartPolicy?: RestartPolicy };

/** Pod fields that move to `scheduling` if all roles agree on them. */
const SCHEDULING_FIELDS = ['nodeSelector', 'tolerations', 'priorityClassName', 'schedulerName'] as const;

/** Builds the fields of a job with at least one role. */
export function assembleRoles(framework: FrameworkName, drafts: readonly RoleDraft[], notes: Notes): AssembledRoles {
  const contract = frameworkContract(framework);
  const isRanked = (draft: RoleDraft) => contract.roles.find(({ name }) => name === draft.name)?.ranked ?? true;
  const main = drafts.find(isRanked) ?? drafts[0];
  const workingDir = commonWorkingDir(main, drafts, notes);
  // Workers of MPI run an ssh server by default, and never the job's command.
  const hasOwnCommand = (draft: RoleDraft) => contract.roles.find(({ name }) => name === draft.name)?.command !== undefined;
  const entries = drafts.filter((draft) => !hasOwnCommand(draft)).map(({ command, args }) => ({ command, args }));
  const entry = entries.every((other) => isEqual(other, entries[0])) ? entries.at(0) : undefined;
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
    env: nonEmpty(draft.env.filter((variable) => !env.has(variable.name))),
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
    env: nonEmpty(main.env.filter(({ name }) => env.has(name))),
    resources,
    template,
    scheduling,
    restartPolicy: unlessDefault(commonPolicy),
  };
}

/** Command and arguments of a role. */
export function wordsOf({ command = [], args = [] }: Pick<RoleDraft, 'command' | 'args'>): string[] {
  return [...command, ...args];
}

/** Number of replicas of all roles. */
export function totalReplicas(roles: readonly { readonly replicas?: number }[]): number {
  return roles.reduce((sum, { replicas = 1 }) => sum + replicas, 0);
}

/** A role with another pod spec, which is left out if it is empty. */
export function withPodSpec(role: RoleDraft, spec: Partial<PodSpec>): RoleDraft {
  const { spec: _spec, ...template } = role.template;
  return { ...role, template: { ...template, ...optional('spec', nonEmptyObject(spec)) } };
}

function unlessDefault(policy: RestartPolicy | undefined): RestartPolicy | undefined {
  return policy === RUN_POLICY_DEFAULTS.restartPolicy ? undefined : policy;
}

/** The short form, if it is equivalent. */
function form(framework: FrameworkName, roles: readonly RoleSpec[]): Pick<TrainingJobSpec, 'replicas' | 'roles'> {
  const isBare = roles.every((role) => Object.keys(role).every((field) => ['name', 'replicas'].includes(field)));
  const total = totalReplicas(roles);
  const written = new Map(roles.map((role) => [role.name, role.replicas ?? 1]));
  for (const replicas of isBare ? [total, total - 1].filter((count) => count > 0) : []) {
    const short = frameworkContract(framework).shortForm(replicas);
    if (short.length === written.size && short.every((role) => written.get(role.name) === role.replicas)) {
      return { replicas };
    }
  }
  return { roles };
}

/** The working directory of the first ranked role, because only the job has one. */
function commonWorkingDir(main: RoleDraft, drafts: readonly RoleDraft[], notes: Notes): string | undefined {
  for (const draft of drafts.filter(({ workingDir }) => workingDir !== main.workingDir)) {
    notes.lost(`${draft.containerPath}.workingDir`, draft.workingDir,
      `differs from that of ${main.name} (${main.workingDir ?? 'the image\'s'}), but a job has one for all roles. Change the directory in the command.`);
  }
  return main.workingDir;
}

/** Variables that are the same in all roles; none if moving them could change the meaning of `$(NAME)` in one of them. */
function commonEnv(drafts: readonly RoleDraft[]): ReadonlySet<string> {
  const [first, ...others] = drafts;
  const given = others.map((draft) => new Set(draft.env.map(canonical)));
  const common = first.env.filter((variable) => {
    const text = canonical(variable);
    return given.every((variables) => variables.has(text));
  });
  const isWhole = drafts.every((draft) => draft.env.length === common.length && isEqual(draft.env, first.env));
  const refers = drafts.some((draft) => draft.env.some(({ value }) => value?.includes('$(')));
  return new Set(isWhole || !refers ? common.map(({ name }) => name) : []);
}

/**
 * Whether roles can inherit the job's resources. A parameter server inherits them without devices, so its devices must be in the role; a launcher
 * inherits none.
 */
function canInherit(framework: FrameworkName, drafts: readonly RoleDraft[]): boolean {
  const hasDevices = ({ gpu, tpu, extended }: ResourcesSpec) => gpu !== undefined || tpu !== undefined || extended !== undefined;
  return drafts.every(({ name, resources }) => {
    const contract = frameworkContract(framework).roles.find((role) => role.name === name);
    return resources === undefined || (contract?.resources === undefined && (!hasDevices(resources) || (contract?.devices ?? true)));
  });
}

/** The common fields of all templates, and the remaining fields of each. */
function splitTemplates(templates: readonly PodTemplateSpec[]): { readonly common: PodTemplateSpec; readonly own: (PodTemplateSpec | undefined)[] } {
  const metadata = splitMaps(templates.map((template) => (template.metadata ?? {}) as { readonly [field: string]: unknown }));
  const specs = templates.map((template) => ({ ...template.spec, ...byName(template.spec) }));
  const spec = splitMaps(specs);
  const template = (labels: { readonly [field: string]: unknown }, fields: { readonly [field: string]: unknown }): PodTemplateSpec => defined({
    metadata: nonEmptyObject(labels),
    spec: nonEmptyObject(asList(fields)),
  });
  return {
    common: template(metadata.common, spec.common),
    own: templates.map((_template, index) => nonEmptyObject(template(metadata.own[index], spec.own[index]))),
  };
}

const CONTAINER_KEY = 'container ';

/** Containers by name, so that a common sidecar can move to the job although `training` differs. */
function byName(spec: PodTemplateSpec['spec']): { readonly [field: string]: unknown } {
  const containers = (spec as Partial<PodSpec> | undefined)?.containers ?? [];
  const keyOf = (container: Container) => `${CONTAINER_KEY}${typeof container?.name === 'string' ? container.name : JSON.stringify(container)}`;
  return { containers: undefined, ...Object.fromEntries(containers.map((container) => [keyOf(container), container])) };
}

function asList(fields: { readonly [field: string]: unknown }): { readonly [field: string]: unknown } {
  const isContainer = ([name]: readonly [string, unknown]) => name.startsWith(CONTAINER_KEY);
  const containers = Object.entries(fields).filter(isContainer).map(([, container]) => container);
  const rest = Object.fromEntries(Object.entries(fields).filter((entry) => !isContainer(entry)));
  return { ...rest, ...noneIfEmpty('containers', containers) };
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

/** Moves fields to `scheduling`. */
function withoutScheduling(template: PodTemplateSpec): { readonly scheduling: SchedulingSpec; readonly template?: PodTemplateSpec } {
  const spec = { ...template.spec };
  const scheduling: { [field: string]: unknown } = {};
  for (const field of SCHEDULING_FIELDS.filter((name) => spec[name] !== undefined)) {
    scheduling[field] = field === 'tolerations' && Array.isArray(spec.tolerations) ? (spec.tolerations as readonly unknown[]).map(withOperator) : spec[field];
    delete spec[field];
  }
  return { scheduling, template: nonEmptyObject(defined({ metadata: template.metadata, spec: nonEmptyObject(spec) })) };
}

/** A toleration with an explicit operator; the default is Equal. */
function withOperator(toleration: unknown): unknown {
  return !isRecord(toleration) ? toleration : { ...toleration, operator: toleration.operator ?? 'Equal' };
}
