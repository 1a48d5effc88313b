/** Rules on pod templates: what the operator sets itself, because it finds its pods by it, or replicas find each other. */
import type { PodTemplateSpec, TrainingJobSpec } from '../spec';
import { frameworkContract } from '../../frameworks/registry';
import { RESERVED_POD_LABELS, RESERVED_VOLUME_PREFIX } from '../../labels';
import { TRAINING_CONTAINER } from '../../names';
import { fieldPath } from '../../shapes';
import { ViolationCollector, type Violation } from '../../violations';

/** Checks the templates of a job and of its roles. Variables in them are checked with all others, in `validation-variables.ts`. */
export function validateTemplates(spec: TrainingJobSpec): Violation[] {
  const violations = new ViolationCollector();
  templatesOf(spec).forEach(({ path, template }) => validateTemplate(template, path, violations));
  validateContainers(spec, violations);
  return violations.violations;
}

/** The part of a container that rules look at. */
interface TemplateContainer {
  readonly name: string;
  readonly image?: string;
  readonly [field: string]: unknown;
}

/** Fields of the `training` container that a job says in one place only. */
const TRAINING_FIELDS: { readonly [field: string]: string } = {
  image: 'spec.image or spec.roles[].image',
  command: 'spec.command or spec.roles[].command',
  args: 'spec.args or spec.roles[].args',
  workingDir: 'spec.workingDir',
};

function validateContainers(spec: TrainingJobSpec, violations: ViolationCollector): void {
  for (const { path, template } of templatesOf(spec)) {
    for (const list of ['containers', 'initContainers']) {
      // A role's container may be the rest of one in the job's template, which then has the image.
      const whole = containersOf(spec.template, list).filter(({ image }) => image !== undefined).map(({ name }) => name);
      containersOf(template, list).forEach((container, index) => {
        const where = `${path}.spec.${list}[${index}]`;
        if (list === 'containers' && container.name === TRAINING_CONTAINER) {
          for (const [field, fix] of Object.entries(TRAINING_FIELDS).filter(([name]) => container[name] !== undefined)) {
            violations.add(`${where}.${field}`, container[field], `is set elsewhere for the container ${TRAINING_CONTAINER}. Set ${fix}.`);
          }
        } else if (container.image === undefined && !whole.includes(container.name) && !frameworkContract(spec.framework).helpers) {
          violations.add(`${where}.image`, undefined,
            `is required: ${container.name} is a separate container next to ${TRAINING_CONTAINER}. Set it, or write ${TRAINING_CONTAINER}.`);
        }
      });
    }
  }
}

/** The templates of a job, its roles and its helpers. */
export function templatesOf(
  { template, roles = [], helpers = [] }: TrainingJobSpec,
): { readonly path: string; readonly template?: PodTemplateSpec }[] {
  return [
    { path: 'spec.template', template },
    ...roles.map((role, index) => ({ path: `spec.roles[${index}].template`, template: role.template })),
    ...helpers.map((helper, index) => ({ path: `spec.helpers[${index}].template`, template: helper.template })),
  ];
}

function containersOf(template: PodTemplateSpec | undefined, list: string): readonly TemplateContainer[] {
  return (template?.spec?.[list] ?? []) as readonly TemplateContainer[];
}

function validateTemplate(template: PodTemplateSpec | undefined, path: string, violations: ViolationCollector): void {
  for (const [label, value] of Object.entries(template?.metadata?.labels ?? {})) {
    if (RESERVED_POD_LABELS.includes(label)) {
      violations.add(`${path}.metadata.labels['${label}']`, value, 'is set by the operator, which uses it to find its pods. Remove it.');
    }
  }
  const pod = template?.spec ?? {};
  if (pod.restartPolicy !== undefined && pod.restartPolicy !== 'Never') {
    violations.add(`${path}.spec.restartPolicy`, pod.restartPolicy,
      'must be Never: the operator restarts replicas and counts them. Set spec.runPolicy.restartPolicy.');
  }
  for (const field of ['hostname', 'subdomain']) {
    if (pod[field] !== undefined) {
      violations.add(fieldPath(`${path}.spec`, field), pod[field], 'is set by the operator: replicas use it to find each other. Remove it.');
    }
  }
  const volumes = (pod.volumes ?? []) as readonly { readonly name: string }[];
  volumes.forEach(({ name }, index) => {
    if (name.startsWith(RESERVED_VOLUME_PREFIX)) {
      violations.add(`${path}.spec.volumes[${index}].name`, name, `starts with '${RESERVED_VOLUME_PREFIX}', as the operator's own volumes do. Rename it.`);
    }
  });
}
