/** What serves models on KServe. @see https://github.com/kserve/kserve/tree/v0.20.0/pkg/apis/serving */
import type { WorkloadKind } from './workload-kind';
import { programText } from '../../programs/program-text';

/** Argo CD knows its health. */
export const INFERENCE_SERVICE: WorkloadKind = {
  group: 'serving.kserve.io', kind: 'InferenceService', plural: 'inferenceservices', versions: ['v1beta1'], cost: 'InferenceService',
};

/**
 * KServe's annotation deletes what serves. Both versions have the same conditions.
 * @see https://github.com/kserve/kserve/blob/v0.20.0/pkg/controller/v1alpha2/llmisvc
 * @see https://kserve.github.io/website/docs/model-serving/generative-inference/llmisvc/llmisvc-overview
 */
export const LLM_INFERENCE_SERVICE: WorkloadKind = {
  group: 'serving.kserve.io', kind: 'LLMInferenceService', plural: 'llminferenceservices', versions: ['v1alpha2', 'v1alpha1'],
  suspend: ['metadata', 'annotations', 'serving.kserve.io/stop'], cost: 'LLMInferenceService',
  argoCd: { health: programText('argo-cd/health/llm-inference-service.lua') },
};
