/**
 * Health of LLMInferenceService, whose v1alpha1 and v1alpha2 have the same conditions. Argo CD knows InferenceService already.
 * @see https://github.com/kserve/kserve/blob/v0.20.0/pkg/controller/v1alpha2/llmisvc
 */
import { healthScript, luaSet } from '../lua';

/** Reasons of conditions that stand until somebody changes something; all others may pass by themselves. */
const FAILED = [
  'CombineBaseError', 'ProgressDeadlineExceeded', 'ReplicaFailure', 'FailedCreate', 'RefsInvalid', 'InvalidRefs', 'ReconcileSingleNodeWorkloadError',
  'ReconcileMultiNodeWorkloadError', 'ReconcileWorkloadServiceError', 'ReconcileCertsError', 'SchedulerReconcileError', 'HTTPRouteReconcileError',
];

/** @see https://kserve.github.io/website/docs/model-serving/generative-inference/llmisvc/llmisvc-overview */
export const LLM_INFERENCE_SERVICE_HEALTH = healthScript(`
local early = unseen('KServe')
if early ~= nil then return early end
if field(obj, 'metadata', 'annotations', 'serving.kserve.io/stop') == 'true' then
  return answer('Suspended', 'Stopped by the annotation serving.kserve.io/stop')
end
local ready = condition('Ready')
if is('Ready', 'True') then return answer('Healthy', because('Ready', { message = text(status.url) })) end
local failed = ${luaSet(FAILED)}
for _, each in ipairs(list(status.conditions)) do
  if field(each, 'status') == 'False' and failed[text(field(each, 'reason'))] then
    return answer('Degraded', because(text(field(each, 'type')) .. ' is False', each))
  end
end
return answer('Progressing', because('Not ready', ready))
`);
