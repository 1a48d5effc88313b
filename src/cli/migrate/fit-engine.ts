/** Adapts a migrated job to an engine that does not support all of its fields: unsupported policies are left out and reported. */
import type { EngineDefinition } from '../../manifests/engines/engine';
import { validateForEngine } from '../../manifests/engines/validation';
import type { JsonObject } from '../../manifests/migrate/fields';
import { COMPLETION_INDEX } from '../../manifests/migrate/kinds/indexed-job';
import type { MigrationNote } from '../../manifests/migrate/notes';
import type { RoleSpec, TrainingJobSpec } from '../../model/training-job/spec';
import { validateTrainingJob } from '../../model/training-job/validation/validation';
import type { Violation } from '../../model/violations';
import { isRecord } from '../../model/json-parts';

/** Blocks that a job can run without. Without its roles, its search or its security it would be a different job. */
const POLICIES = /^spec\.(runPolicy|scheduling|elastic|preflight|debug|idle|suspend|managedBy)(\.|$)/;

/** Required fields of their block: without one, the whole block is left out. */
const REQUIRED = /\.(elastic\.(minReplicas|maxReplicas)|gang\.scheduler|topology\.key|stall\.timeoutSeconds|idle\.(belowPercent|forSeconds))$/;

interface FittedJob {
  readonly spec: TrainingJobSpec;
  /** What was left out. */
  readonly notes: readonly MigrationNote[];
  /** Violations that remain. */
  readonly broken: readonly Violation[];
}

/** Leaves out the policies of a job that the engine does not support. */
export function fitToEngine(engine: EngineDefinition, name: string, written: TrainingJobSpec): FittedJob {
  const notes: MigrationNote[] = [];
  let spec = written;
  for (;;) {
    const broken = validateForEngine(engine, name, spec);
    // The user must fix violations of the model's rules; leaving out a field would hide them.
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

/** A copy without a field, and without blocks that become empty; undefined if there is no such field. */
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
