import { Chart, Duration, Testing } from 'cdk8s';
import * as kplus from 'cdk8s-plus-28';
import {
  GraphData, GraphNode, GraphTarget, InferenceGraph, InferenceService, ModelFormat, ModelStorage, Predictor, ScaleMetric, ServingMode,
} from '../../../../src/constructs/serving';
import { errorsOf } from '../../../support/synth-errors';

function service(chart: Chart, id: string, namespace?: string) {
  return new InferenceService(chart, id, {
    mode: ServingMode.STANDARD, metadata: { name: id.toLowerCase(), namespace },
    predictor: Predictor.model({ format: ModelFormat.SKLEARN, storage: ModelStorage.gcs('models', id) }),
  });
}

function graphIn(chart: Chart) {
  return Testing.synth(chart).find(({ kind }) => kind === 'InferenceGraph');
}

test('an A/B test is a splitter', () => {
  const chart = Testing.chart();
  const [a, b] = [service(chart, 'A'), service(chart, 'B')];
  const graph = new InferenceGraph(chart, 'Test', {
    mode: ServingMode.STANDARD,
    metadata: { name: 'ab' },
    nodes: { root: GraphNode.splitter([{ target: GraphTarget.service(a), weight: 90 }, { target: GraphTarget.service(b), weight: 10, name: 'new' }]) },
  });
  expect(graphIn(chart)).toEqual({
    apiVersion: 'serving.kserve.io/v1alpha1',
    kind: 'InferenceGraph',
    metadata: { name: 'ab', annotations: { 'serving.kserve.io/deploymentMode': 'Standard', 'serving.kserve.io/autoscalerClass': 'hpa' } },
    spec: { nodes: { root: { routerType: 'Splitter', steps: [{ serviceName: 'a', weight: 90 }, { serviceName: 'b', weight: 10, name: 'new' }] } } },
  });
  expect(graph.resourceType).toBe('inferencegraphs');
  expect(graph.mode).toBe(ServingMode.STANDARD);
});

test('a graph with every option, whose nodes are added one by one', () => {
  const chart = Testing.chart();
  const graph = new InferenceGraph(chart, 'Pets', {
    mode: ServingMode.KNATIVE, metadata: { name: 'pets', annotations: { team: 'a' } }, minReplicas: 0, maxReplicas: 3, metric: ScaleMetric.concurrency(5),
    timeout: Duration.minutes(1), resources: { cpu: kplus.Cpu.millis(100) }, serviceAccount: kplus.ServiceAccount.fromServiceAccountName(chart, 'Account', 'graph'),
    nodeSelector: { pool: 'cpu' }, tolerations: [{ key: 'spot' }],
  });
  graph.addNode('root', GraphNode.sequence([
    { target: GraphTarget.serviceNamed('detector'), name: 'detect', required: true },
    { target: GraphTarget.node('breeds'), data: GraphData.RESPONSE, condition: '[@this].#(predictions.0==1)' },
  ]));
  graph.addNode('breeds', GraphNode.switchOver([{ target: GraphTarget.url('http://dogs'), condition: '[@this].#(class=="dog")' }, { target: GraphTarget.node('votes'), condition: 'class' }]));
  graph.addNode('votes', GraphNode.ensemble([{ target: GraphTarget.serviceNamed('a'), name: 'a' }, { target: GraphTarget.serviceNamed('b') }]));
  expect(Object.keys(graph.nodes)).toEqual(['root', 'breeds', 'votes']);
  const { metadata, spec } = graphIn(chart);
  expect(metadata.annotations).toEqual({ 'team': 'a', 'serving.kserve.io/deploymentMode': 'Knative' });
  expect(spec).toEqual({
    minReplicas: 0, maxReplicas: 3, scaleMetric: 'concurrency', scaleTarget: 5, timeout: 60, serviceAccountName: 'graph',
    resources: { requests: { cpu: '100m' }, limits: { cpu: '100m' } },
    nodeSelector: { pool: 'cpu' },
    tolerations: [{ key: 'spot', operator: 'Exists' }],
    nodes: {
      root: {
        routerType: 'Sequence',
        steps: [{ serviceName: 'detector', name: 'detect', dependency: 'Hard' }, { nodeName: 'breeds', data: '$response', condition: '[@this].#(predictions.0==1)' }],
      },
      breeds: { routerType: 'Switch', steps: [{ serviceUrl: 'http://dogs', condition: '[@this].#(class=="dog")' }, { nodeName: 'votes', condition: 'class' }] },
      votes: { routerType: 'Ensemble', steps: [{ serviceName: 'a', name: 'a' }, { serviceName: 'b' }] },
    },
  });
});

test('a graph comes after its services', () => {
  const chart = Testing.chart();
  const graph = new InferenceGraph(chart, 'A', { mode: ServingMode.STANDARD });
  graph.addNode('root', GraphNode.sequence([{ target: GraphTarget.service(service(chart, 'B')) }]));
  expect(Testing.synth(chart).map(({ kind }) => kind)).toEqual(['InferenceService', 'InferenceGraph']);
});

test('a node cannot be added twice', () => {
  const graph = new InferenceGraph(Testing.chart(), 'Pets', { mode: ServingMode.STANDARD });
  const node = GraphNode.sequence([{ target: GraphTarget.serviceNamed('a') }]);
  graph.addNode('root', node);
  expect(() => graph.addNode('root', node)).toThrow('InferenceGraph at \'test/Pets\': already has a node \'root\'. Use another name.');
});

test('what is wrong is told at synth, services of other namespaces too', () => {
  const app = Testing.app();
  const chart = new Chart(app, 'test', { namespace: 'ml' });
  new InferenceGraph(chart, 'Pets', { mode: ServingMode.STANDARD, metadata: { name: 'Pets' } });
  new InferenceGraph(chart, 'Other', {
    mode: ServingMode.STANDARD, metadata: { name: 'other' }, nodes: { root: GraphNode.sequence([{ target: GraphTarget.service(service(chart, 'Away', 'away')) }]) },
  });
  expect(errorsOf(app)).toEqual([
    expect.stringContaining('InferenceGraph \'Pets\': metadata.name: "Pets"'),
    expect.stringContaining('InferenceGraph \'Pets\': spec.nodes: "": must have a node \'root\''),
    expect.stringContaining('InferenceGraph \'other\': spec.nodes.root: "away": is in the namespace \'away\''),
  ]);
});

test('a whole graph looks as it did', () => {
  const chart = new Chart(Testing.app(), 'snapshot', { namespace: 'ml' });
  new InferenceGraph(chart, 'Pets', {
    mode: ServingMode.STANDARD, metadata: { name: 'pets' }, minReplicas: 1, maxReplicas: 3, metric: ScaleMetric.cpu(70), timeout: Duration.minutes(1),
    resources: { cpu: kplus.Cpu.millis(100) }, nodeSelector: { pool: 'cpu' }, tolerations: [{ key: 'spot' }],
    nodes: {
      root: GraphNode.sequence([
        { target: GraphTarget.serviceNamed('detector'), name: 'detect', required: true, data: GraphData.REQUEST },
        { target: GraphTarget.node('votes'), data: GraphData.RESPONSE, condition: 'dog', required: false },
      ]),
      votes: GraphNode.ensemble([{ target: GraphTarget.serviceNamed('a'), name: 'a' }, { target: GraphTarget.node('shares'), name: 'b' }]),
      shares: GraphNode.splitter([{ target: GraphTarget.url('http://old'), weight: 90 }, { target: GraphTarget.node('breeds'), weight: 10, name: 'new' }]),
      breeds: GraphNode.switchOver([{ target: GraphTarget.serviceNamed('big'), condition: 'big' }]),
    },
  });
  expect(Testing.synth(chart)).toMatchSnapshot();
});
