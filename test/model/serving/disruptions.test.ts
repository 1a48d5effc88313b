/** Which pods of model servers get a budget. */
import { llmBudgets, servingBudgets } from '../../../src/model/serving/disruptions';
import type { LlmInferenceServiceSpec } from '../../../src/model/serving/llm';
import type { ComponentSpec, InferenceServiceSpec } from '../../../src/model/serving/spec';

const component = (minReplicas?: number, more: Partial<ComponentSpec> = {}): ComponentSpec => ({ model: { format: 'sklearn' }, scaling: { minReplicas }, ...more });
const service = (parts: Omit<InferenceServiceSpec, 'mode'>) => servingBudgets('iris', { mode: 'Standard', ...parts }).map(({ part }) => part);

test('components of two replicas or more have one', () => {
  expect(service({ predictor: component(2) })).toEqual(['predictor']);
  expect(service({ predictor: component(3), transformer: component(2), explainer: component(1) })).toEqual(['predictor', 'transformer']);
});

test('a component that may have one replica, or whose replicas are several pods, has none', () => {
  expect([service({ predictor: component(1) }), service({ predictor: component() }), service({ predictor: component(0) })]).toEqual([[], [], []]);
  expect(service({ predictor: component(2, { worker: {} }) })).toEqual([]);
});

test('their pods have the labels that KServe gives', () => {
  expect(servingBudgets('iris', { mode: 'Knative', predictor: component(2) })).toEqual([
    { part: 'predictor', labels: { 'serving.kserve.io/inferenceservice': 'iris', 'component': 'predictor' } },
  ]);
});

test('replicas of a language model have one, those that read prompts theirs', () => {
  const spec = (decode: object, prefill?: object) => (
    { decode: { leader: {}, ...decode }, prefill: prefill && { leader: {}, ...prefill } } as unknown as LlmInferenceServiceSpec
  );
  const parts = (...given: Parameters<typeof spec>) => (
    llmBudgets('qwen', spec(...given)).map(({ part, labels }) => `${part}: ${labels['app.kubernetes.io/component']}`)
  );
  expect(parts({ replicas: 2 }, { replicas: 3 })).toEqual(['workload: llminferenceservice-workload', 'prefill: llminferenceservice-workload-prefill']);
  expect(parts({ scaling: { minReplicas: 2, maxReplicas: 4 } })).toEqual(['workload: llminferenceservice-workload']);
  for (const decode of [{}, { replicas: 1 }, { replicas: 4, scaling: { minReplicas: 1 } }, { replicas: 2, worker: {} }]) {
    expect(parts(decode)).toEqual([]);
  }
});
