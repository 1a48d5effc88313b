/** `resources` of a job or a role as typed properties. */
import { call, object, quote, text, type Code } from './code';
import type { ProgramScope } from './scope';
import { cpu, Entries, size, typed } from './values';
import type { Fields } from '../../manifests/migrate/fields';
import { isRecord } from '../../model/json-parts';

/** Writes resources. What has no typed form stays unread. */
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
    // The default goes without saying; said nevertheless, it has no typed form.
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
