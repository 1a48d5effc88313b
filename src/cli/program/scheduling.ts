/** `scheduling` as typed properties. */
import { blockCode } from './blocks';
import { call, literal, object, type Code } from './code';
import { hasOnly } from './environment';
import type { ProgramScope } from './scope';
import { duration, Entries, member, typed } from './values';
import type { Fields, JsonObject } from '../../manifests/migrate/fields';
import { isRecord } from '../../model/json-parts';
import { GANG, SCHEDULING } from '../../model/training-job/scheduling';

/** Factories of `Gang`, and whether they take a queue. */
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
