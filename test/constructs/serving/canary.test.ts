/** The life of a candidate as a sequence of synths, as it stands in a repository: each step is a commit, and each asserts the fields that change. */
import { Testing } from 'cdk8s';
import * as kplus from 'cdk8s-plus-28';
import { Gpu } from '../../../src';
import {
  InferenceService, ModelFormat, ModelStorage, Predictor, ServingMode, type Canary, type CanaryOptions,
} from '../../../src/constructs/serving';

const V1 = ModelStorage.gcs('models', 'iris/1');
const V2 = ModelStorage.gcs('models', 'iris/2');

/** One commit: the program at that time, synthesized. */
function commit(mode: ServingMode, program: (service: InferenceService) => void = () => undefined, served = V1, name?: string) {
  const chart = Testing.chart();
  program(new InferenceService(chart, 'Iris', {
    mode,
    metadata: { name: 'iris' },
    predictor: Predictor.model({ format: ModelFormat.SKLEARN, storage: served, name, scaling: { minReplicas: 2, maxReplicas: 4 } }),
  }));
  return Testing.synth(chart)[0];
}

const withCanary = (then: (canary: Canary) => void = () => undefined, percent = 10) => (service: InferenceService) => {
  then(service.addCanary('v2', { trafficPercent: percent, storage: V2 }));
};

/** Paths whose values differ, each as [before, after]. */
function changes(before: unknown, after: unknown, path = ''): { [path: string]: unknown } {
  if (JSON.stringify(before) === JSON.stringify(after)) {
    return {};
  }
  const isRecord = (value: unknown): value is { [field: string]: unknown } => typeof value === 'object' && value !== null && !Array.isArray(value);
  if (isRecord(before) && isRecord(after)) {
    const fields = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    return Object.assign({}, ...fields.map((field) => changes(before[field], after[field], path === '' ? field : `${path}.${field}`)));
  }
  return { [path]: [before, after] };
}

describe('in Standard mode', () => {
  const stable = commit(ServingMode.STANDARD);
  const started = commit(ServingMode.STANDARD, withCanary());

  test('a canary at 10 % is a second predictor, and the first stays as it is', () => {
    expect(changes(stable, started)).toEqual({
      'spec.canary': [undefined, [{
        trafficPercent: 10,
        predictor: { name: 'v2', automountServiceAccountToken: false, model: { name: 'kserve-container', modelFormat: { name: 'sklearn' }, storageUri: 'gs://models/iris/2' } },
      }]],
    });
  });

  test('more traffic is one number', () => {
    const [before, after] = [started, commit(ServingMode.STANDARD, withCanary(undefined, 50))].map(({ spec }) => spec.canary[0]);
    expect(changes(before, after)).toEqual({ trafficPercent: [10, 50] });
  });

  test('a promotion gives the predictor the canary\'s name and model, so that KServe keeps its pods, and removes the canary', () => {
    const promoted = commit(ServingMode.STANDARD, withCanary((canary) => canary.promote()));
    expect(changes(started, promoted)).toEqual({
      'spec.canary': [expect.any(Array), undefined],
      'spec.predictor.name': [undefined, 'v2'],
      'spec.predictor.model.storageUri': ['gs://models/iris/1', 'gs://models/iris/2'],
    });
    expect(promoted.spec.predictor).toMatchObject({ minReplicas: 2, maxReplicas: 4 });
    // The program that has forgotten the canary.
    expect(commit(ServingMode.STANDARD, undefined, V2, 'v2')).toEqual(promoted);
  });

  test('a rollback is the manifest of before', () => {
    expect(commit(ServingMode.STANDARD, withCanary((canary) => canary.rollback()))).toEqual(stable);
  });

  test('the next canary starts from the promoted one', () => {
    const next = commit(ServingMode.STANDARD, (service) => service.addCanary('v3', { trafficPercent: 10, storage: ModelStorage.gcs('models', 'iris/3') }), V2, 'v2');
    expect(next.spec.predictor.name).toBe('v2');
    expect(next.spec.canary[0].predictor).toEqual({ name: 'v3', automountServiceAccountToken: false, model: { name: 'kserve-container', modelFormat: { name: 'sklearn' }, storageUri: 'gs://models/iris/3' } });
  });

  test('several canaries stand beside each other, and one can be promoted', () => {
    const both = (then: (v2: Canary) => void) => commit(ServingMode.STANDARD, (service) => {
      const v2 = service.addCanary('v2', { trafficPercent: 10, storage: V2 });
      service.addCanary('v3', { trafficPercent: 5, storage: ModelStorage.gcs('models', 'iris/3') });
      then(v2);
    });
    const names = (object: { spec: { canary: { predictor: { name: string } }[] } }) => object.spec.canary.map(({ predictor }) => predictor.name);
    expect(names(both(() => undefined))).toEqual(['v2', 'v3']);
    const promoted = both((v2) => v2.promote());
    expect(names(promoted)).toEqual(['v3']);
    expect(promoted.spec.predictor.name).toBe('v2');
  });
});

describe('in Knative mode', () => {
  const stable = commit(ServingMode.KNATIVE);
  const started = commit(ServingMode.KNATIVE, withCanary());

  test('a canary at 10 % takes the predictor\'s place, and the revision before keeps the rest', () => {
    expect(changes(stable, started)).toEqual({
      'spec.predictor.canaryTrafficPercent': [undefined, 10],
      'spec.predictor.model.storageUri': ['gs://models/iris/1', 'gs://models/iris/2'],
    });
  });

  test('more traffic is one number', () => {
    expect(changes(started, commit(ServingMode.KNATIVE, withCanary(undefined, 50)))).toEqual({ 'spec.predictor.canaryTrafficPercent': [10, 50] });
  });

  test('a promotion removes the percentage', () => {
    const promoted = commit(ServingMode.KNATIVE, withCanary((canary) => canary.promote()));
    expect(changes(started, promoted)).toEqual({ 'spec.predictor.canaryTrafficPercent': [10, undefined] });
    // The program that has forgotten the canary.
    expect(commit(ServingMode.KNATIVE, undefined, V2)).toEqual(promoted);
  });

  test('a rollback leaves the canary without traffic, and its removal is the manifest of before', () => {
    const rolledBack = commit(ServingMode.KNATIVE, withCanary((canary) => canary.rollback()));
    expect(changes(started, rolledBack)).toEqual({ 'spec.predictor.canaryTrafficPercent': [10, 0] });
    expect(commit(ServingMode.KNATIVE)).toEqual(stable);
  });
});

describe('a canary', () => {
  const LEAST = { mode: ServingMode.STANDARD, predictor: Predictor.model({ format: ModelFormat.SKLEARN, storage: V1, runtime: 'kserve-sklearnserver' }) };

  function canaryWith(options: Partial<CanaryOptions>) {
    const chart = Testing.chart();
    new InferenceService(chart, 'Iris', LEAST).addCanary('v2', { trafficPercent: 10, storage: V2, ...options });
    return Testing.synth(chart)[0].spec.canary[0].predictor;
  }

  test('has all that it does not say from the predictor', () => {
    expect(canaryWith({})).toEqual({
      name: 'v2', automountServiceAccountToken: false,
      model: { name: 'kserve-container', modelFormat: { name: 'sklearn' }, runtime: 'kserve-sklearnserver', storageUri: 'gs://models/iris/2' },
    });
  });

  test('can differ in everything that a model has', () => {
    expect(canaryWith({
      format: ModelFormat.of('sklearn', '1'), runtime: 'kserve-mlserver', image: 'server:2', args: ['--new'], env: { A: kplus.EnvValue.fromValue('1') },
      resources: { gpu: Gpu.nvidia(1) }, replicas: 1,
    })).toEqual({
      name: 'v2',
      automountServiceAccountToken: false,
      minReplicas: 1,
      model: {
        name: 'kserve-container', modelFormat: { name: 'sklearn', version: '1' }, runtime: 'kserve-mlserver', storageUri: 'gs://models/iris/2', image: 'server:2', args: ['--new'],
        env: [{ name: 'A', value: '1' }], resources: { limits: { 'nvidia.com/gpu': '1' } },
      },
      tolerations: [{ key: 'nvidia.com/gpu', operator: 'Exists', effect: 'NoSchedule' }],
    });
  });

  test('keeps what stands beside the model', () => {
    const chart = Testing.chart();
    const adapters = ModelStorage.s3('models', 'adapters', { mountPath: '/mnt/adapters' });
    const service = new InferenceService(chart, 'Iris', {
      mode: ServingMode.STANDARD, predictor: Predictor.model({ format: ModelFormat.SKLEARN, storage: V1, additionalStorage: [adapters] }),
    });
    service.addCanary('v2', { trafficPercent: 10, storage: V2 });
    expect(Testing.synth(chart)[0].spec.canary[0].predictor.storageUris).toEqual([
      { uri: 'gs://models/iris/2' }, { uri: 's3://models/adapters', mountPath: '/mnt/adapters' },
    ]);
  });

  test('of another format leaves the runtime to KServe', () => {
    expect(canaryWith({ format: ModelFormat.ONNX }).model).toEqual({ name: 'kserve-container', modelFormat: { name: 'onnx' }, storageUri: 'gs://models/iris/2' });
  });

  test('of a container is another image, in Knative mode', () => {
    const chart = Testing.chart();
    const service = new InferenceService(chart, 'Iris', { mode: ServingMode.KNATIVE, predictor: Predictor.container({ image: 'server:1' }) });
    service.addCanary('v2', { trafficPercent: 10, image: 'server:2' });
    expect(Testing.synth(chart)[0].spec.predictor).toEqual({
      canaryTrafficPercent: 10, automountServiceAccountToken: false,
      containers: [{ name: 'kserve-container', image: 'server:2', securityContext: { allowPrivilegeEscalation: false, seccompProfile: { type: 'RuntimeDefault' } } }],
    });
  });

  test('tells where it stands, and cannot be promoted and rolled back', () => {
    const service = new InferenceService(Testing.chart(), 'Iris', LEAST);
    const canary = service.addCanary('v2', { trafficPercent: 10, storage: V2 });
    expect(service.canaries).toEqual([canary]);
    expect([canary.name, canary.trafficPercent, canary.phase]).toEqual(['v2', 10, 'serving']);
    canary.promote();
    canary.promote();
    expect(canary.phase).toBe('promoted');
    expect(service.serviceName).toMatch(/-v2-predictor$/);
    expect(() => canary.rollback()).toThrow('Canary \'v2\' of InferenceService \'test/Iris\': cannot be rolled-back, because it is already promoted.');
  });
});
