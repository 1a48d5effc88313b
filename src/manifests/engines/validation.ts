/** Whether a job can run on an engine: the model's rules, what the engine lacks, and its own rules. Nothing that a job asks for is dropped. */
import { isDefault, objection, type EngineCapabilities } from './capabilities';
import type { EngineDefinition } from './engine';
import { engines } from './registry';
import { FIELD_PATHS } from '../../model/training-job/fields/field-paths';
import { givenFields, type FieldPath } from '../../model/training-job/fields/field-paths';
import type { TrainingJobSpec } from '../../model/training-job/spec';
import { roleOf } from '../../model/training-job/replicas/replicas';
import { resolveTrainingJob } from '../../model/training-job/replicas/resolve';
import { TPU_WORKER_ID, slicePlaceOf, tpuSlicesOf } from '../../model/training-job/replicas/tpu-slices';
import { CheckedSeries } from '../../model/training-job/validation/series';
import { validateTrainingJob } from '../../model/training-job/validation/validation';
import type { Violation } from '../../model/violations';

/**
 * Checks a job against an engine.
 * @param others engines that a message may propose instead; all by default
 * @returns what is wrong, empty when the engine runs the job as it is meant
 */
export function validateForEngine(
  engine: EngineDefinition, name: string, spec: TrainingJobSpec, others?: readonly EngineDefinition[],
): Violation[] {
  const known = CHECKED.get(engine) ?? new CheckedSeries();
  CHECKED.set(engine, known);
  return known.check(name, spec, () => validate(engine, name, spec, others));
}

const CHECKED = new WeakMap<EngineDefinition, CheckedSeries>();

function validate(engine: EngineDefinition, name: string, spec: TrainingJobSpec, others: readonly EngineDefinition[] | undefined): Violation[] {
  const violations = validateTrainingJob(name, spec);
  if (violations.length > 0) {
    return violations;
  }
  const lacking = lacks(engine, spec, others);
  const refused = lacking.length > 0 ? lacking : severalSlices(engine, name, spec, others);
  return refused.length > 0 ? refused : [...engine.validate?.(name, spec) ?? [], ...lostHosts(engine, name, spec)];
}

/** Several TPU slices on an engine that makes all pods of a role alike. */
function severalSlices(engine: EngineDefinition, name: string, spec: TrainingJobSpec, others: readonly EngineDefinition[] | undefined): Violation[] {
  if (engine.hasSlices) {
    return [];
  }
  const job = resolveTrainingJob(name, spec);
  const able = (others ?? engines()).filter(({ hasSlices, capabilities }) => hasSlices === true
    && objection(capabilities.frameworks[spec.framework], spec.framework, spec) === undefined);
  return tpuSlicesOf(job).filter(({ count }) => count > 1).map(({ count, hosts, topology, replicas }) => ({
    path: job.shortForm ? 'spec.replicas' : 'spec.roles',
    value: replicas.length,
    message: `are the hosts of ${count} TPU slices of ${topology}, and ${engine.title} creates all pods of a role from one template, so it cannot keep the hosts of `
      + `each slice together. Use ${hosts} for one slice${able.length > 0 ? `, or choose ${titles(able)}` : ''}.`,
  }));
}

/** Hosts of a TPU slice whose number no template can say. */
function lostHosts(engine: EngineDefinition, name: string, spec: TrainingJobSpec): Violation[] {
  const job = resolveTrainingJob(name, spec);
  const slices = tpuSlicesOf(job);
  if (slices.length === 0) {
    return [];
  }
  const environments = engine.environments({ name, spec });
  const lost = slices.flatMap(({ replicas }) => replicas).find((replica) => {
    const { env = [] } = environments.find(({ role, index }) => role === replica.role && index === replica.index) ?? {};
    return env.find((entry) => entry.name === TPU_WORKER_ID)?.value !== String(slicePlaceOf(job, replica)?.worker);
  });
  return lost === undefined || roleOf(job, lost).env.some((entry) => entry.name === TPU_WORKER_ID) ? [] : [{
    path: job.shortForm ? 'spec.framework' : 'spec.roles',
    value: job.shortForm ? spec.framework : spec.roles?.map((role) => role.name),
    message: `uses several roles as the hosts of one TPU slice, and ${engine.title} cannot pass each host its number (${TPU_WORKER_ID}). `
      + 'Use a framework whose replicas have one role, such as JAX, or choose the Trainyard operator.',
  }];
}

/** What an engine lacks of what a valid job asks for. */
function lacks(engine: EngineDefinition, spec: TrainingJobSpec, others: readonly EngineDefinition[] | undefined): Violation[] {
  const { frameworks, fields } = engine.capabilities;
  const knows = ({ capabilities }: EngineDefinition) => objection(capabilities.frameworks[spec.framework], spec.framework, spec) === undefined;
  const ableTo = (can: (candidate: EngineDefinition) => boolean) => (others ?? engines()).filter((candidate) => knows(candidate) && can(candidate));
  const framework = objection(frameworks[spec.framework], spec.framework, spec);
  if (framework !== undefined) {
    const able = ableTo(() => true);
    const way = able.length > 0 ? `Choose ${titles(able)}` : 'Choose another framework';
    return [{ path: 'spec.framework', value: spec.framework, message: `${engine.title} ${framework}. ${way}.` }];
  }
  const violations: Violation[] = [];
  for (const given of givenFields(spec, limitedFields(fields))) {
    const reason = objection(fields[given.field], given.value, spec);
    if (reason !== undefined && !isDefault(given)) {
      const able = ableTo(({ capabilities }) => objection(capabilities.fields[given.field], given.value, spec) === undefined);
      violations.push({ path: given.path, value: given.value, message: sentence(engine, reason, able) });
    }
  }
  return violations;
}

/** Fields that an engine has not, or not in full. Tables are constant, and each job would look up every field in one. */
function limitedFields(fields: EngineCapabilities['fields']): readonly FieldPath[] {
  const known = LIMITED_FIELDS.get(fields);
  if (known !== undefined) {
    return known;
  }
  const limited = FIELD_PATHS.filter((field) => fields[field] !== true);
  LIMITED_FIELDS.set(fields, limited);
  return limited;
}

const LIMITED_FIELDS = new WeakMap<EngineCapabilities['fields'], readonly FieldPath[]>();

function sentence({ title }: EngineDefinition, reason: string, able: readonly EngineDefinition[]): string {
  const way = able.length > 0 ? `Remove it, or choose ${titles(able)}` : 'Remove it';
  return `${title} ${reason}. ${way}.`;
}

function titles(able: readonly EngineDefinition[]): string {
  return able.map((engine) => engine.title).join(' or ');
}
