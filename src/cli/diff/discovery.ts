/** Which resource of the API server a manifest is of. */
import { ApiError } from '../../operator/runtime/http/api-error';
import type { KubeClient } from '../../operator/runtime/kube-client';
import type { ResourceKind } from '../../operator/runtime/resource-kind';

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
    const list = await this.listOf(apiVersion, group === '' ? `/api/${version}` : `/apis/${group}/${version}`);
    const found = list?.resources.find((resource) => resource.kind === kind && !resource.name.includes('/'));
    return found && { group, version, plural: found.name, kind, namespaced: found.namespaced };
  }

  /** The resource of a kind in the version of its group that the server prefers; undefined when the server has none. */
  public async preferredResourceOf(group: string, kind: string): Promise<ResourceKind | undefined> {
    if (group === '') {
      return this.resourceOf('v1', kind);
    }
    let versions = this.groups.get(group);
    if (versions === undefined) {
      versions = orNothing(this.client.raw<Group>('GET', `/apis/${group}`));
      this.groups.set(group, versions);
    }
    const preferred = (await versions)?.preferredVersion.groupVersion;
    return preferred === undefined ? undefined : this.resourceOf(preferred, kind);
  }

  private async listOf(apiVersion: string, path: string): Promise<ResourceList | undefined> {
    let list = this.lists.get(apiVersion);
    if (list === undefined) {
      list = orNothing(this.client.raw<ResourceList>('GET', path));
      this.lists.set(apiVersion, list);
    }
    return list;
  }
}

/** The answer; nothing where the server does not know the path. */
async function orNothing<T>(answer: Promise<T>): Promise<T | undefined> {
  return answer.catch((error: unknown) => {
    if (error instanceof ApiError && error.isNotFound) {
      return undefined;
    }
    throw error;
  });
}

/** Most objects that a cluster is asked about at a time. */
const PARALLEL = 8;

/** Does something for each item, a few at a time; results in the order of the items. */
export async function inParallel<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let start = 0; start < items.length; start += PARALLEL) {
    results.push(...await Promise.all(items.slice(start, start + PARALLEL).map(work)));
  }
  return results;
}
