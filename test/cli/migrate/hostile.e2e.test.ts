/** A manifest of somebody else's may hold any text: none of it becomes a statement of the program or a document of the YAML. */
import { parseAllDocuments, stringify } from 'yaml';
import { migrateTexts, writeYaml, type OutputForm } from '../../../src/cli/migrate/migration';
import { reportLines } from '../../../src/cli/migrate/report';
import { text } from '../../../src/cli/program/code';
import { ProgramScope } from '../../../src/cli/program/scope';
import { OPERATOR_ENGINE } from '../../../src/manifests/engines/operator';
import { Notes } from '../../../src/manifests/migrate/notes';
import { printableLines } from '../../../src/model/text/printable';
import { HYPERPARAMETERS_VARIABLE } from '../../../src/model/training-job/environment/environment';
import { SAMPLES } from '../../manifests/migrate/samples';
import { computingMs, LITTLE_MS } from '../../support/cpu-time';
import { callsOf } from '../../support/program-calls';

/** What ends a comment, a text or a document somewhere. */
const BREAKS = ['\n', '\r', '\r\n', '\u2028', '\u2029', '\u0085', '*/', '\'', '"', '`', '${', '\\', '\\\n', ')', '\n---\nkind: Pwned\n---\n#'];

const HOSTILE = BREAKS.map((end) => `1a${end}pwned();//`);

const OWN = {
  apiVersion: 'ml.collabnix.io/v1alpha1', kind: 'MLTrainingJob', metadata: { name: 'own' },
  spec: {
    framework: 'pytorch', image: 'x', replicas: 1, array: { count: 2 }, hyperparameters: { lr: '1' }, env: [{ name: 'A', value: 'b' }],
    autoTuning: { objective: 'x', parameters: { lr: { type: 'float', min: 0, max: 1 } } },
    template: { spec: { containers: [{ name: 'side', image: 'x' }] } },
  },
};

type Json = Record<string, unknown>;

/** The value with one more text in each of its places in turn: behind a text, behind a key. */
function* poisoned(value: unknown, text: string): Generator<unknown> {
  if (typeof value === 'string') {
    yield value + text;
    yield text;
  } else if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      for (const each of poisoned(value[i], text)) {
        yield value.map((entry: unknown, at) => (at === i ? each : entry));
      }
    }
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, entry] of Object.entries(value)) {
      yield Object.fromEntries(Object.entries(value as Json).map(([name, one]) => [name === key ? key + text : name, one]));
      for (const each of poisoned(entry, text)) {
        yield { ...value, [key]: each };
      }
    }
  }
}

function migrated(object: unknown, form: OutputForm): { readonly text: string | undefined; readonly report: string } {
  const result = migrateTexts([{ name: 'jobs.yaml', text: stringify(object) }], { engine: OPERATOR_ENGINE, form });
  return { text: result.outputs[0]?.text, report: reportLines(result, (text) => text).join('\n') };
}

const manifests: readonly (readonly [string, unknown])[] = [
  ['MLTrainingJob', OWN],
  ...Object.entries(SAMPLES).flatMap(([what, objects]) => objects.map((object) => [what, object] as const)),
];

test('no text of a manifest is a statement of the program', () => {
  let programs = 0;
  let place = 0;
  for (const [what, manifest] of manifests) {
    for (const text of HOSTILE) {
      for (const object of poisoned(manifest, text)) {
        // The manifest that has comments above its job meets all texts at all places.
        const program = manifest === OWN || place++ % 61 === 0 ? migrated(object, 'typescript').text : undefined;
        if (program !== undefined) {
          programs++;
          expect([what, ...callsOf(program)]).toEqual([what]);
        }
      }
    }
  }
  expect(programs).toBeGreaterThan(500);
});

test('the test would see a statement, and what is no program', () => {
  expect(callsOf('// x\u2028pwned();//\n')).toEqual(['pwned']);
  expect(callsOf('const a = \'x\n\';')).not.toEqual([]);
});

test('no text of the manifest is a document of the YAML', () => {
  for (const text of HOSTILE) {
    for (const object of poisoned(OWN, text)) {
      const written = migrated(object, 'yaml').text;
      const documents = written === undefined ? [] : parseAllDocuments(written).map((document) => document.toJS({}) as Json);
      expect(documents.length).toBeLessThanOrEqual(1);
      expect(documents.filter(({ kind }) => kind !== 'MLTrainingJob')).toEqual([]);
    }
  }
});

test('comments change nothing in the YAML', () => {
  const objects = [{ kind: 'A', text: HOSTILE.join() }];
  const parsed = (text: string | undefined) => parseAllDocuments(text!).map((document) => document.toJS({}));
  expect(parsed(writeYaml([{ objects, comment: HOSTILE }]))).toEqual(parsed(writeYaml([{ objects }])));
});

test('the report holds no character that a terminal obeys', () => {
  for (const object of poisoned(OWN, 'a\u001b[2J\u202e\r\u0007')) {
    const { report } = migrated(object, 'yaml');
    expect(report).toBe(printableLines(report));
  }
});

const LABELS = (name: string) => ({ ...OWN, spec: { ...OWN.spec, array: undefined, template: { metadata: { labels: { [name]: 'x' } } } } });

test('a long name of characters that cannot be seen is written in no time', () => {
  const manifest = JSON.stringify(LABELS('\u202e'.repeat(100_000)));
  expect(computingMs(() => migrateTexts([{ name: 'a.json', text: manifest }], { engine: OPERATOR_ENGINE, form: 'typescript' }))).toBeLessThan(LITTLE_MS);
});

test('many things of many names take time that grows with their number, and not with its square', () => {
  const scope = new ProgramScope();
  expect(computingMs(() => {
    for (let i = 0; i < 20_000; i++) {
      scope.attempt(() => text(scope.existing('Secret', 'fromSecretName', `secret-${i}`)));
      scope.id('same');
    }
  })).toBeLessThan(LITTLE_MS);
  const notes = new Notes();
  expect(computingMs(() => {
    for (let i = 0; i < 40_000; i++) {
      notes.lost(`spec.env[${i}]`, 'value', 'is lost.');
    }
  })).toBeLessThan(LITTLE_MS);
  expect(notes.all.length).toBe(40_000);
});

test('what an attempt has declared is taken back when it comes to nothing', () => {
  const scope = new ProgramScope();
  scope.existing('Secret', 'fromSecretName', 'kept');
  scope.attempt(() => {
    scope.existing('ConfigMap', 'fromConfigMapName', 'gone');
    return undefined;
  });
  expect(scope.takeDeclarations().map(({ name }) => name)).toEqual(['kept']);
  expect(scope.importLines).toEqual(['import { Secret } from \'cdk8s-plus-28\';']);
  expect([scope.id('gone'), scope.id('gone')]).toEqual(['Gone', 'Gone2']);
});

test.each(['{', '{"a": 1}', '{"a"', '{]'])('hyperparameters that somebody else wrote into a variable as %s stay a variable', (value) => {
  const env = [{ name: HYPERPARAMETERS_VARIABLE, value }];
  const job = { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'a' }, spec: { template: { spec: { containers: [{ name: 'a', image: 'x', env }] } } } };
  expect(migrated(job, 'typescript').text).toContain('new TrainingJob(');
});

test.each([
  ['PyTorchJob', (object: Json) => ({ ...object, spec: { pytorchReplicaSpecs: { Worker: { ...((object.spec as Json).pytorchReplicaSpecs as { Worker: Json }).Worker, replicas: 2 ** 53 } } } })],
  ['Job', (object: Json) => ({ ...object, spec: { ...object.spec as Json, parallelism: 2 ** 31 - 1, completions: 2 ** 31 - 1 } })],
  ['Volcano Job', (object: Json) => ({ ...object, spec: { ...object.spec as Json, tasks: ((object.spec as Json).tasks as Json[]).map((task) => ({ ...task, replicas: 1e15 })) } })],
])('a %s with more replicas than a process can count is told as that', (kind, change) => {
  const { text, report } = migrated(change(SAMPLES[kind][0] as Json), 'typescript');
  expect(report).toMatch(/a job has at most 10000|from 1 to 10000/);
  expect((text ?? '').length).toBeLessThan(20_000);
});

test.each(['name', 'namespace'])('a %s of a megabyte is not a host name that anything could hold', (field) => {
  const [object] = SAMPLES.PyTorchJob;
  const long = { ...object, metadata: { ...object.metadata as Json, [field]: 'a.'.repeat(500_000) } };
  expect(migrated(long, 'yaml').report).toContain('1 job written');
});

test('resources of a TrainJob that are a text are no resources by letter', () => {
  const [object, ...others] = SAMPLES.TrainJob;
  const spec = object.spec as { readonly trainer: Json };
  const job = { ...object, spec: { ...spec, trainer: { ...spec.trainer, resourcesPerNode: { limits: 'cpu' } } } };
  const result = migrateTexts([{ name: 'jobs.yaml', text: [job, ...others].map((each) => stringify(each)).join('---\n') }], { engine: OPERATOR_ENGINE, form: 'yaml' });
  expect(reportLines(result, (text) => text).join('\n')).toContain('must be an object with requests and limits.');
});

/** What nobody expects in a place, one of them in turn. */
const WRONG: readonly unknown[] = [{}, [], 'text', 5, null, [null], { toString: 1 }, [[]], { constructor: 'x' }, true];

/** The value with something else in each of its places in turn. */
function* misplaced(value: unknown, turn: { next: number }): Generator<unknown> {
  yield WRONG[turn.next++ % WRONG.length];
  const isList = Array.isArray(value);
  for (const [key, entry] of Object.entries(typeof value === 'object' && value !== null ? value : {})) {
    for (const each of misplaced(entry, turn)) {
      yield isList ? value.map((old: unknown, at) => (String(at) === key ? each : old)) : { ...value as Json, [key]: each };
    }
  }
}

test.each(Object.entries(SAMPLES))('a value of the wrong kind in any place ends no migration: %s', (name, objects) => {
  const turn = { next: name.length };
  for (const manifest of objects.flatMap((object) => [...misplaced(object, turn)])) {
    for (const form of ['typescript', 'yaml'] as const) {
      expect(() => migrateTexts([{ name: 'a.json', text: JSON.stringify(manifest) }], { engine: OPERATOR_ENGINE, form })).not.toThrow();
    }
  }
});
