/** Reads from a cluster what the user's permissions allow, and records what they do not. */
import { ApiError } from '../../operator/runtime/http/api-error';
import type { SelectOptions } from '../../operator/runtime/http/call-options';
import type { KubeClient } from '../../operator/runtime/kube-client';
import type { KubeList, KubeObject } from '../../operator/runtime/kube-object';
import { qualifiedPlural, type ResourceKind } from '../../operator/runtime/resource-kind';

/** Maximum number of objects of a kind. */
export const LIMIT = 2000;

export class Reader {
  protected readonly refused = new Map<string, string>();
  protected readonly cut = new Map<string, string>();

  public constructor(public readonly client: KubeClient) {}

  /** Messages about what could not be read. */
  public get unread(): readonly string[] {
    return [...this.refused.values(), ...this.cut.values()];
  }

  /** Number of kinds that may not be read. */
  public get refusals(): number {
    return this.refused.size;
  }

  /** An object; undefined when it does not exist or may not be read. */
  public async get<T extends KubeObject>(kind: ResourceKind, namespace: string | undefined, name: string): Promise<T | undefined> {
    return this.attempt(kind, async () => this.client.get<T>(kind, { namespace: kind.namespaced ? namespace : undefined, name }));
  }

  /** Objects; undefined when the kind is not installed, or they may not be read. @param namespace all when undefined */
  public async list<T extends KubeObject>(
    kind: ResourceKind, namespace: string | undefined, select: { readonly labelSelector?: string; readonly fieldSelector?: string } = {},
  ): Promise<readonly T[] | undefined> {
    return (await this.firstPage<T>(kind, namespace, select))?.items;
  }

  /** The first page, which is limited to {@link LIMIT}. */
  public async firstPage<T extends KubeObject>(
    kind: ResourceKind, namespace: string | undefined, select: { readonly labelSelector?: string; readonly fieldSelector?: string } = {},
  ): Promise<KubeList<T> | undefined> {
    const page = await this.page<T>(kind, namespace, { ...select, limit: LIMIT });
    if (page?.continueToken !== undefined) {
      this.cut.set(kind.plural, `There are more than ${LIMIT} ${qualifiedPlural(kind)}${namespace === undefined ? '' : ` in ${namespace}`}: only the first ${LIMIT}, by name, are read.`
        + `${namespace === undefined ? ' Select a namespace to see the others.' : ''}`);
    }
    return page;
  }

  /** A page; undefined when the kind is not installed, or its objects may not be read. @param namespace all when undefined */
  public async page<T extends KubeObject>(
    kind: ResourceKind, namespace: string | undefined, select: SelectOptions & { readonly limit: number },
  ): Promise<KubeList<T> | undefined> {
    return this.attempt(kind, async () => this.client.listPage<T>(kind, { namespace, ...select }));
  }

  /** Versions of an API group, the preferred one first; undefined when it is not served. */
  public async versions(group: string): Promise<readonly string[] | undefined> {
    try {
      const { versions, preferredVersion } = await this.client.raw<ApiGroup>('GET', `/apis/${group}`);
      return [...new Set([preferredVersion.version, ...versions.map(({ version }) => version)])];
    } catch (error) {
      if (error instanceof ApiError && (error.isNotFound || error.isForbidden)) {
        return undefined;
      }
      throw error;
    }
  }

  /** The answer of a path; undefined when it is not served or may not be read. */
  public async raw<T>(path: string): Promise<T | undefined> {
    try {
      return await this.client.raw<T>('GET', path);
    } catch (error) {
      // 503: the server of an aggregated API is down.
      if (error instanceof ApiError && (error.isNotFound || error.isForbidden || error.status === 503)) {
        return undefined;
      }
      throw error;
    }
  }

  /** The last lines of a container; undefined when they cannot be read. */
  public async log(namespace: string, pod: string, container: string, previous: boolean, lines: number): Promise<string | undefined> {
    try {
      return await this.client.podLogs({ namespace, name: pod }, { container, previous, tailLines: lines, limitBytes: 16_384 });
    } catch (error) {
      if (error instanceof ApiError) {
        return undefined;
      }
      throw error;
    }
  }

  /** Reads; undefined when the object or kind does not exist or may not be read. */
  protected async attempt<T>(kind: ResourceKind, read: () => Promise<T>): Promise<T | undefined> {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof ApiError) || !(error.isNotFound || error.isForbidden)) {
        throw error;
      }
      if (error.isForbidden) {
        this.refused.set(kind.plural, `You do not have permission to read ${qualifiedPlural(kind)}: their information is missing here.`);
      }
      return undefined;
    }
  }
}

interface ApiGroup {
  readonly versions: readonly { readonly version: string }[];
  readonly preferredVersion: { readonly version: string };
}
