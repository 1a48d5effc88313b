/**
 * What holds for each component: outputs that resolve late make what values make, previews show all that is known, and no resource that the sources
 * construct is without a program here.
 */
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import * as pulumi from '@pulumi/pulumi';
import * as stacks from '../../src/stacks';
import { PROGRAMS, type Put } from './support/each-component';
import { late, settled, shutDown, startRecording, unknown, type Recorded, type Recorder } from './support/mocks';

const SOURCES = path.join(__dirname, '..', '..', 'src', 'stacks');
const COMPONENTS = Object.entries(stacks)
  .filter(([, each]) => typeof each === 'function' && each.prototype instanceof pulumi.ComponentResource).map(([name]) => name).sort();

// Versions that no source confirms are told; tests of the catalogue look at them.
beforeEach(() => jest.spyOn(pulumi.log, 'warn').mockResolvedValue());

afterEach(() => {
  jest.restoreAllMocks();
  shutDown();
});

test('each component that is exported has a program', () => {
  expect(Object.keys(PROGRAMS).sort()).toEqual(COMPONENTS);
});

async function run(component: string, put: Put, preview = false): Promise<Recorder> {
  const recorder = await startRecording({ preview });
  PROGRAMS[component]('each', put);
  await settled();
  jest.restoreAllMocks();
  jest.spyOn(pulumi.log, 'warn').mockResolvedValue();
  return recorder;
}

/** What each component is of plain values. A program is the same each time, and takes its seconds. */
const plainRuns = new Map<string, Promise<Recorder>>();

function plainRun(component: string): Promise<Recorder> {
  const known = plainRuns.get(component) ?? run(component, (value) => value);
  plainRuns.set(component, known);
  return known;
}

const keys = (recorder: Recorder) => recorder.resources.map(({ type, name }) => `${type} ${name}`).sort();
const inputsOf = (recorder: Recorder) => new Map(recorder.resources.map(({ type, name, inputs }): [string, Recorded['inputs']] => [`${type} ${name}`, inputs]));

describe.each(COMPONENTS)('%s', (component) => {
  test('is these types of resources', async () => {
    const recorder = await plainRun(component);
    const types = recorder.resources.map(({ type }) => type);
    expect(types).toContain(`trainyard:stacks:${component}`);
    expect([...new Set(types)].sort()).toMatchSnapshot();
  });

  test('outputs that resolve late make the same resources with the same inputs', async () => {
    const [plain, resolved] = [await plainRun(component), await run(component, late)];
    expect(keys(resolved)).toEqual(keys(plain));
    expect(inputsOf(resolved)).toEqual(inputsOf(plain));
  });

  test('a preview with unknowns has the same resources, unknown inputs among them, and nothing else changed', async () => {
    const [shown, made] = [await run(component, () => unknown(), true), await plainRun(component)];
    expect(keys(shown)).toEqual(keys(made));
    const inputs = inputsOf(made);
    const compared = [...inputsOf(shown)].map(([key, each]) => compare(each, inputs.get(key), key));
    expect(compared.flatMap(({ differences }) => differences)).toEqual([]);
    expect(compared.some(({ unknowns }) => unknowns > 0)).toBe(true);
  });
});

/** How the engine is told that a value is secret. */
const SECRET = '4dabf18193072939515e22adb298388d';

/** A value without the mark of secrets: an object of which a part is unknown is given to the mocks without it. */
function unmarked(value: unknown): unknown {
  const isMarked = typeof value === 'object' && value !== null && SECRET in value;
  return isMarked ? (value as unknown as { readonly value: unknown }).value : value;
}

/** Where what a preview shows is not what is made, and how much of it is unknown. */
function compare(inPreview: unknown, inUpdate: unknown, at: string): { readonly differences: string[]; readonly unknowns: number } {
  const [shown, made] = [unmarked(inPreview), unmarked(inUpdate)];
  if (pulumi.isUnknown(shown)) {
    return { differences: [], unknowns: 1 };
  }
  if (typeof shown !== 'object' || shown === null || typeof made !== 'object' || made === null) {
    return { differences: Object.is(shown, made) ? [] : [`${at}: ${JSON.stringify(shown)} and then ${JSON.stringify(made)}`], unknowns: 0 };
  }
  const [before, after] = [shown, made] as { readonly [name: string]: unknown }[];
  const parts = [...new Set([...Object.keys(before), ...Object.keys(after)])].map((name) => compare(before[name], after[name], `${at}.${name}`));
  return { differences: parts.flatMap(({ differences }) => differences), unknowns: parts.reduce((sum, { unknowns }) => sum + unknowns, 0) };
}

const filesBelow = (folder: string): string[] => readdirSync(folder, { withFileTypes: true })
  .flatMap((entry) => (entry.isDirectory() ? filesBelow(path.join(folder, entry.name)) : [path.join(folder, entry.name)]));

/** Types of the resources that the sources construct, out of the classes that they name. */
function constructedTypes(): string[] {
  const types = filesBelow(SOURCES).flatMap((file) => {
    const source = readFileSync(file, 'utf8');
    const modules = new Map([...source.matchAll(/^import \* as (\w+) from '(@pulumi\/(?:gcp|kubernetes)[\w/]*)';/gm)].map(([, name, from]) => [name, from]));
    // Classes that are imported by their own names would not be found below.
    expect(source.match(/^import \{[^}]*\} from '@pulumi\/(?:gcp|kubernetes)(?!\/package.json)[^']*';/gm)).toBeNull();
    return [...source.matchAll(/new (\w+)((?:\.\w+)+)\(/g)].filter(([, name]) => modules.has(name)).map(([, name, below]) => {
      const made = below.slice(1).split('.').reduce<unknown>((each, part) => (each as { readonly [part: string]: unknown })[part], jest.requireActual(modules.get(name)!));
      const type = (made as { readonly __pulumiType: string }).__pulumiType;
      return type === 'kubernetes' ? 'pulumi:providers:kubernetes' : type;
    });
  });
  return [...new Set(types)].sort();
}

test('every type of resource that the sources construct is recorded by the programs', async () => {
  const constructed = constructedTypes();
  expect(constructed).toEqual(expect.arrayContaining(['gcp:compute/routerNat:RouterNat', 'kubernetes:helm.sh/v4:Chart', 'pulumi:providers:kubernetes']));
  const recorded = new Set<string>();
  for (const component of COMPONENTS) {
    (await plainRun(component)).resources.forEach(({ type }) => recorded.add(type));
  }
  expect(constructed.filter((type) => !recorded.has(type))).toEqual([]);
});
