-- The reasons in the list stand until somebody changes something; all others may pass by themselves.
local early = unseen('KServe')
if early ~= nil then return early end
if field(obj, 'metadata', 'annotations', 'serving.kserve.io/stop') == 'true' then
  return answer('Suspended', 'Stopped by the annotation serving.kserve.io/stop')
end
local ready = condition('Ready')
if is('Ready', 'True') then return answer('Healthy', because('Ready', { message = text(status.url) })) end
local failed = {
  CombineBaseError = true, ProgressDeadlineExceeded = true, ReplicaFailure = true, FailedCreate = true, RefsInvalid = true,
  InvalidRefs = true, ReconcileSingleNodeWorkloadError = true, ReconcileMultiNodeWorkloadError = true,
  ReconcileWorkloadServiceError = true, ReconcileCertsError = true, SchedulerReconcileError = true, HTTPRouteReconcileError = true,
}
for _, each in ipairs(list(status.conditions)) do
  if field(each, 'status') == 'False' and failed[text(field(each, 'reason'))] then
    return answer('Degraded', because(text(field(each, 'type')) .. ' is False', each))
  end
end
return answer('Progressing', because('Not ready', ready))
