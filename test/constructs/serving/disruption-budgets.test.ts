/** PodDisruptionBudgets beside model servers, on KServe and on Ray. */
import { App, Chart, Testing } from 'cdk8s';
import { SecurityCheck, SecurityChecks } from '../../../src/constructs/platform';
import { RayService, type RayServiceProps, type RayWorkerGroup } from '../../../src/constructs/ray';
import {
  InferenceService, LlmInferenceService, ModelFormat, ModelStorage, Predictor, ServingMode, type InferenceServiceProps, type LlmInferenceServiceProps,
} from '../../../src/constructs/serving';

interface Budget {
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly spec: object;
}

function budgetsOf(program: (chart: Chart) => void): Budget[] {
  const chart = new Chart(new App(), 'test');
  program(chart);
  return (Testing.synth(chart) as (Budget & { readonly kind: string })[]).filter(({ kind }) => kind === 'PodDisruptionBudget');
}

const model = (minReplicas?: number) => Predictor.model({ format: ModelFormat.SKLEARN, storage: ModelStorage.gcs('models', 'iris'), scaling: { minReplicas, maxReplicas: 4 } });
const kserve = (props: Partial<InferenceServiceProps> = {}) => budgetsOf((chart) => {
  new InferenceService(chart, 'Iris', { mode: ServingMode.STANDARD, predictor: model(2), metadata: { name: 'iris', namespace: 'ml' }, ...props });
});
const llm = (props: Partial<LlmInferenceServiceProps> = {}) => budgetsOf((chart) => {
  new LlmInferenceService(chart, 'Qwen', { model: ModelStorage.huggingFace('Qwen/Qwen3-8B'), metadata: { name: 'qwen' }, ...props });
});
const ray = (groups: RayWorkerGroup[], props: Partial<RayServiceProps> = {}) => budgetsOf((chart) => {
  new RayService(chart, 'Chat', {
    metadata: { name: 'chat' }, cluster: { image: 'rayproject/ray:2.54.0', workerGroups: groups }, applications: [{ name: 'chat', importPath: 'app.main:chat' }], ...props,
  });
});

describe('an InferenceService', () => {
  test('keeps all pods but one of a component that has two or more', () => {
    expect(kserve()).toMatchObject([{
      metadata: { name: 'iris-predictor', namespace: 'ml' },
      spec: { maxUnavailable: 1, selector: { matchLabels: { 'serving.kserve.io/inferenceservice': 'iris', 'component': 'predictor' } } },
    }]);
    expect(kserve({ transformer: { image: 't', scaling: { minReplicas: 3 } } }).map(({ metadata: { name } }) => name)).toEqual(['iris-predictor', 'iris-transformer']);
  });

  test('has none where one replica would hold up every drain, and where it is switched off', () => {
    expect([kserve({ predictor: model(1) }), kserve({ predictor: model() }), kserve({ disruptionBudget: false })]).toEqual([[], [], []]);
  });
});

describe('an LlmInferenceService', () => {
  test('keeps all replicas but one, those that read prompts by themselves', () => {
    expect(llm({ workload: { replicas: 2 }, prefill: { replicas: 2 } })).toMatchObject([
      { metadata: { name: 'qwen-workload' }, spec: { maxUnavailable: 1, selector: { matchLabels: { 'app.kubernetes.io/name': 'qwen', 'app.kubernetes.io/component': 'llminferenceservice-workload' } } } },
      { metadata: { name: 'qwen-prefill' }, spec: { selector: { matchLabels: { 'app.kubernetes.io/component': 'llminferenceservice-workload-prefill' } } } },
    ]);
  });

  test('has none for one replica, and where it is switched off', () => {
    expect([llm(), llm({ workload: { replicas: 1 } }), llm({ workload: { replicas: 2 }, disruptionBudget: false })]).toEqual([[], [], []]);
  });
});

describe('a RayService', () => {
  test('keeps all workers but one, and says how many: Kubernetes cannot count what KubeRay makes', () => {
    const [budget] = ray([{ name: 'gpu', replicas: 2 }, { name: 'cpu', replicas: 2 }]);
    expect(budget).toMatchObject({ metadata: { name: 'chat-workers' }, spec: { minAvailable: 3, selector: { matchLabels: { 'ml.collabnix.io/ray-service': 'chat' } } } });
  });

  test('counts groups that are added later, and gives the label to the workers alone', () => {
    const chart = new Chart(new App(), 'test');
    const service = new RayService(chart, 'Chat', { metadata: { name: 'chat' }, cluster: { image: 'rayproject/ray:2.54.0' }, applications: [{ name: 'chat', importPath: 'app.main:chat' }] });
    service.addWorkerGroup({ name: 'one', replicas: 1 });
    service.addWorkerGroup({ name: 'more', replicas: 2 });
    const objects = Testing.synth(chart);
    expect(objects.find(({ kind }) => kind === 'PodDisruptionBudget').spec.minAvailable).toBe(2);
    const { headGroupSpec, workerGroupSpecs } = objects.find(({ kind }) => kind === 'RayService').spec.rayClusterConfig;
    expect(workerGroupSpecs.map(({ template }: { template: { metadata: object } }) => template.metadata)).toEqual([
      { labels: { 'ml.collabnix.io/ray-service': 'chat' } }, { labels: { 'ml.collabnix.io/ray-service': 'chat' } },
    ]);
    expect(headGroupSpec.template.metadata).toEqual({});
  });

  test('has none for one worker, and where it is switched off', () => {
    expect([ray([]), ray([{ name: 'w', replicas: 1 }]), ray([{ name: 'w', replicas: 2 }], { disruptionBudget: false })]).toEqual([[], [], []]);
  });
});

test('the security checks find nothing, and find what is switched off', () => {
  const found = (disruptionBudget?: boolean) => {
    const chart = new Chart(new App(), 'test');
    new InferenceService(chart, 'Iris', { mode: ServingMode.STANDARD, predictor: model(2), metadata: { name: 'iris', namespace: 'ml' }, disruptionBudget });
    new LlmInferenceService(chart, 'Qwen', { model: ModelStorage.huggingFace('Qwen/Qwen3-8B'), metadata: { name: 'qwen' }, workload: { replicas: 2 }, disruptionBudget });
    new RayService(chart, 'Chat', {
      metadata: { name: 'chat' }, cluster: { image: 'rayproject/ray:2.54.0', workerGroups: [{ name: 'w', replicas: 2 }] }, applications: [{ name: 'chat', importPath: 'app.main:chat' }], disruptionBudget,
    });
    return new SecurityChecks(chart, 'Security', { checks: [SecurityCheck.DISRUPTION_BUDGET] }).report().map(({ object }) => object);
  };
  expect(found()).toEqual([]);
  expect(found(false)).toEqual(['InferenceService iris', 'LLMInferenceService qwen', 'RayService chat']);
});
