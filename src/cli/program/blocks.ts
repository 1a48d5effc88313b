/** Writes blocks of a spec as typed properties, from the tables of their fields. */
import { call, literal, object, type Code } from './code';
import { hasOnly } from './environment';
import type { ProgramScope } from './scope';
import { Entries, duration, member, typed } from './values';
import { Fields, type Fields as SpecFields, type JsonObject } from '../../manifests/migrate/fields';
import { isRecord } from '../../model/json-parts';
import { AUTO_TUNING, PARAMETER } from '../../model/training-job/fields/features';
import { GANG, SCHEDULING } from '../../model/training-job/scheduling';
import { propertyOf, type Field } from '../../model/training-job/schema/field';

/** Writes fields whose property is not a plain value. If it returns undefined and does not take the field, the field stays unread. */
export interface OwnCode { readonly [field: string]: (spec: SpecFields) => Code | undefined }

/**
 * Writes a block.
 * @param spec the block in the spec; undefined writes nothing
 * @param own writes fields with special rules
 * @returns undefined if there is no block, or if none of its fields has a typed form
 */
export function blockCode(block: Field, spec: SpecFields | undefined, scope: ProgramScope, own: OwnCode = {}): Code | undefined {
  if (spec === undefined) {
    return undefined;
  }
  const { entries } = Object.entries(block.fields ?? {}).reduce((written, [name, field]) => {
    const property = propertyOf(name, field);
    return property === undefined ? written : written.add(property, Object.hasOwn(own, name) ? own[name](spec) : fieldCode(name, field, spec, scope));
  }, new Entries());
  return entries.length > 0 || Object.keys(spec.value).length === 0 ? object(entries) : undefined;
}

function fieldCode(name: string, field: Field, spec: SpecFields, scope: ProgramScope): Code | undefined {
  if (field.fields !== undefined) {
    return blockCode(field, spec.has(name) ? spec.object(name) : undefined, scope);
  }
  return typed(spec, name, scope, (value) => valueCode(field, value, scope));
}

function valueCode({ conversion, words }: Field, value: unknown, scope: ProgramScope): Code | undefined {
  return conversion === 'duration' ? duration(value, scope) : words !== undefined ? member(words.name, value, scope) : literal(value);
}

/** Methods of `Gang`, and whether they have a queue. */
const GANGS: { readonly [scheduler: string]: { readonly factory: string; readonly hasQueue: boolean } | undefined } = {
  Coscheduling: { factory: 'coscheduling', hasQueue: false },
  Volcano: { factory: 'volcano', hasQueue: true },
  Kai: { factory: 'kai', hasQueue: true },
  YuniKorn: { factory: 'yuniKorn', hasQueue: true },
  Native: { factory: 'native', hasQueue: false },
};

/** Writes `scheduling`. */
export function scheduling(spec: Fields | undefined, scope: ProgramScope): Code | undefined {
  return blockCode(SCHEDULING, spec, scope, {
    gang: (block) => (block.has('gang') ? writeGang(block.object('gang')!, scope) : undefined),
    tolerations: (block) => typed(block, 'tolerations', scope, (list) => tolerations(list, scope)),
  });
}

function writeGang(gang: Fields, scope: ProgramScope): Code | undefined {
  const known = GANGS[String(gang.peek('scheduler'))];
  if (known === undefined) {
    return undefined;
  }
  gang.take('scheduler');
  const code = blockCode(GANG, gang, scope, { scheduler: () => undefined, ...(!known.hasQueue && { queue: () => undefined }) });
  return call(`${scope.use('trainyard', 'Gang')}.${known.factory}`, ...(code === undefined ? [] : [code]));
}

function tolerations(list: unknown, scope: ProgramScope): Code | undefined {
  if (!Array.isArray(list) || list.length === 0) {
    return undefined;
  }
  const written = list.map((toleration) => (isRecord(toleration) ? writeToleration(toleration, scope) : undefined));
  return written.every((code) => code !== undefined) ? { items: written } : undefined;
}

function writeToleration(toleration: JsonObject, scope: ProgramScope): Code | undefined {
  const { key, operator, value, effect, tolerationSeconds } = toleration;
  const isTyped = hasOnly(toleration, 'key', 'operator', 'value', 'effect', 'tolerationSeconds') && typeof key === 'string'
    && (value === undefined ? operator === 'Exists' : operator === 'Equal' && typeof value === 'string');
  const [effectCode, evictAfter] = [member('TolerationEffect', effect, scope), duration(tolerationSeconds, scope)];
  if (!isTyped || (effect !== undefined && !effectCode) || (tolerationSeconds !== undefined && !evictAfter)) {
    return undefined;
  }
  return object(new Entries()
    .add('key', literal(key))
    .add('value', value === undefined ? undefined : literal(value))
    .add('effect', effectCode)
    .add('evictAfter', evictAfter)
    .entries);
}

/**
 * Writes `autoTuning`.
 * @param job the spec that contains it. If a parameter has no typed form, the whole block stays unread
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
  if (type === 'categorical' || typeof min !== 'number' || typeof max !== 'number' || !hasOnly(parameter, 'type', 'min', 'max', 'step', 'scale')) {
    return undefined;
  }
  const range = blockCode(PARAMETER, new Fields(parameter), scope, { type: () => undefined });
  return range && call(`${factory}${String(type)}`, range);
}
