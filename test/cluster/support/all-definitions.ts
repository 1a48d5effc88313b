/**
 * An API server that knows every kind of the upstream definitions on this machine. A definition is installed when the first object of its kind comes:
 * all of them at once are twenty megabytes, and most belong to systems that nothing is written for.
 */
import { readFileSync } from 'node:fs';
import { installDefinition, readYaml } from './crds';
import { eventually, type TestObject } from './cluster';
import { apiRequest, type ApiAccess } from '../../../src/local/control-plane';
import { readUpstreamCrds } from '../../support/upstream-definitions';

interface Resource {
  readonly name: string;
  readonly kind: string;
  readonly namespaced: boolean;
}

/** See the top of this file. */
export class AllDefinitions {
  private readonly served = new Map<string, readonly Resource[]>();
  private readonly byKind = new Map<string, readonly string[]>();
  /** What files have in them. One file has the definitions of many kinds. */
  private readonly parsed = new Map<string, readonly TestObject[]>();

  public constructor(private readonly access: ApiAccess) {
    for (const file of readUpstreamCrds().flatMap(({ files }) => files)) {
      // Quick: only files of kinds that are needed are parsed.
      for (const [, kind] of readFileSync(file, 'utf8').matchAll(/^ {4}kind: "?(\w+)"?$/gm)) {
        this.byKind.set(kind, [...this.byKind.get(kind) ?? [], file]);
      }
    }
  }

  /**
   * Path of an object.
   * @param otherwise namespace of an object that names none
   * @returns undefined where neither the server nor any definition here knows its kind
   */
  public async pathOf(object: TestObject, otherwise = 'default'): Promise<string | undefined> {
    const group = object.apiVersion!.includes('/') ? `/apis/${object.apiVersion}` : `/api/${object.apiVersion}`;
    const resource = await this.find(group, object.kind!) ?? await this.install(group, object);
    const scope = resource?.namespaced ? `/namespaces/${object.metadata.namespace ?? otherwise}` : '';
    return resource && `${group}${scope}/${resource.name}/${object.metadata.name}`;
  }

  /** Forgets what a group serves: an object that was just created has changed it. */
  public forget(): void {
    this.served.clear();
  }

  private async find(group: string, kind: string): Promise<Resource | undefined> {
    let resources = this.served.get(group);
    if (resources === undefined) {
      const { body } = await apiRequest<{ resources?: Resource[] }>(this.access, 'GET', group);
      resources = (body.resources ?? []).filter(({ name }) => !name.includes('/'));
      this.served.set(group, resources);
    }
    return resources.find((resource) => resource.kind === kind);
  }

  private read(file: string): readonly TestObject[] {
    const objects = this.parsed.get(file) ?? readYaml(file);
    this.parsed.set(file, objects);
    return objects;
  }

  /** Installs the definition of the object's kind, the one that has its version where two systems define it. */
  private async install(served: string, { apiVersion, kind }: TestObject): Promise<Resource | undefined> {
    const [group, version] = apiVersion!.split('/');
    const definition = [...new Set(this.byKind.get(kind!) ?? [])].flatMap((file) => this.read(file)).find(({ kind: type, spec }) => (
      type === 'CustomResourceDefinition' && spec.group === group && spec.names.kind === kind
      && spec.versions.some(({ name, served }: { name: string; served: boolean }) => name === version && served)));
    if (definition === undefined) {
      return undefined;
    }
    await installDefinition(this.access, definition);
    // The list of what a group serves is a moment behind.
    return eventually(`${apiVersion} to list ${kind}`, async () => {
      this.forget();
      return this.find(served, kind!);
    });
  }
}
