/** Whether a job can run on an engine: the model's rules, what the engine lacks, and its own rules. Nothing that a job asks for is dropped. */
import { isDefault, objection, type EngineCapabilities } from './capabilities';
import type { EngineDefinition } from './engine';
import { engines } from './registry';
import { FIELD_PATHS } from '../../model/training-job/field-list';
import { givenFields, type FieldPath } from '../../model/training-job/field-paths';
import type { TrainingJobSpec } from '../../model/training-job/spec';
import { validateTrainingJob } from '../../model/training-job/validation';
import type { Violation } from '../../model/violations';

/**
 * Checks a job against an engine.
 * @param others engines that a message may propose instead; all by default
 * @returns what is wrong, empty when the engine runs the job as it is meant
 */
export function validateForEngine(
  engine: EngineDefinition, name: string, spec: TrainingJobSpec, others?: readonly EngineDefinition[],
): Violation[] {
  const violations = validateTrainingJob(name, spec);
  if (violations.length > 0) {
    return violations;
  }
  const lacking = lacks(engine, spec, others);
  return lacking.length > 0 ? lacking : [...engine.validate?.(name, spec) ?? []];
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
