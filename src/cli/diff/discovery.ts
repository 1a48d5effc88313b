/** Finds the resource of the API server for a manifest. */
import { ApiError } from '../../operator/runtime/http/api-error';
import type { KubeClient } from '../../operator/runtime/kube-client';
import type { ResourceKind } from '../../operator/runtime/resource-kind';
import { entryFor } from '../../model/lists';

interface ResourceList {
  readonly resources: readonly { readonly name: string; readonly kind: string; readonly namespaced: boolean }[];
}

interface Group {
  readonly preferredVersion: { readonly groupVersion: string };
}

/** Asks the API server once for each group and version. */
export class Discovery {
  private readonly groups = new Map<string, Promise<Group | undefined>>();
  private readonly lists = new Map<string, Promise<ResourceList | undefined>>();

  public constructor(private readonly client: KubeClient) {}

  /** The resource; undefined when the server has none of that kind. */
  public async resourceOf(apiVersion: string, kind: string): Promise<ResourceKind | undefined> {
    const [group, version] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion];
    const path = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
    const list = await entryFor(this.lists, path, () => ifServed(this.client.raw<ResourceList>('GET', path)));
    const found = list?.resources.find((resource) => resource.kind === kind && !resource.name.includes('/'));
    return found && { group, version, plural: found.name, kind, namespaced: found.namespaced };
  }

  /** The resource of a kind in the version of its group that the server prefers; undefined when the server has none. */
  public async preferredResourceOf(group: string, kind: string): Promise<ResourceKind | undefined> {
    if (group === '') {
      return this.resourceOf('v1', kind);
    }
    const versions = await entryFor(this.groups, group, () => ifServed(this.client.raw<Group>('GET', `/apis/${group}`)));
    const preferred = versions?.preferredVersion.groupVersion;
    return preferred === undefined ? undefined : this.resourceOf(preferred, kind);
  }
}

/** The answer; undefined if the server does not know the path. */
async function ifServed<T>(answer: Promise<T>): Promise<T | undefined> {
  return answer.catch((error: unknown) => {
    if (error instanceof ApiError && error.isNotFound) {
      return undefined;
    }
    throw error;
  });
}

/** Maximum number of requests at a time. */
const PARALLEL = 8;

/** Calls `work` for each item, a few at a time. @returns the results, in the order of the items */
export async function inParallel<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let start = 0; start < items.length; start += PARALLEL) {
    results.push(...await Promise.all(items.slice(start, start + PARALLEL).map(work)));
  }
  return results;
}
