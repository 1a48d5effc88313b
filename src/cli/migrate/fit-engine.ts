/** A migrated job on an engine that cannot do all that the job says: policies that it lacks are left out and reported. Everything else stays. */
import type { EngineDefinition } from '../../manifests/engines/engine';
import { validateForEngine } from '../../manifests/engines/validation';
import type { JsonObject } from '../../manifests/migrate/fields';
import { COMPLETION_INDEX } from '../../manifests/migrate/kinds/indexed-job';
import type { MigrationNote } from '../../manifests/migrate/notes';
import type { RoleSpec, TrainingJobSpec } from '../../model/training-job/spec';
import { validateTrainingJob } from '../../model/training-job/validation/validation';
import type { Violation } from '../../model/violations';
import { isRecord } from '../../model/json-parts';

/** Blocks that a job can be run without. A job without its roles, its search or its security would be another one. */
const POLICIES = /^spec\.(runPolicy|scheduling|elastic|preflight|debug|idle|suspend|managedBy)(\.|$)/;

/** Fields that their block cannot be without: it goes as a whole. */
const REQUIRED = /\.(elastic\.(minReplicas|maxReplicas)|gang\.scheduler|topology\.key|stall\.timeoutSeconds|idle\.(belowPercent|forSeconds))$/;

/** A job as an engine can run it. */
export interface FittedJob {
  readonly spec: TrainingJobSpec;
  /** What was left out. */
  readonly notes: readonly MigrationNote[];
  /** What is in the way still. */
  readonly broken: readonly Violation[];
}

/** Leaves out of a job what the engine does not support, if it may be left out. */
export function fitToEngine(engine: EngineDefinition, name: string, written: TrainingJobSpec): FittedJob {
  const notes: MigrationNote[] = [];
  let spec = written;
  for (;;) {
    const broken = validateForEngine(engine, name, spec);
    // Rules of the model are for the user to keep: leaving something out would not be the fix.
    const step = broken.length === 0 || validateTrainingJob(name, spec).length > 0 ? undefined : nextStep(spec, broken);
    if (step === undefined) {
      return { spec, notes, broken };
    }
    notes.push(step.note);
    spec = step.spec;
  }
}

interface Step {
  readonly spec: TrainingJobSpec;
  readonly note: MigrationNote;
}

function nextStep(spec: TrainingJobSpec, broken: readonly Violation[]): Step | undefined {
  const isOwnIndex = ({ path }: Violation) => path.endsWith(`.env['${COMPLETION_INDEX}']`);
  if (!broken.every((violation) => POLICIES.test(violation.path) || isOwnIndex(violation))) {
    return undefined;
  }
  const [first] = broken;
  if (isOwnIndex(first)) {
    const note: MigrationNote = { level: 'changed', path: first.path, value: first.value, message: 'is left out: the engine sets it itself.' };
    return { spec: withoutVariable(spec, COMPLETION_INDEX), note };
  }
  const path = REQUIRED.test(first.path) ? first.path.replace(/\.[^.]*$/, '') : first.path;
  const keys = path.split('.').slice(1);
  const left = without(spec as unknown as JsonObject, keys);
  // The fix follows the reason, and has been applied.
  const reason = first.message.replace(/ (?:Remove it|Set |Leave ).*/s, '');
  const value = keys.reduce<unknown>((at, key) => (at as JsonObject | undefined)?.[key], spec);
  return left && { spec: left as unknown as TrainingJobSpec, note: { level: 'lost', path, value, message: `${reason} It is left out.` } };
}

/** A copy without a field, and without blocks that are empty then; undefined where there is no such field. */
function without(object: JsonObject, [field, ...rest]: readonly string[]): JsonObject | undefined {
  if (!Object.hasOwn(object, field)) {
    return undefined;
  }
  const { [field]: value, ...others } = object;
  if (rest.length === 0) {
    return others;
  }
  const inner = isRecord(value) ? without(value, rest) : undefined;
  return inner && (Object.keys(inner).length > 0 ? { ...object, [field]: inner } : others);
}

function withoutVariable(spec: TrainingJobSpec, name: string): TrainingJobSpec {
  const clean = <T extends TrainingJobSpec | RoleSpec>(holder: T): T => {
    const { env, ...rest } = holder;
    const left = env?.filter((entry) => entry.name !== name) ?? [];
    return (left.length > 0 ? { ...holder, env: left } : rest) as T;
  };
  return clean({ ...spec, ...(spec.roles && { roles: spec.roles.map(clean) }) });
}
