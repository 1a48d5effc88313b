/** Whether a job can run on an engine: the model's rules, unsupported fields, and the engine's own rules. No field of a job is silently ignored. */
import { isDefault, objection, type EngineCapabilities } from './capabilities';
import type { EngineDefinition } from './engine';
import { engines } from './registry';
import { FIELD_PATHS, givenFields, type FieldPath } from '../../model/training-job/fields/field-paths';
import type { TrainingJobSpec } from '../../model/training-job/spec';
import { roleOf } from '../../model/training-job/replicas/replicas';
import { resolveTrainingJob } from '../../model/training-job/replicas/resolve';
import { TPU_WORKER_ID, slicePlaceOf, tpuSlicesOf } from '../../model/training-job/replicas/tpu-slices';
import { CheckedSeries } from '../../model/training-job/validation/series';
import { validateTrainingJob } from '../../model/training-job/validation/validation';
import type { Violation } from '../../model/violations';

/**
 * Checks a job against an engine.
 * @param others engines that a message may suggest instead. @default - all
 * @returns the violations; empty if the engine fully supports the job
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
  const lacking = unsupported(engine, spec, others);
  const rejected = lacking.length > 0 ? lacking : severalSlices(engine, name, spec, others);
  return rejected.length > 0 ? rejected : [...engine.validate?.(name, spec) ?? [], ...unnumberedHosts(engine, name, spec)];
}

/** Several TPU slices on an engine that creates all pods of a role alike. */
function severalSlices(engine: EngineDefinition, name: string, spec: TrainingJobSpec, others: readonly EngineDefinition[] | undefined): Violation[] {
  if (engine.hasSlices) {
    return [];
  }
  const job = resolveTrainingJob(name, spec);
  const able = enginesFor(spec, others, ({ hasSlices }) => hasSlices === true);
  return tpuSlicesOf(job).filter(({ count }) => count > 1).map(({ count, hosts, topology, replicas }) => ({
    path: job.shortForm ? 'spec.replicas' : 'spec.roles',
    value: replicas.length,
    message: `are the hosts of ${count} TPU slices of ${topology}, and ${engine.title} creates all pods of a role from one template, so it cannot keep the hosts of `
      + `each slice together. Use ${hosts} for one slice${able.length > 0 ? `, or choose ${titles(able)}` : ''}.`,
  }));
}

/** Hosts of a TPU slice whose number no template can express. */
function unnumberedHosts(engine: EngineDefinition, name: string, spec: TrainingJobSpec): Violation[] {
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

/** Engines that support the framework of a job and meet a condition. */
function enginesFor(
  spec: TrainingJobSpec, others: readonly EngineDefinition[] | undefined, isAble: (engine: EngineDefinition) => boolean = () => true,
): EngineDefinition[] {
  return (others ?? engines()).filter((engine) => (
    objection(engine.capabilities.frameworks[spec.framework], spec.framework, spec) === undefined && isAble(engine)));
}

/** The framework or the fields of a valid job that an engine does not support. */
function unsupported(engine: EngineDefinition, spec: TrainingJobSpec, others: readonly EngineDefinition[] | undefined): Violation[] {
  const { frameworks, fields } = engine.capabilities;
  const framework = objection(frameworks[spec.framework], spec.framework, spec);
  if (framework !== undefined) {
    const able = enginesFor(spec, others);
    const fix = able.length > 0 ? `Choose ${titles(able)}` : 'Choose another framework';
    return [{ path: 'spec.framework', value: spec.framework, message: `${engine.title} ${framework}. ${fix}.` }];
  }
  const violations: Violation[] = [];
  for (const given of givenFields(spec, limitedFields(fields))) {
    const reason = objection(fields[given.field], given.value, spec);
    if (reason !== undefined && !isDefault(given)) {
      const able = enginesFor(spec, others, ({ capabilities }) => objection(capabilities.fields[given.field], given.value, spec) === undefined);
      const fix = able.length > 0 ? `Remove it, or choose ${titles(able)}` : 'Remove it';
      violations.push({ path: given.path, value: given.value, message: `${engine.title} ${reason}. ${fix}.` });
    }
  }
  return violations;
}

/** Fields that an engine does not fully support. Cached, because tables are constant. */
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

function titles(able: readonly EngineDefinition[]): string {
  return able.map((engine) => engine.title).join(' or ');
}
