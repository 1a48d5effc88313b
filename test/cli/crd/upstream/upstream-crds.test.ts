/** Which definitions of upstream systems tests have. */
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { loadAll } from 'js-yaml';
import { factsOf, type PublishedDefinition } from '../../../../scripts/upstream/facts';
import { upstreamFiles, writeFiles } from '../../../../scripts/upstream/files';
import { KUBERNETES, SOURCES } from '../../../../scripts/upstream/sources';
import type { KindFacts } from '../../../../src/cli/crd/upstream/compact-format';
import { UpstreamSchemas } from '../../../../src/cli/crd/upstream/upstream-schemas';
import { temporaryFolder } from '../../../local/support/temporary-folder';
import { readUpstreamCrds, upstreamCrds, writeDefinitions } from '../../../support/upstream-definitions';

const root = temporaryFolder();
const folder = (name: string, files: readonly string[] = []) => {
  const place = path.join(root, name);
  mkdirSync(place, { recursive: true });
  files.forEach((file) => {
    mkdirSync(path.dirname(path.join(place, file)), { recursive: true });
    writeFileSync(path.join(place, file), 'kind: A\n');
  });
  return place;
};

const fetched = folder('fetched', ['b-v1/one.yaml', 'README.md', 'a-v2/two.yaml', 'a-v2/notes.txt']);
const ofFetched = [{ system: 'a-v2', files: [path.join(fetched, 'a-v2', 'two.yaml')] }, { system: 'b-v1', files: [path.join(fetched, 'b-v1', 'one.yaml')] }];

test('they are those of TRAINYARD_CRDS, one system per folder', () => {
  expect(readUpstreamCrds({ TRAINYARD_CRDS: fetched }, folder('others', ['c-v1/one.yaml']))).toEqual(ofFetched);
});

test('a TRAINYARD_CRDS that does not exist is an error', () => {
  expect(() => readUpstreamCrds({ TRAINYARD_CRDS: '/no/such/folder' })).toThrow('TRAINYARD_CRDS is "/no/such/folder", which does not exist.');
});

test('else they are those that were fetched', () => {
  expect(readUpstreamCrds({}, fetched)).toEqual(ofFetched);
});

/** A folder of facts, as `upstream/` is one: two kinds of one system, and Kubernetes' own. */
function facts(): UpstreamSchemas {
  const kind = (name: string, group: string): KindFacts => ({
    group, kind: name, plural: `${name.toLowerCase()}s`, scope: 'Namespaced',
    versions: [{ name: 'v1', served: true, storage: true, schema: { type: 'object', properties: { kind: { type: 'string', pattern: '^[a-z\'"]+: #$', enum: ['on', '1'] } } } }],
  });
  const source = { archive: { module: 'example.com/a', sum: 'h1:a' }, files: [], readFrom: 'archive' } as const;
  const place = folder('facts');
  writeFiles(place, upstreamFiles([
    { ...source, system: 'a', version: 'v1.2.3', kinds: [kind('Wheel', 'a.example.com'), kind('Axle', 'b.example.com')] },
    { ...source, system: KUBERNETES, version: 'v1', kinds: [kind('Pod', '')] },
  ]));
  return UpstreamSchemas.of(place);
}

test('else they are made of facts, once, all but those of Kubernetes itself', () => {
  const parent = path.join(root, 'cache', 'upstream');
  const made = writeDefinitions(facts(), parent);
  expect(readdirSync(parent)).toEqual([path.basename(made)]);
  expect(readdirSync(made, { recursive: true }).map(String).sort()).toEqual(['a-v1.2.3', 'a-v1.2.3/axles.b.example.com.yaml', 'a-v1.2.3/wheels.a.example.com.yaml']);
  const file = path.join(made, 'a-v1.2.3', 'wheels.a.example.com.yaml');
  const text = readFileSync(file, 'utf8');
  // By which AllDefinitions finds the file of a kind.
  expect(text).toMatch(/^ {4}kind: Wheel$/m);
  expect(loadAll(text).map((document) => factsOf(document as PublishedDefinition))).toEqual(facts().kindsOf(facts().entries[0]).filter(({ kind }) => kind === 'Wheel'));
  writeFileSync(file, 'as it was\n');
  expect(writeDefinitions(facts(), parent)).toBe(made);
  expect(readFileSync(file, 'utf8')).toBe('as it was\n');
});

test('made, they are of every system that the list of sources has, and where TRAINYARD_CRDS is set and empty, too', () => {
  const env = { TRAINYARD_CACHE: path.join(root, 'cache') };
  const systems = readUpstreamCrds(env, path.join(root, 'nothing'));
  expect(systems.map(({ system }) => system)).toEqual(SOURCES.filter(({ system }) => system !== KUBERNETES).map(({ system, version }) => `${system}-${version}`).sort());
  expect(systems.flatMap(({ files }) => files).filter((file) => !existsSync(file))).toEqual([]);
  expect(readUpstreamCrds({ ...env, TRAINYARD_CRDS: '' }, fetched)).toEqual(systems);
});

test('definitions are of systems by their whole names, and those of a system that has none are an error', () => {
  const names = (...systems: string[]) => upstreamCrds(...systems).map((file) => path.basename(file));
  expect(names('jobset', 'lws')).toEqual(['jobsets.jobset.x-k8s.io.yaml', 'leaderworkersets.leaderworkerset.x-k8s.io.yaml']);
  expect(() => names('kubeflow')).toThrow(/^There are no definitions of kubeflow, only of .*jobset-v/);
});
