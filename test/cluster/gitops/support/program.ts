/** The program of examples/gitops as somebody edits it, and what becomes of its objects in a cluster. */
import fs from 'node:fs';
import path from 'node:path';
import { apiRequest, type ApiAccess } from '../../../../src/local/control-plane';
import { EXAMPLES, synthesizeExample } from '../../../support/examples';
import type { TestObject } from '../../support/cluster';
import { documents, named, ResourcePaths } from '../../support/resource-paths';
import type { TestApi } from '../../support/test-api';

/** The repository that the example names. */
const REPOSITORY = 'https://git.example/ml.git';

/** Charts that a person applies, or that hold what leads to others: the rest is what is delivered. */
const OF_DELIVERY = ['gitops-platform.k8s.yaml', 'gitops-applications.k8s.yaml'];

/** See the top of this file. */
export class ProgramUnderTest {
  private text: string;
  private versions = 0;
  private files: ReadonlyMap<string, string> = new Map();

  /** @param folder for its versions. @param repository URL that takes the place of the example's */
  public constructor(private readonly folder: string, repository: string) {
    this.text = fs.readFileSync(path.join(EXAMPLES, 'gitops', 'main.ts'), 'utf8');
    this.change(REPOSITORY, repository);
  }

  /** Puts a text in the place of another one, which has to be there once. */
  public change(from: string, to: string): void {
    const parts = this.text.split(from);
    if (parts.length !== 2) {
      throw new Error(`examples/gitops/main.ts has '${from}' ${parts.length - 1} times, not once.`);
    }
    this.text = parts.join(to);
  }

  /** Takes lines out. */
  public remove(lines: RegExp): void {
    const [found] = lines.exec(this.text) ?? [];
    if (found === undefined) {
      throw new Error(`examples/gitops/main.ts has no ${lines}.`);
    }
    this.change(found, '');
  }

  /** What the program writes now. */
  public synthesize(): ReadonlyMap<string, string> {
    this.versions += 1;
    const file = path.join(this.folder, `version-${this.versions}`, 'main.ts');
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, this.text);
    this.files = synthesizeExample(path.relative(EXAMPLES, file));
    return this.files;
  }

  /** Objects that the last synth delivers. */
  public objects(): TestObject[] {
    return [...this.files].filter(([name]) => !OF_DELIVERY.includes(name)).flatMap(([, text]) => documents(text));
  }

  /** Applies what a person applies once: the project and the Application of all others. */
  public async applyRoot(api: TestApi): Promise<void> {
    const paths = new ResourcePaths(api.access);
    for (const object of documents(this.files.get('gitops-platform.k8s.yaml')!)) {
      await api.send('PATCH', `${await paths.of(object)}?fieldManager=a-person&fieldValidation=Strict`, object, 'application/apply-patch+yaml');
    }
  }
}

/** Objects as they are in a cluster, by what they are called; undefined for those that are not there. */
export type Snapshot = ReadonlyMap<string, TestObject | undefined>;

/** How objects are now. */
export async function snapshotOf(access: ApiAccess, objects: readonly TestObject[]): Promise<Snapshot> {
  const paths = new ResourcePaths(access);
  const live = await Promise.all(objects.map(async (object): Promise<readonly [string, TestObject | undefined]> => {
    const known = await paths.tryOf(object);
    const { status, body } = known === undefined ? { status: 404, body: undefined } : await apiRequest<TestObject>(access, 'GET', known);
    return [named(object), status === 200 ? body : undefined];
  }));
  return new Map(live);
}

/**
 * What happened to objects. One whose version is the same is not touched. One of another version is not changed either where all but its status is as
 * it was, the generation too: controllers write statuses, and of some kinds the API server notes an apply that changes nothing.
 */
export function changesBetween(before: Snapshot, after: Snapshot): string[] {
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((name): string[] => {
    const [one, other] = [before.get(name), after.get(name)];
    if (one === undefined || other === undefined) {
      return one === other ? [] : [`${other === undefined ? 'gone' : 'new'}: ${name}`];
    }
    const isSame = one.metadata.resourceVersion === other.metadata.resourceVersion
      || JSON.stringify(withoutStatus(one)) === JSON.stringify(withoutStatus(other));
    return isSame ? [] : [`changed: ${name}`];
  }).sort();
}

function withoutStatus({ status: _status, metadata: { resourceVersion: _version, managedFields: _writers, ...metadata }, ...object }: TestObject) {
  return { ...object, metadata };
}
