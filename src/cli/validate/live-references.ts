/** Checks references to objects of the cluster: Secrets and their keys, claims, accounts, queues, classes, runtimes, namespaces. */
import type { Unchecked, ValidationResult } from './diagnostic';
import type { SourceObject } from './sources';
import { diagnose, identityOf } from './diagnose';
import { Discovery, inParallel } from '../diff/discovery';
import { ObjectsOfPlace, type OutsideReference } from '../../model/checks/reference-rules';
import { CHECK_RULES } from '../../model/checks/rule-list';
import { record } from '../../model/json-parts';
import { entryFor } from '../../model/lists';
import { didYouMean, type Violation } from '../../model/violations';
import { ApiError } from '../../operator/runtime/http/api-error';
import type { KubeClient } from '../../operator/runtime/kube-client';
import type { KubeObject } from '../../operator/runtime/kube-object';

type Answer = { readonly found: KubeObject } | { readonly missing: string } | { readonly unknown: string };

/** Looks up every referenced object that is not among the given ones. @param namespace of objects without one */
export async function findOutside(
  client: KubeClient, sources: readonly SourceObject[], namespace: string,
): Promise<Pick<ValidationResult, 'diagnostics' | 'unchecked'>> {
  const place = new ObjectsOfPlace(sources.map(({ located }) => located.object));
  const asked = sources.flatMap((source) => place.outside(source.located.object).map((reference) => ({ source, reference })));
  const discovery = new Discovery(client);
  const answers = new Map<string, Promise<Answer>>();
  const ask = async (reference: OutsideReference): Promise<Answer> => {
    const key = JSON.stringify([reference.group, reference.kind, reference.namespace ?? namespace, reference.name]);
    return entryFor(answers, key, () => lookUp(client, discovery, reference, namespace));
  };
  const found = await inParallel(asked, async ({ source, reference }) => ({ source, reference, answer: await ask(reference) }));
  return {
    diagnostics: found.flatMap(({ source, reference, answer }) => problems(reference, answer)
      .map(({ rule, ...violation }) => ({ ...diagnose(source, 'reference', violation), id: rule }))),
    unchecked: found.flatMap(({ source, reference, answer }): Unchecked[] => ('unknown' in answer
      ? [{ what: 'rule', file: source.file, object: identityOf(source.located.object), path: reference.path, message: answer.unknown }] : [])),
  };
}

async function lookUp(client: KubeClient, discovery: Discovery, reference: OutsideReference, namespace: string): Promise<Answer> {
  const { group, kind, name, namespace: own } = reference;
  try {
    const resource = await discovery.preferredResourceOf(group, kind);
    if (resource === undefined) {
      return { missing: `names a ${kind} of ${group}, which the cluster does not have. Install its definition.` };
    }
    const found = await client.tryGet<KubeObject>(resource, { name, namespace: resource.namespaced ? own ?? namespace : undefined });
    const where = resource.namespaced ? ` in namespace ${own ?? namespace}` : '';
    return found === undefined ? { missing: `is not a ${kind} in the cluster${where}. Create it first, or correct the name.` } : { found };
  } catch (error) {
    if (error instanceof ApiError && error.status === 403) {
      return { unknown: `could not be checked: you do not have permission to get ${kind} ${name}.` };
    }
    throw error;
  }
}

function problems({ path, value, name }: OutsideReference, answer: Answer): (Violation & { readonly rule: string })[] {
  if ('missing' in answer) {
    return [{ rule: CHECK_RULES.missing.id, path, value: name, message: answer.missing }];
  }
  const { key } = record(value);
  if ('unknown' in answer || typeof key !== 'string') {
    return [];
  }
  const { data, binaryData, kind } = answer.found as KubeObject & { readonly data?: unknown; readonly binaryData?: unknown };
  const keys = [...Object.keys(record(data)), ...Object.keys(record(binaryData))];
  return keys.includes(key) ? [] : [{ rule: CHECK_RULES.key.id, path: `${path}.key`, value: key, message: `is not a key of ${kind} ${name} in the cluster.${didYouMean(key, keys)}` }];
}
