-- A cluster whose head fails later is being repaired by KubeRay, or by an upgrade: that is not yet a failure.
local early = unseen('KubeRay')
if early ~= nil then return early end
if is('RayClusterSuspended', 'True') or status.state == 'suspended' then
  return held(field(obj, 'spec', 'suspend'), condition('RayClusterSuspended'))
end
if is('RayClusterSuspending', 'True') or field(obj, 'spec', 'suspend') == true then return answer('Progressing', 'Is being suspended') end
if is('ReplicaFailure', 'True') then return answer('Degraded', because('Pods cannot be made', condition('ReplicaFailure'))) end
if status.state == 'failed' then return answer('Degraded', because('Failed', { reason = status.reason })) end
local there = text(status.readyWorkerReplicas or status.availableWorkerReplicas or 0)
local workers = there .. ' of ' .. text(status.desiredWorkerReplicas or 0) .. ' workers are ready'
local head = condition('HeadPodReady')
if head ~= nil and head.status ~= 'True' then return answer('Progressing', because('The head is not ready', head)) end
if is('RayClusterProvisioned', 'True') or status.state == 'ready' then return answer('Healthy', workers) end
return answer('Progressing', because(workers, condition('RayClusterProvisioned')))
