/** `autoTuning` as typed properties. */
import { blockCode } from './blocks';
import { call, literal, object, type Code } from './code';
import { hasOnly } from './environment';
import type { ProgramScope } from './scope';
import { Fields } from '../../manifests/migrate/fields';
import { isRecord } from '../../model/json-parts';
import { AUTO_TUNING, PARAMETER } from '../../model/training-job/fields/features';

/**
 * Writes `autoTuning`.
 * @param job the spec that it stands in; a search space without a typed form leaves the whole block unread
 */
export function autoTuning(job: Fields, scope: ProgramScope): Code | undefined {
  const parameters = (job.peek('autoTuning') as { readonly parameters?: unknown } | undefined)?.parameters;
  if (scope.attempt(() => writeParameters(parameters, scope)) === undefined) {
    return undefined;
  }
  const spec = job.object('autoTuning')!;
  return blockCode(AUTO_TUNING, spec, scope, {
    parameters: (block) => writeParameters(block.take('parameters'), scope),
    algorithm: (block) => writeAlgorithm(block, scope),
  });
}

function writeAlgorithm(spec: Fields, scope: ProgramScope): Code | undefined {
  const name = spec.peek('algorithm');
  if (typeof name !== 'string' || (name === 'hyperband') !== spec.has('budget')) {
    return undefined;
  }
  spec.take('algorithm');
  const budget = spec.take('budget');
  return call(`${scope.use('trainyard', 'TuningAlgorithm')}.${name}`, ...(budget === undefined ? [] : [literal(budget)]));
}

function writeParameters(parameters: unknown, scope: ProgramScope): Code | undefined {
  const entries = isRecord(parameters) ? Object.entries(parameters) : [];
  const written = entries.map(([name, parameter]) => [name, writeParameter(parameter, scope)] as const);
  return written.length > 0 && written.every((entry): entry is readonly [string, Code] => entry[1] !== undefined) ? object(written) : undefined;
}

function writeParameter(parameter: unknown, scope: ProgramScope): Code | undefined {
  if (!isRecord(parameter)) {
    return undefined;
  }
  const { type, values, min, max } = parameter;
  const factory = `${scope.use('trainyard', 'TuningParameter')}.`;
  const word = type === 'categorical' ? 'string' : 'number';
  if (hasOnly(parameter, 'type', 'values') && Array.isArray(values) && values.every((value) => typeof value === word)) {
    return call(`${factory}${type === 'categorical' ? 'categorical' : `${String(type)}s`}`, ...values.map(literal));
  }
  if (type === 'categorical' || values !== undefined || typeof min !== 'number' || typeof max !== 'number') {
    return undefined;
  }
  if (!hasOnly(parameter, 'type', 'min', 'max', 'step', 'scale')) {
    return undefined;
  }
  const range = blockCode(PARAMETER, new Fields(parameter), scope, { type: () => undefined });
  return range && call(`${factory}${String(type)}`, range);
}
