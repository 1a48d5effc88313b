/** Objects of files, and where an API server has them. */
import { loadAll } from 'js-yaml';
import { apiRequest, type ApiAccess } from '../../../src/local/control-plane';
import { eventually, type TestObject } from './cluster';

interface Resource {
  readonly name: string;
  readonly kind: string;
  readonly namespaced: boolean;
}

/** Paths of objects of all kinds that an API server has. */
export class ResourcePaths {
  private readonly groups = new Map<string, readonly Resource[]>();

  public constructor(private readonly access: ApiAccess) {}

  /** Path of an object. A definition that was just made takes a moment to be listed. @param otherwise namespace of an object that names none */
  public async of(object: TestObject, otherwise?: string): Promise<string> {
    return eventually(`${object.apiVersion} to list ${object.kind}`, async () => this.tryOf(object, otherwise));
  }

  /** Path of an object; undefined where the API server does not have its kind. */
  public async tryOf({ apiVersion, kind, metadata }: TestObject, otherwise = 'default'): Promise<string | undefined> {
    const group = apiVersion!.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
    const known = (this.groups.get(group) ?? []).find((one) => one.kind === kind);
    const resource = known ?? (await this.read(group)).find((one) => one.kind === kind);
    const scope = resource?.namespaced ? `/namespaces/${metadata.namespace ?? otherwise}` : '';
    return resource && `${group}${scope}/${resource.name}/${metadata.name}`;
  }

  private async read(group: string): Promise<readonly Resource[]> {
    const { body } = await apiRequest<{ resources?: Resource[] }>(this.access, 'GET', group);
    const resources = (body.resources ?? []).filter(({ name }) => !name.includes('/'));
    this.groups.set(group, resources);
    return resources;
  }
}

/** Objects of a YAML text. */
export function documents(text: string): TestObject[] {
  return (loadAll(text) as (TestObject | null)[]).filter((object) => object !== null);
}

/** How tests and inventories call an object. */
export function named({ kind, metadata: { namespace, name } }: TestObject): string {
  return `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`;
}
