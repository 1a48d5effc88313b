/** Choices that an InferenceService offers: each value is written as KServe spells it. */
import { Testing } from 'cdk8s';
import * as kplus from 'cdk8s-plus-28';
import {
  Autoscaler, BuiltInRuntime, InferenceService, LoggedTraffic, ModelFormat, ModelStorage, Predictor, ScaleMetric, ServingMode, ServingProtocol,
  type InferenceServiceProps, type ModelPredictorOptions,
} from '../../../src/constructs/serving';
import { formatsOfRuntime } from '../../../src/model/serving/validation-component';

const SKLEARN: ModelPredictorOptions = { format: ModelFormat.SKLEARN, storage: ModelStorage.gcs('models', 'iris/1') };

function serviceOf(props: Partial<InferenceServiceProps>) {
  const chart = Testing.chart();
  new InferenceService(chart, 'Iris', { mode: ServingMode.STANDARD, predictor: Predictor.model(SKLEARN), ...props });
  return Testing.synth(chart)[0];
}

const predictorOf = (options: Partial<ModelPredictorOptions>) => serviceOf({ predictor: Predictor.model({ ...SKLEARN, ...options }) }).spec.predictor;

describe('a predictor', () => {
  test.each([[LoggedTraffic.ALL, 'all'], [LoggedTraffic.REQUESTS, 'request'], [LoggedTraffic.RESPONSES, 'response'], [undefined, 'all']])('can log what is said by %s', (traffic, mode) => {
    expect(predictorOf({ logger: { url: 'http://broker', traffic } }).logger).toEqual({ url: 'http://broker', mode });
  });

  test.each([
    [ServingProtocol.V1, [{ containerPort: 9090, protocol: 'TCP' }]], [ServingProtocol.V2, [{ containerPort: 9090, protocol: 'TCP' }]],
    [ServingProtocol.GRPC_V1, [{ name: 'grpc', containerPort: 9090, protocol: 'TCP' }]], [ServingProtocol.GRPC_V2, [{ name: 'grpc', containerPort: 9090, protocol: 'TCP' }]],
  ])('of a container says its protocol %s, as far as KServe takes it, and by the name of its port whether that is HTTP', (protocol, ports) => {
    const [container] = serviceOf({ predictor: Predictor.container({ image: 'server:1', port: 9090, protocol }) }).spec.predictor.containers;
    const env = protocol.startsWith('grpc') ? undefined : [{ name: 'PROTOCOL', value: protocol }];
    expect({ env: container.env, ports: container.ports }).toEqual({ env, ports });
  });

  test.each([Autoscaler.HPA, Autoscaler.KEDA, Autoscaler.EXTERNAL, Autoscaler.NONE])('can be scaled by %s', (autoscaler) => {
    const metrics = [autoscaler === Autoscaler.KEDA ? ScaleMetric.prometheus({ query: 'a', target: 1 }) : ScaleMetric.cpu(70)];
    const scaling = autoscaler === Autoscaler.NONE || autoscaler === Autoscaler.EXTERNAL ? undefined : { maxReplicas: 2, metrics };
    expect(serviceOf({ autoscaler, predictor: Predictor.model({ ...SKLEARN, scaling }) }).metadata.annotations).toMatchObject({ 'serving.kserve.io/autoscalerClass': autoscaler });
  });

  test.each(Object.values(ModelFormat))('can be of the format $name, which a runtime of KServe serves', (format: ModelFormat) => {
    expect(predictorOf({ format }).model.modelFormat).toEqual({ name: format.name });
    expect(Object.values(BuiltInRuntime).filter((runtime) => formatsOfRuntime(runtime)!.includes(format.name))).not.toEqual([]);
  });

  test('is probed at its own port, unless a probe names another', () => {
    const predictor = Predictor.container({ image: 'server:1', port: 9090, readiness: kplus.Probe.fromHttpGet('/ready'), liveness: kplus.Probe.fromHttpGet('/live', { port: 9091 }) });
    expect(serviceOf({ predictor }).spec.predictor.containers[0]).toMatchObject({ readinessProbe: { httpGet: { path: '/ready', port: 9090 } }, livenessProbe: { httpGet: { path: '/live', port: 9091 } } });
  });
});
