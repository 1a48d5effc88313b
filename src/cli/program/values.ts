/** Values of a spec as the typed properties want them. Each function says undefined where the typed value would not give the same text back. */
import { call, text, type Code } from './code';
import type { ProgramScope } from './scope';
import type { Fields } from '../../manifests/migrate/fields';

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

/** A field that has a typed form: it is taken from the spec. What `write` gives undefined for stays unread, and imports nothing. */
export function typed(spec: Fields, field: string, scope: ProgramScope, write: (value: unknown) => Code | undefined): Code | undefined {
  const code = spec.has(field) ? scope.attempt(() => write(spec.peek(field))) : undefined;
  if (code !== undefined) {
    spec.take(field);
  }
  return code;
}

/** Seconds as a duration in the largest unit that fits. */
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
export function size(quantity: unknown, scope: ProgramScope): Code | undefined {
  const [, amount, suffix] = /^([0-9.]+)([KMGTP]i)$/.exec(String(quantity)) ?? [];
  return suffix === undefined || String(Number(amount)) !== amount ? undefined : call(`${scope.use('cdk8s', 'Size')}.${SIZES[suffix]}`, text(amount));
}

/** `4` or `500m` as cores. */
export function cpu(quantity: unknown, scope: ProgramScope): Code | undefined {
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
