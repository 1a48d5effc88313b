/**
 * What every public construct beside training jobs has: a program under examples/ that makes one, a program on a page of docs/ with its YAML behind
 * it, and a snapshot of all that it makes. Nothing is looked up by a name: programs run, and the tree that they synthesize says which constructs are
 * in it and which kinds these make.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ApiObject, App } from 'cdk8s';
import { Construct, type IConstruct } from 'constructs';
import { EXAMPLE_NAMES, runExample } from './support/examples';
import { runSnippet, SNIPPETS } from './support/snippets';

/** Folders of constructs, with how many constructs each has: a number that is wrong means that nothing was looked at. */
const FAMILIES = {
  credentials: 2, events: 2, monitoring: 1, pipelines: 3, platform: 2, policy: 1, queues: 8, ray: 4, serving: 9, spark: 5, tuning: 1, workbench: 4,
};

/** A construct that only looks at others. */
const WITHOUT_OBJECTS = 'SecurityChecks';

const constructsOf = (family: string) => Object.entries(jest.requireActual<{ readonly [name: string]: unknown }>(`../src/constructs/${family}`))
  .filter(([, exported]) => typeof exported === 'function' && exported.prototype instanceof Construct && exported.name !== WITHOUT_OBJECTS)
  .map(([name]) => name);

/** Classes that a program makes itself, or has made by another one of them. */
const CONSTRUCTS = Object.keys(FAMILIES).flatMap(constructsOf);

/** Kinds of the objects of one construct, in a program. */
interface Made {
  readonly construct: string;
  readonly kinds: readonly string[];
}

/** Constructs of all that is synthesized while `run` runs. */
function madeBy(run: () => void): Made[] {
  const made: Made[] = [];
  const original = App.prototype.synth;
  const spy = jest.spyOn(App.prototype, 'synth').mockImplementation(function (this: App) {
    const kindsBelow = (construct: IConstruct) => construct.node.findAll().flatMap((child) => (ApiObject.isApiObject(child) ? [child.kind] : []));
    for (const construct of this.node.findAll()) {
      const own = kindsBelow(construct);
      // A platform's objects are in charts beside it, which are files of their own.
      const kinds = own.length === 0 ? kindsBelow(this) : own;
      made.push({ construct: construct.constructor.name, kinds: [...new Set(kinds)] });
    }
    original.call(this);
  });
  try {
    run();
  } catch (error) {
    // Told by its own tests and once here, and no reason to say that all other constructs are missing.
    failures.push((error as Error).message);
  }
  spy.mockRestore();
  return made.filter(({ construct }) => CONSTRUCTS.includes(construct));
}

/** Kinds in each snapshot of those tests of a construct's family that name it. */
function snapshotsOf(construct: string): ReadonlySet<string>[] {
  const family = Object.keys(FAMILIES).find((one) => constructsOf(one).includes(construct))!;
  const folder = path.join(__dirname, 'constructs', family);
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.snap')).filter((file) => (
    new RegExp(`\\b${construct}\\b`).test(readFileSync(path.join(folder, file.replace('__snapshots__', '').replace(/\.snap$/, '')), 'utf8'))));
  return files.flatMap((file) => readFileSync(path.join(folder, file), 'utf8').split(/^exports\[/m).slice(1))
    .map((text) => new Set([...text.matchAll(/^ *"kind": "(\w+)",$/gm)].map(([, kind]) => kind)));
}

const failures: string[] = [];
let outdir: string;
let inExamples: Made[];
let onPages: Made[];

beforeAll(() => {
  outdir = mkdtempSync(path.join(tmpdir(), 'trainyard-constructs-'));
  process.env.CDK8S_OUTDIR = outdir;
  inExamples = EXAMPLE_NAMES.flatMap((name) => madeBy(() => runExample(`${name}/main.ts`)));
  onPages = SNIPPETS.filter(({ yaml }) => yaml !== undefined).flatMap(({ program }) => madeBy(() => runSnippet(program)));
});
afterAll(() => {
  delete process.env.CDK8S_OUTDIR;
  rmSync(outdir, { recursive: true });
});

test('every program runs', () => {
  expect(failures).toEqual([]);
});

test.each(Object.entries(FAMILIES))('constructs of %s: %d', (family, count) => {
  expect(constructsOf(family)).toHaveLength(count);
});

describe.each(CONSTRUCTS)('%s', (name) => {
  const madeIn = (programs: readonly Made[]) => programs.filter(({ construct }) => construct === name);

  test('is made by an example', () => {
    expect(madeIn(inExamples)).not.toEqual([]);
  });

  test('is on a page, with its YAML', () => {
    expect(madeIn(onPages)).not.toEqual([]);
  });

  test('has a snapshot with all that it makes', () => {
    const made = madeIn([...onPages, ...inExamples]);
    expect(made).not.toEqual([]);
    expect(snapshotsOf(name).some((kinds) => made.some((one) => one.kinds.length > 0 && one.kinds.every((kind) => kinds.has(kind))))).toBe(true);
  });
});
