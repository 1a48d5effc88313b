import { constructInferenceGraphSpec, graphAnnotations } from '../../../src/manifests/serving/inference-graph';
import { checkForeign } from '../../../src/model/checks/foreign-rules';
import { validateInferenceGraph, type GraphNode, type GraphStep, type InferenceGraphSpec } from '../../../src/model/serving/graph';
import { formatViolation } from '../../../src/model/violations';

const STEP: GraphStep = { serviceName: 'a' };
const node = (routerType: GraphNode['routerType'], ...steps: GraphStep[]): GraphNode => ({ routerType, steps });
const graph = (nodes: InferenceGraphSpec['nodes'], more: Partial<InferenceGraphSpec> = {}): InferenceGraphSpec => ({ mode: 'Standard', nodes, ...more });
const root = (routerType: GraphNode['routerType'], ...steps: GraphStep[]) => graph({ root: node(routerType, ...steps) });
const lines = (spec: InferenceGraphSpec, name = 'pets') => validateInferenceGraph(name, spec).map(formatViolation);

const BROKEN: readonly (readonly [string, InferenceGraphSpec, string])[] = [
  ['no root', graph({ rot: node('Sequence', STEP) }), 'spec.nodes: "rot": must have a node \'root\', which receives the requests. Did you mean \'rot\'?'],
  ['a node without steps', root('Sequence'), 'spec.nodes.root.steps: a node without steps cannot answer requests.'],
  ['a step without a target', root('Sequence', {}), 'spec.nodes.root.steps[0]: "": needs exactly one of nodeName, serviceName and serviceUrl.'],
  ['a step with two targets', root('Sequence', { serviceName: 'a', serviceUrl: 'http://b' }), '"a, http://b": needs exactly one of'],
  ['a node that is not there', graph({ root: node('Sequence', { nodeName: 'brede' }, { nodeName: 'breed' }), breed: node('Sequence', STEP) }), 'is not a node of the graph. Did you mean \'breed\'?'],
  ['a URL without a scheme', root('Sequence', { serviceUrl: 'host/path' }), 'spec.nodes.root.steps[0].serviceUrl: "host/path": must be a URL'],
  ['two steps of one name', root('Ensemble', { ...STEP, name: 'x' }, { serviceName: 'b', name: 'x' }), 'spec.nodes.root.steps[1].name: "x": is the name of an earlier step of the node.'],
  ['a splitter without weights', root('Splitter', STEP), 'spec.nodes.root.steps[0].weight: a splitter needs a weight from 0 to 100 (a whole number) for each step.'],
  ['a weight of 101', root('Splitter', { ...STEP, weight: 101 }), 'spec.nodes.root.steps[0].weight: 101: a splitter needs'],
  ['weights of 90', root('Splitter', { ...STEP, weight: 60 }, { serviceName: 'b', weight: 30 }), 'spec.nodes.root.steps: "60 + 30": weights of a splitter must add up to 100, but these add up to 90.'],
  ['a weight in a sequence', root('Sequence', { ...STEP, weight: 100 }), 'is used only by splitters, and the node is of type Sequence.'],
  ['a switch without a condition', root('Switch', STEP), 'spec.nodes.root.steps[0].condition: is required in a switch'],
  ['a condition in a splitter', root('Splitter', { ...STEP, weight: 100, condition: 'a' }), 'is used only in sequences and switches'],
  ['an empty condition', root('Switch', { ...STEP, condition: ' ' }), 'spec.nodes.root.steps[0].condition: " ": is empty. GJSON matches nothing with it.'],
  ['a condition that is not closed', root('Switch', { ...STEP, condition: '[@this].#(class=="dog"' }), 'does not close with \')\'.'],
  ['a condition that closes too much', root('Switch', { ...STEP, condition: 'a)' }), 'closes \')\' where nothing is open.'],
  ['a condition with an open quote', root('Switch', { ...STEP, condition: '#(class=="dog)' }), 'opens a quote that is not closed.'],
  ['a response of nobody', root('Sequence', { ...STEP, data: '$response' }), 'the first step has no response before it.'],
  ['a response in an ensemble', root('Ensemble', STEP, { ...STEP, data: '$response' }), 'a node of type Ensemble has no response before its steps.'],
  ['data of another name', root('Sequence', { ...STEP, data: '$input' }), 'spec.nodes.root.steps[0].data: "$input": KServe passes on $request or $response.'],
  ['a required step of a switch', root('Switch', { ...STEP, condition: 'a', dependency: 'Hard' }), 'is used only in sequences and ensembles, and the node is of type Switch.'],
  ['a node that leads to itself', root('Sequence', { nodeName: 'root' }), 'spec.nodes.root: "root -> root": leads back to itself, so a request would loop forever.'],
  ['a circle of three', graph({
    root: node('Sequence', { nodeName: 'a' }), a: node('Sequence', { nodeName: 'b' }), b: node('Sequence', { nodeName: 'c' }), c: node('Sequence', { nodeName: 'a' }, STEP),
  }), 'spec.nodes.a: "a -> b -> c -> a": leads back to itself'],
  ['a node that nothing leads to', graph({ root: node('Sequence', STEP), lost: node('Sequence', STEP) }), 'spec.nodes.lost: "lost": no step leads here from \'root\'.'],
  ['no pods in Standard mode', graph({ root: node('Sequence', STEP) }, { minReplicas: 0 }), 'spec.minReplicas: 0: a HorizontalPodAutoscaler keeps one pod.'],
  ['half a pod', graph({ root: node('Sequence', STEP) }, { minReplicas: 0.5 }), 'spec.minReplicas: 0.5: must be a whole number'],
  ['more pods at least than at most', graph({ root: node('Sequence', STEP) }, { minReplicas: 3, maxReplicas: 2 }), 'spec.minReplicas: 3: is more than maxReplicas (2).'],
  ['requests in Standard mode', graph({ root: node('Sequence', STEP) }, { metric: { kind: 'rps', target: 5 } }), 'spec.scaleMetric: "rps": a router in Standard mode scales by cpu or memory.'],
  ['cpu in Knative mode', graph({ root: node('Sequence', STEP) }, { mode: 'Knative', metric: { kind: 'cpu', target: 5 } }), 'Knative scales the router by concurrency or requests a second.'],
  ['a target of nothing', graph({ root: node('Sequence', STEP) }, { metric: { kind: 'cpu', target: 0 } }), 'spec.scaleTarget: 0: must be a whole number, 1 or more.'],
  ['half a second', graph({ root: node('Sequence', STEP) }, { timeoutSeconds: 0.5 }), 'spec.timeout: 0.5: must be whole seconds'],
];

/** What is said of the object in YAML. */
function saidOfObject(spec: object, annotations?: object, name = 'pets'): string[] {
  const object = { apiVersion: 'serving.kserve.io/v1alpha1', kind: 'InferenceGraph', metadata: { name, annotations }, spec };
  return checkForeign(object, [object]).map(formatViolation);
}

/** KServe's own graphs have conditions and dependencies that their router passes over. */
const ONLY_IN_CODE: readonly string[] = ['a condition in a splitter', 'a required step of a switch'];

test.each(BROKEN)('%s is one violation', (what, spec, line) => {
  expect(lines(spec)).toEqual([expect.stringContaining(line)]);
  expect(saidOfObject(constructInferenceGraphSpec(spec), graphAnnotations(spec))).toEqual(ONLY_IN_CODE.includes(what) ? [] : lines(spec));
});

describe('of a graph in YAML', () => {
  const nodes = { root: node('Sequence', STEP) };

  test('without a mode, only what is wrong in both is told', () => {
    expect(saidOfObject({ nodes, minReplicas: 0 })).toEqual([]);
    expect(saidOfObject({ nodes, scaleMetric: 'cpu', scaleTarget: 0 })).toEqual(['spec.scaleTarget: 0: must be a whole number, 1 or more.']);
  });

  test('no limit and an autoscaler of others are right', () => {
    const annotations = { 'serving.kserve.io/deploymentMode': 'RawDeployment', 'serving.kserve.io/autoscalerClass': 'external' };
    expect(saidOfObject({ nodes, minReplicas: 0, maxReplicas: 0 }, annotations)).toEqual([]);
    expect(saidOfObject({ nodes: { root: { routerType: 'Sequence', steps: [{ serviceName: 'a', nodeName: '', data: '' }] } } })).toEqual([]);
  });

  test('the name is told', () => {
    expect(saidOfObject({ nodes }, {}, 'Pets')).toEqual([expect.stringContaining('metadata.name: "Pets"')]);
  });

  test.each([null, [], 'x', { nodes: [] }, { nodes: { root: null } }, { nodes: { root: { steps: [1, null] } }, timeout: 'x' }])('%j ends nothing', (spec) => {
    expect(() => saidOfObject(spec as object, [])).not.toThrow();
  });
});

test('a name with capitals is one violation', () => {
  expect(lines(root('Sequence', STEP), 'Pets')).toEqual([expect.stringContaining('metadata.name: "Pets"')]);
});

test.each([
  ['the least', root('Sequence', STEP)],
  ['weights of 100', root('Splitter', { ...STEP, weight: 99 }, { serviceName: 'b', weight: 1 })],
  ['a weight of nothing', root('Splitter', { ...STEP, weight: 100 }, { serviceName: 'b', weight: 0 })],
  ['a condition with brackets in a quote', root('Switch', { ...STEP, condition: '[@this].#(class=="(dog")' })],
  ['a condition with an escaped bracket', root('Switch', { ...STEP, condition: 'a\\(b' })],
  ['a required step of an ensemble', root('Ensemble', { ...STEP, dependency: 'Hard' })],
  ['a response in a sequence', root('Sequence', STEP, { serviceName: 'b', data: '$response', dependency: 'Hard', condition: 'predictions.0' })],
  ['two ways to one node', graph({ root: node('Ensemble', { nodeName: 'a' }, { nodeName: 'b' }), a: node('Sequence', { nodeName: 'b' }), b: node('Sequence', STEP) })],
  ['no pods in Knative mode', graph({ root: node('Sequence', STEP) }, { mode: 'Knative', minReplicas: 0, metric: { kind: 'concurrency', target: 1 } })],
])('%s is valid', (_what, spec) => {
  expect(lines(spec)).toEqual([]);
});

test('a circle is told once, however it is entered', () => {
  const circle = { a: node('Sequence', { nodeName: 'b' }), b: node('Sequence', { nodeName: 'a' }) };
  expect(lines(graph({ root: node('Ensemble', { nodeName: 'a' }, { nodeName: 'b' }), ...circle }))).toHaveLength(1);
});
