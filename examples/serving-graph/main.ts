import { App, Chart, Size } from 'cdk8s';
import { Cpu, Probe } from 'cdk8s-plus-28';
import { Accelerator } from 'trainyard';
import {
  ClusterServingRuntime, GraphData, GraphNode, GraphTarget, InferenceGraph, InferenceService, ModelFormat, ModelStorage, ModelStorageContainer,
  Predictor, ServingMode, ServingProtocol, ServingRuntime,
} from 'trainyard/serving';

const app = new App();
const chart = new Chart(app, 'serving-graph', { namespace: 'team-a' });

// Where models are: the company's Model Registry.
ModelStorageContainer.modelRegistry(chart, 'Registry', {
  image: 'registry.example/model-registry/storage-initializer:1',
  server: 'model-registry-service.kubeflow.svc.cluster.local:8080',
});

// What serves them: a server for everybody, and this team's own build of it on GPUs.
const server = { protocols: [ServingProtocol.V2], port: 9000, readiness: Probe.fromHttpGet('/v2/health/ready'), podAnnotations: { 'prometheus.kserve.io/port': '9000' } };
new ClusterServingRuntime(chart, 'Scorer', {
  ...server, metadata: { name: 'scorer' }, formats: [{ name: 'scorer', autoSelect: true, priority: 1 }], image: 'registry.example/scorer:1',
  resources: { cpu: Cpu.units(1), memory: Size.gibibytes(2) },
});
new ServingRuntime(chart, 'FastScorer', {
  ...server, metadata: { name: 'fast-scorer' }, formats: [{ name: 'scorer' }], image: 'registry.example/scorer:1-cuda', accelerator: Accelerator.NVIDIA_L4.count(1),
});

const service = (name: string, runtime?: string) => new InferenceService(chart, name, {
  metadata: { name },
  mode: ServingMode.STANDARD,
  predictor: Predictor.model({ format: ModelFormat.of('scorer'), runtime, protocol: ServingProtocol.V2, storage: ModelStorage.modelRegistry(name, 'v1') }),
});

// One address: is there an animal at all, and if so, two opinions about which; a tenth of the second goes to a new model.
new InferenceGraph(chart, 'Pets', {
  metadata: { name: 'pets' },
  mode: ServingMode.STANDARD,
  nodes: {
    root: GraphNode.sequence([
      { target: GraphTarget.service(service('animal')), name: 'animal', required: true },
      { target: GraphTarget.node('breeds'), name: 'breeds', data: GraphData.REQUEST },
    ]),
    breeds: GraphNode.ensemble([{ target: GraphTarget.service(service('breed', 'fast-scorer')), name: 'small' }, { target: GraphTarget.node('second'), name: 'large' }]),
    second: GraphNode.splitter([{ target: GraphTarget.service(service('breed-large', 'fast-scorer')), weight: 90 }, { target: GraphTarget.service(service('breed-next', 'fast-scorer')), weight: 10 }]),
  },
});

app.synth();
