/**
 * Delivery by plain applies: what Argo CD does with the Applications of a program, in a hundred lines. Objects of a wave are applied on the
 * server's side; a wave begins when the one before is ready; an inventory in the cluster says what was applied, so that what has left the program is
 * deleted; fields that controllers own are left as they are.
 */
import { apiRequest } from '../../../src/local/control-plane';
import { eventually, type TestObject } from './cluster';
import { documents, named, ResourcePaths } from './resource-paths';
import type { TestApi } from './test-api';

const MANAGER = 'plain-sync';
const INVENTORY = '/api/v1/namespaces/default/configmaps/plain-sync-inventory';
const WAVE = 'argocd.argoproj.io/sync-wave';
const OPTIONS = 'argocd.argoproj.io/sync-options';

/** Objects that are there before what is in them or of them, as Argo CD orders the objects of a wave. */
const FIRST = ['Namespace', 'ResourceQuota', 'LimitRange', 'ServiceAccount', 'Secret', 'ConfigMap', 'CustomResourceDefinition'];

/** What a sync did. */
export interface SyncResult {
  /** Objects by wave, as `KIND NAMESPACE/NAME`, in the order in which they were applied. */
  readonly waves: readonly (readonly string[])[];
  readonly pruned: readonly string[];
}

/** See the top of this file. */
export class PlainSync {
  private readonly resources: ResourcePaths;
  /** Paths of objects, by what they are called. */
  private readonly paths = new Map<string, string>();
  /** What is called so is never deleted. */
  private readonly kept = new Set<string>();

  public constructor(private readonly api: TestApi) {
    this.resources = new ResourcePaths(api.access);
  }

  /**
   * Brings the cluster to what a commit says.
   *
   * @param files of the commit, by name
   * @param applications file of the Applications; without it the program has come to its end
   */
  public async sync(files: ReadonlyMap<string, string>, applications: string): Promise<SyncResult> {
    const waves = new Map<number, TestObject[]>();
    for (const application of documents(files.get(applications) ?? '')) {
      const number = Number((application.metadata.annotations as { readonly [name: string]: string })[WAVE]);
      waves.set(number, [...waves.get(number) ?? [], application]);
    }
    const before = await this.inventory();
    const applied: string[][] = [];
    for (const [, members] of [...waves].sort(([one], [other]) => one - other)) {
      const done: TestObject[] = [];
      for (const application of members) {
        for (const object of objectsOf(application, files)) {
          await this.apply(object, application.spec.ignoreDifferences ?? [], application.spec.destination.namespace as string);
          done.push(object);
        }
      }
      applied.push(done.map(named));
      // Written before anything is waited for: what is applied is known, however this ends.
      await this.remember([...before, ...applied.flat().map((name) => this.entry(name))]);
      await Promise.all(done.map(async (object) => this.untilReady(object)));
    }
    const wanted = new Set(applied.flat());
    // Dependants went last, and go first.
    const gone = before.filter(({ name, isKept }) => !wanted.has(name) && isKept !== true).reverse();
    for (const { path } of gone) {
      await this.api.send('DELETE', path, { apiVersion: 'v1', kind: 'DeleteOptions', propagationPolicy: 'Background' });
    }
    await this.remember(applied.flat().map((name) => this.entry(name)));
    return { waves: applied, pruned: gone.map(({ name }) => name) };
  }

  private async apply(object: TestObject, ignored: readonly Ignored[], namespace: string): Promise<void> {
    const path = await this.resources.of(object, namespace);
    this.paths.set(named(object), path);
    if (String((object.metadata.annotations as { readonly [name: string]: string } | undefined)?.[OPTIONS]).includes('Prune=false')) {
      this.kept.add(named(object));
    }
    const { status, body: live } = await apiRequest<TestObject>(this.api.access, 'GET', path);
    const wanted = status === 200 ? leaveAlone(object, live, ignored) : object;
    await this.api.send('PATCH', `${path}?fieldManager=${MANAGER}&force=true&fieldValidation=Strict`, wanted, 'application/apply-patch+yaml');
  }

  /** What the next wave needs: definitions that are served, and programs that run. */
  private async untilReady(object: TestObject): Promise<void> {
    const path = this.paths.get(named(object))!;
    const isSo: ((live: TestObject) => boolean) | undefined = {
      CustomResourceDefinition: ({ status }: TestObject) => isTrue(status, 'Established'),
      Deployment: ({ metadata, status }: TestObject) => status?.observedGeneration === metadata.generation && isTrue(status, 'Available'),
      Namespace: ({ status }: TestObject) => status?.phase === 'Active',
    }[object.kind!];
    if (isSo !== undefined) {
      await eventually(`${named(object)} to be ready`, async () => isSo(await this.api.send('GET', path)));
    }
  }

  private entry(name: string): Entry {
    return { name, path: this.paths.get(name)!, isKept: this.kept.has(name) };
  }

  /** Deletes objects that no sync deletes. @param names as {@link SyncResult} has them */
  public async remove(names: readonly string[], objects: readonly TestObject[]): Promise<void> {
    for (const object of objects.filter((each) => names.includes(named(each)))) {
      const path = await this.resources.of(object);
      await this.api.send('DELETE', path);
      await eventually(`${named(object)} to be gone`, async () => (await apiRequest(this.api.access, 'GET', path)).status === 404);
    }
  }

  private async inventory(): Promise<Entry[]> {
    const { status, body } = await apiRequest<TestObject>(this.api.access, 'GET', INVENTORY);
    return status === 404 ? [] : JSON.parse(body.data.objects) as Entry[];
  }

  private async remember(entries: readonly Entry[]): Promise<void> {
    const unique = [...new Map(entries.map((entry) => [entry.name, entry])).values()];
    const inventory = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'plain-sync-inventory' }, data: { objects: JSON.stringify(unique) } };
    await this.api.send('PATCH', `${INVENTORY}?fieldManager=${MANAGER}&force=true`, inventory, 'application/apply-patch+yaml');
  }
}

interface Entry {
  readonly name: string;
  readonly path: string;
  readonly isKept?: boolean;
}

/** A row of `ignoreDifferences`. */
interface Ignored {
  readonly group?: string;
  readonly kind: string;
  readonly jsonPointers?: readonly string[];
}

function objectsOf({ spec }: TestObject, files: ReadonlyMap<string, string>): TestObject[] {
  const rank = ({ kind }: TestObject) => (FIRST.includes(kind!) ? FIRST.indexOf(kind!) : FIRST.length);
  return (spec.sources as { readonly directory: { readonly include: string } }[])
    .flatMap(({ directory }) => documents(files.get(directory.include) ?? ''))
    .map((object, index) => ({ object, index }))
    .sort((one, other) => rank(one.object) - rank(other.object) || one.index - other.index)
    .map(({ object }) => object);
}

/** The object with the fields that others own as they are in the cluster. */
function leaveAlone(object: TestObject, live: TestObject, ignored: readonly Ignored[]): TestObject {
  const group = object.apiVersion!.includes('/') ? object.apiVersion!.split('/')[0] : '';
  const copy = structuredClone(object);
  const pointers = ignored.filter((row) => row.kind === object.kind && (row.group ?? '') === group).flatMap(({ jsonPointers = [] }) => jsonPointers);
  for (const pointer of pointers) {
    const fields = pointer.split('/').slice(1);
    const last = fields.pop()!;
    const [there, here] = [live, copy].map((root) => fields.reduce<{ [field: string]: unknown } | undefined>(
      (at, field) => at?.[field] as { [field: string]: unknown } | undefined, root));
    if (here?.[last] !== undefined && there?.[last] !== undefined) {
      here[last] = there[last];
    }
  }
  return copy;
}

function isTrue(status: TestObject['status'], type: string): boolean {
  return (status?.conditions as { readonly type: string; readonly status: string }[] | undefined)?.some((one) => one.type === type && one.status === 'True') ?? false;
}
