/** CPU and memory use of pods, from the metrics server. */
import type { Reader } from '../reader';
import type { PodObject } from '../objects';
import { record, records, textIn } from '../../../model/json-parts';
import { tryParseQuantity } from '../../../model/quantities';

/** Use of a pod, the sum of its containers. */
export interface Usage {
  readonly cores: number;
  readonly bytes: number;
}

/** Use by pod name; undefined when there is no metrics server or no permission to read it. */
export async function usageOf(reader: Reader, namespace: string, selectors: readonly string[]): Promise<ReadonlyMap<string, Usage> | undefined> {
  const path = `/apis/metrics.k8s.io/v1beta1/namespaces/${encodeURIComponent(namespace)}/pods`;
  const lists = await Promise.all(selectors.map(async (selector) => reader.raw<unknown>(`${path}?labelSelector=${encodeURIComponent(selector)}`)));
  return lists.some((list) => list === undefined) ? undefined : new Map(lists.flatMap(usagesIn));
}

/** Parses a list of `PodMetrics`. */
export function usagesIn(list: unknown): readonly (readonly [pod: string, usage: Usage])[] {
  return records(record(list).items).map(({ metadata, containers }) => {
    const usages = records(containers).map(({ usage }) => record(usage));
    const sum = (resource: string) => usages.reduce((total, usage) => total + (tryParseQuantity(textIn(usage[resource]) ?? '') ?? 0), 0);
    return [textIn(record(metadata).name) ?? '', { cores: sum('cpu'), bytes: sum('memory') }] as const;
  });
}

/** Limits of a pod; undefined if one of its containers has none. */
export function limitsOf({ spec }: PodObject): { readonly cores?: number; readonly bytes?: number } {
  const limit = (resource: string) => {
    const amounts = (spec?.containers ?? []).map(({ resources }) => tryParseQuantity(String(resources?.limits?.[resource] ?? '')));
    return amounts.length > 0 && amounts.every((amount) => amount !== undefined) ? amounts.reduce((sum, amount) => sum + amount!, 0) : undefined;
  };
  return { cores: limit('cpu'), bytes: limit('memory') };
}
