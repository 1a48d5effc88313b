import { buildGraph } from '../../../src/cli/graph/build-graph';
import { filteredGraph, type ResourceGraph } from '../../../src/cli/graph/resource-graph';
import type { SourceObject } from '../../../src/cli/validate/sources';
import { edgeLines, graphOf, sourcesOf } from './graphs';

const object = (kind: string, name: string, namespace?: string) => (
  JSON.stringify({ apiVersion: 'v1', kind, metadata: { name, namespace } }));
const documents = (...objects: readonly string[]) => objects.join('\n---\n');

/** As an app's objects come. */
function ofApp(file: string, text: string, constructs: readonly (string | undefined)[]): SourceObject[] {
  return sourcesOf(text, `main.ts (${file})`).map((source, index) => ({ ...source, file: 'main.ts', hasText: false, construct: constructs[index] }));
}

/** Boxes by title, from the outermost, with the names of their own nodes. */
function boxLines({ boxes, nodes }: ResourceGraph): string[] {
  return boxes.map(({ id, title, parent }) => `${parent === undefined ? '' : `${parent} > `}${title}: ${nodes.filter(({ box }) => box === id).map(({ name }) => name).join(' ')}`);
}

const boxed = (sources: readonly SourceObject[], grouping: 'construct' | 'namespace' | 'none' = 'construct') => (
  boxLines(buildGraph(sources, { grouping, made: true }).graph));

test('charts and constructs of several objects are boxes', () => {
  const text = documents(object('ConfigMap', 'a'), object('ConfigMap', 'b'), object('ConfigMap', 'c'));
  expect(boxed(ofApp('ml.k8s.yaml', text, ['ml/Team/A/Resource', 'ml/Team/B/Resource', 'ml/C/Resource']))).toEqual(['ml: c', 'ml > Team: a b']);
});

test('a chart whose constructs are not all known has no boxes inside, and the chart\'s name', () => {
  const text = documents(object('ConfigMap', 'a'), object('ConfigMap', 'b'), object('Secret', 'c'));
  expect(boxed(ofApp('0000-ml.k8s.yaml', text, ['ml/Team/A/Resource', 'ml/Team/B/Resource', undefined]))).toEqual(['ml: a b c']);
  expect(boxed(ofApp('ml.k8s.yaml', text, [undefined, undefined, undefined]))).toEqual(['ml: a b c']);
});

test('files are boxes when there are several', () => {
  expect(boxed([...sourcesOf(object('ConfigMap', 'a'), 'a/x.yaml'), ...sourcesOf(object('ConfigMap', 'b'), 'b/x.yaml')])).toEqual(['a/x.yaml: a', 'b/x.yaml: b']);
  expect(boxed(sourcesOf(documents(object('ConfigMap', 'a'), object('ConfigMap', 'b'))))).toEqual([]);
});

test('what is made of a job stands in a box', () => {
  const job = { apiVersion: 'ml.collabnix.io/v1alpha1', kind: 'MLTrainingJob', metadata: { name: 'j' }, spec: { framework: 'pytorch', image: 'i', command: ['x'], replicas: 2 } };
  expect(boxed(sourcesOf(JSON.stringify(job)))).toEqual(['created by the operator for j: j-master j-worker-0 j-master']);
});

test('the name of a Secret that follows from the uid of a job is shown without its end, and pods mount it', () => {
  const job = { apiVersion: 'ml.collabnix.io/v1alpha1', kind: 'MLTrainingJob', metadata: { name: 'j' }, spec: { framework: 'mpi', image: 'i', command: ['x'], replicas: 1 } };
  const { graph } = buildGraph(sourcesOf(JSON.stringify(job)), { grouping: 'none', made: true });
  expect(edgeLines(graph).filter((line) => line.includes('Secret'))).toMatchInlineSnapshot(`
[
  "MLTrainingJob j makes (made) Secret j-mpi-ssh-auth-*",
  "(made) Pod j-launcher mounts (made) Secret j-mpi-ssh-auth-*",
  "(made) Pod j-worker-0 mounts (made) Secret j-mpi-ssh-auth-*",
]
`);
});

test('namespaces are boxes, with the Namespace itself; what lives in none stands outside', () => {
  const text = documents(object('Namespace', 'a'), object('ConfigMap', 'x', 'a'), object('ConfigMap', 'y', 'b'), object('ConfigMap', 'z'));
  const { graph } = graphOf(text, { grouping: 'namespace' });
  expect(boxLines(graph)).toEqual(['namespace a: a x', 'namespace b: y']);
  expect(graph.nodes.map(({ name, box }) => [name, box])).toContainEqual(['z', undefined]);
  expect(boxed(sourcesOf(text), 'none')).toEqual([]);
});

test('an object that is given twice is shown once, and told', () => {
  const { graph, notes } = graphOf(documents(object('ConfigMap', 'a'), object('ConfigMap', 'a')));
  expect(graph.nodes).toHaveLength(1);
  expect(notes).toEqual(['ConfigMap a is defined twice: in jobs.yaml, document 1 and in jobs.yaml, document 2. The first is shown.']);
});

test('many objects that are given twice are told in one line', () => {
  const names = ['a', 'b', 'c', 'd', 'e'];
  const { graph, notes } = graphOf(documents(...[...names, ...names].map((name) => object('ConfigMap', name))));
  expect(graph.nodes).toHaveLength(5);
  expect(notes).toEqual([
    '5 objects are defined again: ConfigMap a (jobs.yaml, document 1; jobs.yaml, document 6), ConfigMap b (jobs.yaml, document 2; jobs.yaml, document 7), '
    + 'ConfigMap c (jobs.yaml, document 3; jobs.yaml, document 8) and 2 more. The first of each is shown.',
  ]);
});

describe('filters', () => {
  const pod = (name: string, secret: string, namespace: string) => JSON.stringify({
    apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace }, spec: { containers: [{ name: 'c', envFrom: [{ secretRef: { name: secret } }] }] },
  });
  const { graph } = graphOf(documents(pod('one', 'keys', 'a'), pod('two', 'keys', 'a'), pod('three', 'other', 'b')), { grouping: 'namespace' });

  test.each([
    ['a name', { name: 'one' }, ['Pod a/one reads (outside) Secret a/keys'], ['namespace a']],
    ['a kind, however it is spelled', { kind: 'secret' }, ['Pod a/one reads (outside) Secret a/keys', 'Pod a/two reads (outside) Secret a/keys', 'Pod b/three reads (outside) Secret b/other'], ['namespace a', 'namespace b']],
    ['a namespace', { namespace: 'b' }, ['Pod b/three reads (outside) Secret b/other'], ['namespace b']],
    ['nothing', {}, edgeLines(graph), ['namespace a', 'namespace b']],
  ])('keep %s and what is next to it', (_what, filter, edges, boxes) => {
    const kept = filteredGraph(graph, filter);
    expect(edgeLines(kept)).toEqual(edges);
    expect(kept.boxes.map(({ title }) => title)).toEqual(boxes);
  });

  test('that keep nothing are an error, with what may be meant', () => {
    expect(() => filteredGraph(graph, { kind: 'Pot' })).toThrow('There is no resource with kind Pot. Did you mean \'Pod\'?');
    expect(() => filteredGraph(graph, { name: 'one', namespace: 'b' })).toThrow('There is no resource with name one and namespace b.');
  });
});
