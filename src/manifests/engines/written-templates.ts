/** The parts of a job's spec that its author writes for single roles: pod templates and variables. */
import type { EnvVarSpec, TrainingJobSpec } from '../../model/training-job/spec';
import type { Violation } from '../../model/violations';

/** A pod template of a job. */
export interface WrittenTemplate {
  readonly path: string;
  /** @default - the template is for all roles */
  readonly role?: string;
  readonly containers: readonly {
    readonly name: string;
    readonly env?: readonly EnvVarSpec[];
    readonly ports?: readonly { readonly name?: string; readonly containerPort?: number }[];
  }[];
  readonly initContainers: readonly { readonly name: string }[];
  readonly volumes: readonly { readonly name: string }[];
}

/** All pod templates of a job. */
export function writtenTemplates({ template, roles = [] }: TrainingJobSpec): WrittenTemplate[] {
  return [
    { path: 'spec.template', template },
    ...roles.map((role, index) => ({ path: `spec.roles[${index}].template`, role: role.name, template: role.template })),
  ].flatMap(({ template: written, ...place }) => (
    written === undefined ? [] : [{ ...place, containers: [], initContainers: [], volumes: [], ...written.spec as Partial<WrittenTemplate> }]));
}

/** Names of what an engine's controller adds to pods. */
export interface AddedNames {
  readonly initContainers: readonly string[];
  readonly volumes: readonly string[];
}

/**
 * Init containers and volumes of a template with names that the engine uses.
 * @param adds end of the reason, such as `Kubeflow Trainer adds itself`
 */
export function addedNameViolations({ path, initContainers, volumes }: WrittenTemplate, added: AddedNames | undefined, adds: string): Violation[] {
  const inits = initContainers.filter(({ name }) => added?.initContainers.includes(name));
  return [
    ...inits.map(({ name }) => ({ path: `${path}.spec.initContainers['${name}']`, value: name, message: `is an init container that ${adds}. Rename yours.` })),
    ...volumes.filter(({ name }) => added?.volumes.includes(name))
      .map(({ name }) => ({ path: `${path}.spec.volumes['${name}']`, value: name, message: `is a volume that ${adds}. Rename yours.` })),
  ];
}

/** Path of a variable of a role: the role's own, or the job's. */
export function variablePath({ roles = [] }: TrainingJobSpec, role: string, variable: string): string {
  const index = roles.findIndex(({ name }) => name === role);
  const isOwn = roles[index]?.env?.some(({ name }) => name === variable) === true;
  return `${isOwn ? `spec.roles[${index}]` : 'spec'}.env['${variable}']`;
}
