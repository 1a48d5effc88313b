/**
 * Random manifests with texts, values and structures at random places that programs stumble over, through validation, the planner, the engines and
 * the tools. `TRAINYARD_HOSTILE_SPECS` says how many, `TRAINYARD_SEED` where they begin; the same numbers give the same manifests. The attacker is
 * the author of a manifest that somebody looks at, so that nothing of a cluster is needed.
 */
import fc from 'fast-check';
import { parseAllDocuments, stringify } from 'yaml';
import { hostileCase, hostileManifest, type HostileCase } from './support/hostile-manifests';
import { Outputs, TOOLS, type Subject } from './support/tools';
import { CliError } from '../../src/cli/cli-error';
import { fieldLines, severalLines } from '../../src/cli/explain/field/explain-field';
import { lookupField } from '../../src/cli/explain/field/field-tree';
import { readManifestText } from '../../src/cli/read-manifests';
import { SAMPLES } from '../manifests/migrate/samples';
import { FILLERS, longText } from '../support/hostile-texts';
import { computingMs, LITTLE_MS } from '../support/cpu-time';
import { callsOf } from '../support/program-calls';

const COUNT = Number(process.env.TRAINYARD_HOSTILE_SPECS ?? 200);
const SEED = Number(process.env.TRAINYARD_SEED ?? 1);

/** CPU time of a call in addition to {@link problemOf}'s `parsing`: 10,000 manifests hold 200 ms on two cores of 2026; this holds on any machine. */
const LIMIT_MS = Number(process.env.TRAINYARD_HOSTILE_MS ?? LITTLE_MS);

/** Programs and documents up to this length are read again: what is longer differs from them in its length only. */
const READ_AGAIN = 100_000;

/** Tools that put out YAML. */
const WRITE_YAML = ['migrate --as yaml', 'migrate --to jobset'];

/** C0 without line ends and tabs, C1, marks of the direction of writing, line ends that few programs know. */
// eslint-disable-next-line no-control-regex
const RAW = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/;

const own = Object.entries(SAMPLES).filter(([kind]) => kind === 'MLTrainingJob');
const MANIFESTS = [...Object.entries(SAMPLES), ...Array.from({ length: 6 }, () => own).flat()]
  .map(([what, objects]) => ({ what, objects, before: readManifestText(objects.map((object) => stringify(object)).join('---\n'), 'job.yaml').objects }));

/** What is wrong with what one tool does. @param parsing milliseconds in which the YAML library reads and writes the manifest, as tools do */
function problemOf(name: string, subject: Subject, parsing: number): string | undefined {
  const tool = TOOLS[name];
  const outputs = new Outputs(name.length % 2 === 0);
  let error: unknown;
  const attempt = (into: Outputs) => {
    try {
      tool(subject, into);
    } catch (thrown) {
      error = thrown;
    }
  };
  // An engine's objects repeat what a job's roles share: a pod of 3,000 containers, which takes the YAML library half a second, can stand thrice.
  const longer = ({ written }: Outputs) => (WRITE_YAML.includes(name) ? Math.max(1, written.length / subject.text.length) : 1);
  const limitOf = (made: Outputs) => LIMIT_MS + parsing * longer(made);
  // A call that took long is made again, because a clean-up of memory can fall into it; what it puts out stays the same.
  let made: Outputs | undefined;
  const took = computingMs(() => attempt(made === undefined ? made = outputs : new Outputs(false)), () => limitOf(outputs));
  if (error instanceof CliError) {
    outputs.lines([error.message]);
  } else if (error !== undefined) {
    return `${name} threw ${(error as Error).stack?.slice(0, 1_000)}`;
  }
  const raw = outputs.texts.find((text) => RAW.test(text));
  if (raw !== undefined) {
    const at = raw.search(RAW);
    return `${name} put out U+${raw.charCodeAt(at).toString(16)} behind ${JSON.stringify(raw.slice(Math.max(0, at - 100), at))}`;
  }
  return took > limitOf(outputs) ? `${name} took ${Math.round(took)} ms` : writtenProblem(name, outputs.written);
}

/** What was migrated is what the manifest's objects are, and no more. */
function writtenProblem(name: string, written: string): string | undefined {
  if (written.length > READ_AGAIN) {
    return undefined;
  }
  switch (name) {
    case 'migrate --as typescript': {
      const calls = written.startsWith('import ') ? callsOf(written) : [];
      return calls.length > 0 ? `${name} wrote a program that calls ${calls.join(', ')}` : undefined;
    }
    case 'migrate --as yaml':
    case 'migrate --to jobset': {
      const kinds = written.includes('\nkind: ') ? parseAllDocuments(written).map((document) => (document.toJS() as { readonly kind?: unknown } | null)?.kind) : [];
      return kinds.includes('Pwned') ? `${name} wrote a document of its author` : undefined;
    }
    default: return undefined;
  }
}

function problemsOf(hostile: HostileCase): string[] {
  const { what, objects, before } = MANIFESTS[hostile.manifest];
  const text = hostileManifest(objects, hostile);
  const start = process.cpuUsage();
  const { objects: read } = readManifestText(text, 'job.yaml');
  read.forEach(({ object }) => stringify(object, { aliasDuplicateObjects: false }));
  const { user, system } = process.cpuUsage(start);
  return Object.keys(TOOLS).flatMap((name) => problemOf(name, { text, objects: read, before }, (user + system) / 1000) ?? []).map((problem) => `${what}: ${problem}`);
}

test(`${COUNT} hostile manifests from seed ${SEED}: no tool takes long, throws, or puts out a control character, and none writes what the manifest says`, () => {
  fc.assert(fc.property(hostileCase(MANIFESTS.length), (hostile) => {
    expect(problemsOf(hostile)).toEqual([]);
  }), { numRuns: COUNT, seed: SEED, endOnFailure: true });
});

test('the test would see a control character, a mistake and a slow call', () => {
  const outputs = new Outputs(true);
  outputs.file('a\u202e');
  outputs.message('a\nb');
  outputs.lines([outputs.paint('a', 'red'), 'a\u001b[2J']);
  expect(outputs.texts.map((text) => RAW.test(text))).toEqual([true, true, false]);
  expect(computingMs(() => longText('a').split('').sort().join(''), 1)).toBeGreaterThan(1);
});

test.each(FILLERS)('explain FIELD of a megabyte of %j', (filler) => {
  const written = `spec.${longText(filler)}`;
  const outputs = new Outputs(false);
  const explain = () => {
    const lookup = lookupField(written);
    outputs.lines('field' in lookup ? fieldLines(lookup.field, outputs.paint) : 'several' in lookup ? severalLines(written, lookup.several, outputs.paint) : [lookup.hint]);
  };
  expect(computingMs(explain, LIMIT_MS)).toBeLessThan(LIMIT_MS);
  expect(outputs.texts.filter((text) => RAW.test(text))).toEqual([]);
});
