/**
 * Every JavaScript object inherits some names, such as `constructor`. A job, a role, a variable, a label or a resource may have such a name. These
 * tests replace each text and each key in manifests of the examples, and in those that `migrate` reads, by that word. No tool may use an inherited
 * property instead of the manifest's own.
 */
import { parseAllDocuments, stringify } from 'yaml';
import { Outputs, TOOLS } from './support/tools';
import { CliError } from '../../src/cli/cli-error';
import { readManifestText } from '../../src/cli/read-manifests';
import { SAMPLES } from '../manifests/migrate/samples';
import { EXAMPLE_NAMES, everyFileOfExample } from '../support/examples';

/** A valid name in DNS, for variables and for fields. Each object inherits a function with this name. */
const WORD = 'constructor';

/** How JavaScript writes functions and objects as text. */
const INHERITED = /\[native code\]|\[Function|function Object|\[object Object\]/;

interface Manifest {
  readonly kind: string;
  readonly [field: string]: unknown;
}

/** Manifests in which one text or one key is replaced by the word, and its path. */
interface Case {
  readonly place: string;
  readonly objects: readonly unknown[];
}

/** Replaces each text and each key of one object in a list by the word, one at a time. */
function* casesOf(objects: readonly Manifest[], at: number, known: Set<string>): Generator<Case> {
  const whole = (object: unknown) => objects.map((other, index) => (index === at ? object : other));
  const isNew = (place: string) => !known.has(place) && known.add(place);
  function* below(value: unknown, place: string, put: (value: unknown) => unknown): Generator<Case> {
    if (Array.isArray(value)) {
      for (const [index, entry] of value.entries()) {
        yield* below(entry, `${place}[]`, (changed) => put([...value.slice(0, index), changed, ...value.slice(index + 1)]));
      }
    } else if (typeof value === 'object' && value !== null) {
      for (const [key, entry] of Object.entries(value)) {
        const inside = `${place}.${key}`;
        if (isNew(`${inside} as a key`)) {
          yield { place: `${inside} as a key`, objects: whole(put(Object.fromEntries(Object.entries(value).map(([name, one]) => [name === key ? WORD : name, one])))) };
        }
        yield* below(entry, inside, (changed) => put({ ...value, [key]: changed }));
      }
    } else if (typeof value === 'string' && isNew(place)) {
      yield { place, objects: whole(put(WORD)) };
    }
  }
  yield* below(objects[at], objects[at].kind, (changed) => changed);
}

/** Tools for the examples' objects that are not jobs. */
const FOR_ALL_KINDS = ['validate'];

/** Kinds whose content no tool reads. Some of these objects have a megabyte of text. */
const NOT_READ = ['CustomResourceDefinition', 'ConfigMap', 'Secret'];

/** What is wrong with what the tools do. */
function problemsOf({ place, objects }: Case, before: ReturnType<typeof readManifestText>['objects'], tools: readonly string[]): string[] {
  const text = objects.map((object) => stringify(object, { aliasDuplicateObjects: false })).join('---\n');
  const { objects: read } = readManifestText(text, 'job.yaml');
  return tools.flatMap((name) => {
    const outputs = new Outputs(false);
    try {
      TOOLS[name]({ text, objects: read, before }, outputs);
    } catch (error) {
      if (!(error instanceof CliError)) {
        return [`${place}: ${name} threw ${(error as Error).stack?.slice(0, 600)}`];
      }
      outputs.lines([error.message]);
    }
    const inherited = outputs.texts.find((output) => INHERITED.test(output));
    return inherited === undefined ? [] : [`${place}: ${name} put out ${inherited.slice(Math.max(0, inherited.search(INHERITED) - 200)).slice(0, 300)}`];
  });
}

const known = new Set<string>();

function check(objects: readonly Manifest[], tools: readonly string[]): number {
  let count = 0;
  const problems: string[] = [];
  const before = readManifestText(objects.map((object) => stringify(object, { aliasDuplicateObjects: false })).join('---\n'), 'job.yaml').objects;
  for (const at of objects.keys()) {
    for (const each of casesOf(objects, at, known)) {
      count++;
      problems.push(...problemsOf(each, before, tools));
    }
  }
  expect(problems).toEqual([]);
  return count;
}

test.each(Object.keys(SAMPLES))('is a word like any other in manifests that migrate reads: %s', (kind) => {
  expect(check(SAMPLES[kind] as unknown as Manifest[], Object.keys(TOOLS))).toBeGreaterThan(0);
});

test.each(EXAMPLE_NAMES)('is a word like any other in manifests of the example %s', (example) => {
  const files = [...everyFileOfExample(`${example}/main.ts`)].filter(([file]) => file.endsWith('.yaml'));
  for (const object of files.flatMap(([, text]) => parseAllDocuments(text).map((document) => document.toJS() as Manifest | null))) {
    if (object !== null && !NOT_READ.includes(object.kind)) {
      check([object], object.kind === 'MLTrainingJob' ? Object.keys(TOOLS) : FOR_ALL_KINDS);
    }
  }
});
