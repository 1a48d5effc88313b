/** Values of a spec as values of typed properties. Each function returns undefined if the typed value would not render to the same text. */
import { call, literal, object, quote, text, type Code } from './code';
import type { ProgramScope } from './scope';
import type { Fields } from '../../manifests/migrate/fields';
import { isRecord } from '../../model/json-parts';

/** Builds the entries of an object, leaving out what is undefined. */
export class Entries {
  public readonly entries: [string, Code][] = [];

  public add(key: string, value: Code | undefined): this {
    if (value !== undefined) {
      this.entries.push([key, value]);
    }
    return this;
  }
}

export function given(value: unknown): Code | undefined {
  return value === undefined ? undefined : literal(value);
}

/** Writes a field and takes it from the spec. If `write` returns undefined, the field stays unread and nothing is imported. */
export function typed(spec: Fields, field: string, scope: ProgramScope, write: (value: unknown) => Code | undefined): Code | undefined {
  const code = spec.has(field) ? scope.attempt(() => write(spec.peek(field))) : undefined;
  if (code !== undefined) {
    spec.take(field);
  }
  return code;
}

/** Seconds as a duration in the largest possible unit. */
export function duration(seconds: unknown, scope: ProgramScope): Code | undefined {
  if (typeof seconds !== 'number' || !Number.isInteger(seconds) || seconds < 0) {
    return undefined;
  }
  const units = [['days', 86_400], ['hours', 3_600], ['minutes', 60]] as const;
  const [unit, size] = units.find(([, length]) => seconds >= length && seconds % length === 0) ?? ['seconds', 1];
  return call(`${scope.use('cdk8s', 'Duration')}.${unit}`, text(String(seconds / size)));
}

const SIZES: { readonly [suffix: string]: string } = { Ki: 'kibibytes', Mi: 'mebibytes', Gi: 'gibibytes', Ti: 'tebibytes', Pi: 'pebibyte' };

/** `16Gi` as a size. */
function size(quantity: unknown, scope: ProgramScope): Code | undefined {
  const [, amount, suffix] = /^([0-9.]+)([KMGTP]i)$/.exec(String(quantity)) ?? [];
  return suffix === undefined || String(Number(amount)) !== amount ? undefined : call(`${scope.use('cdk8s', 'Size')}.${SIZES[suffix]}`, text(amount));
}

/** `4` or `500m` as cores. */
function cpu(quantity: unknown, scope: ProgramScope): Code | undefined {
  const [, amount, milli] = /^([0-9.]+)(m?)$/.exec(String(quantity)) ?? [];
  if (amount === undefined || String(Number(amount)) !== amount) {
    return undefined;
  }
  return call(`${scope.use('cdk8s-plus-28', 'Cpu')}.${milli === 'm' ? 'millis' : 'units'}`, text(amount));
}

/** `OnFailure` as `RestartPolicy.ON_FAILURE`. */
export function member(name: string, value: unknown, scope: ProgramScope): Code | undefined {
  return typeof value === 'string' && /^[A-Za-z]+$/.test(value)
    ? text(`${scope.use('trainyard', name)}.${value.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toUpperCase()}`)
    : undefined;
}

/** Writes resources. Fields without a typed form stay unread. */
export function resources(spec: Fields | undefined, scope: ProgramScope): Code | undefined {
  if (spec === undefined) {
    return undefined;
  }
  const { entries } = new Entries()
    .add('gpu', gpu(spec, scope))
    .add('tpu', typed(spec, 'tpu', scope, (count) => call(`${scope.use('trainyard', 'Tpu')}.chips`, text(String(count)))))
    .add('cpu', typed(spec, 'cpu', scope, (value) => cpu(value, scope)))
    .add('memory', typed(spec, 'memory', scope, (value) => size(value, scope)))
    .add('ephemeralStorage', typed(spec, 'ephemeralStorage', scope, (value) => size(value, scope)))
    .add('sharedMemory', typed(spec, 'sharedMemory', scope, (value) => size(value, scope)))
    .add('extended', typed(spec, 'extended', scope, extended));
  return entries.length > 0 || Object.keys(spec.value).length === 0 ? object(entries) : undefined;
}

function gpu(spec: Fields, scope: ProgramScope): Code | undefined {
  const count = spec.peek('gpu');
  if (count === undefined) {
    return undefined;
  }
  spec.take('gpu');
  const name = spec.peek('gpuResourceName') ?? 'nvidia.com/gpu';
  const factory = `${scope.use('trainyard', 'Gpu')}.`;
  const amount = text(String(count));
  if (name === 'nvidia.com/gpu') {
    // `gpuResourceName` stays unread if it is set to the default, because that has no typed form.
    return call(`${factory}nvidia`, amount);
  }
  spec.take('gpuResourceName');
  const [, profile] = /^nvidia\.com\/mig-(.+)$/.exec(String(name)) ?? [];
  if (profile !== undefined) {
    return call(`${factory}mig`, text(quote(profile)), amount);
  }
  return name === 'amd.com/gpu' ? call(`${factory}amd`, amount) : call(`${factory}ofResource`, text(quote(String(name))), amount);
}

function extended(counts: unknown): Code | undefined {
  const entries = isRecord(counts) ? Object.entries(counts) : [];
  const isTyped = entries.length > 0 && entries.every(([, count]) => String(Number(count)) === count);
  return isTyped ? object(entries.map(([name, count]) => [name, text(String(count))])) : undefined;
}
