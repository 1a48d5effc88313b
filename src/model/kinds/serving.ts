/** What serves models on KServe. @see https://github.com/kserve/kserve/tree/v0.20.0/pkg/apis/serving */
import { DEPLOYMENT, REPLICA_SETS } from './deployment';
import { LEADER_WORKER_SET } from './leader-worker-set';
import { standingByConditions, type Standing } from './standing';
import { identityOf, type KindIdentity, type WorkloadKind } from './workload-kind';
import { jsonText, numberIn, record, type JsonRecord } from '../json-parts';
import { programText } from '../../programs/program-text';

/** KServe's annotation that stops what serves. */
const STOP = 'serving.kserve.io/stop';

function standing(object: JsonRecord): Standing {
  const isStopped = record(record(object.metadata).annotations)[STOP] === 'true';
  return { ...standingByConditions(object), ...(isStopped && { state: 'Suspended' }) };
}

/** What Knative makes of a service, for InferenceServices that it runs. */
const KNATIVE: readonly KindIdentity[] = ['Service', 'Configuration', 'Revision'].map((kind) => (
  { apiVersion: 'serving.knative.dev/v1', kind, plural: `${kind.toLowerCase()}s` }));

/** Argo CD knows its health. */
export const INFERENCE_SERVICE: WorkloadKind = {
  group: 'serving.kserve.io', kind: 'InferenceService', plural: 'inferenceservices', versions: ['v1beta1'], shortNames: ['isvc'], cost: 'InferenceService',
  suspend: ['metadata', 'annotations', STOP], podLabels: ['serving.kserve.io/inferenceservice'], logStream: 'inference_service', roleLabel: 'component',
  standing,
  between: [...KNATIVE, identityOf(DEPLOYMENT), REPLICA_SETS],
  scales: ({ predictor }) => [{ field: ['predictor', 'minReplicas'], replicas: numberIn(record(predictor).minReplicas) ?? 1 }],
};

/** Label with the name of an LLMInferenceService. */
export const LLM_NAME_LABEL = 'app.kubernetes.io/name';

/** Labels that KServe puts on all pods and Services of an LLMInferenceService. @param name its name @default - those that all of them have */
export function llmLabels(name?: string): { readonly [label: string]: string } {
  return { 'app.kubernetes.io/part-of': 'llminferenceservice', ...(name !== undefined && { [LLM_NAME_LABEL]: name }) };
}

/**
 * KServe's annotation deletes what serves. Both versions have the same conditions.
 * @see https://github.com/kserve/kserve/blob/v0.20.0/pkg/controller/v1alpha2/llmisvc
 * @see https://kserve.github.io/website/docs/model-serving/generative-inference/llmisvc/llmisvc-overview
 */
export const LLM_INFERENCE_SERVICE: WorkloadKind = {
  group: 'serving.kserve.io', kind: 'LLMInferenceService', plural: 'llminferenceservices', versions: ['v1alpha2', 'v1alpha1'], shortNames: ['llmisvc'],
  suspend: ['metadata', 'annotations', STOP], standing, cost: 'LLMInferenceService',
  podSelectors: ({ metadata }) => [Object.entries(llmLabels(jsonText(record(metadata).name ?? ''))).map((label) => label.join('=')).join(',')],
  roleLabel: 'app.kubernetes.io/component', between: [identityOf(DEPLOYMENT), REPLICA_SETS, identityOf(LEADER_WORKER_SET)],
  argoCd: { health: programText('argo-cd/health/llm-inference-service.lua') },
};
