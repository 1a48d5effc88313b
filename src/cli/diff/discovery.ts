/** Which resource of the API server a manifest is of. */
import { ApiError } from '../../operator/runtime/api-error';
import type { KubeClient } from '../../operator/runtime/kube-client';
import type { ResourceKind } from '../../operator/runtime/resource-kind';

interface ResourceList {
  readonly resources: readonly { readonly name: string; readonly kind: string; readonly namespaced: boolean }[];
}

/** Asks the API server once for each group and version. */
export class Discovery {
  private readonly lists = new Map<string, Promise<ResourceList | undefined>>();

  public constructor(private readonly client: KubeClient) {}

  /** The resource; undefined when the server has none of that kind. */
  public async resourceOf(apiVersion: string, kind: string): Promise<ResourceKind | undefined> {
    const [group, version] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion];
    const list = await this.listOf(apiVersion, group === '' ? `/api/${version}` : `/apis/${group}/${version}`);
    const found = list?.resources.find((resource) => resource.kind === kind && !resource.name.includes('/'));
    return found && { group, version, plural: found.name, kind, namespaced: found.namespaced };
  }

  private async listOf(apiVersion: string, path: string): Promise<ResourceList | undefined> {
    let list = this.lists.get(apiVersion);
    if (list === undefined) {
      list = this.client.raw<ResourceList>('GET', path).catch((error: unknown) => {
        if (error instanceof ApiError && error.isNotFound) {
          return undefined;
        }
        throw error;
      });
      this.lists.set(apiVersion, list);
    }
    return list;
  }
}
