-- ClusterQueue, LocalQueue, AdmissionCheck, MultiKueueCluster.
local active = condition('Active')
if active == nil then return answer('Progressing', 'Kueue has not seen the object yet') end
if isOlder(active) then return answer('Progressing', 'Kueue has not acted on the last change yet') end
if active.status == 'True' then
  local pending = text(status.pendingWorkloads)
  if pending == '' then return answer('Healthy', because('Active', { message = active.message })) end
  return answer('Healthy', 'Active: ' .. text(status.admittedWorkloads) .. ' workloads admitted, ' .. pending .. ' pending')
end
local heldBack = { Stopped = true, ClusterQueueIsInactive = true }
local passing = { Unknown = true, Terminating = true }
local reason = text(active.reason)
local stopped = text(field(obj, 'spec', 'stopPolicy'))
if heldBack[reason] or (stopped ~= '' and stopped ~= 'None') then return answer('Suspended', because('Not active', active)) end
if active.status ~= 'False' or passing[reason] then return answer('Progressing', because('Not active', active)) end
return answer('Degraded', because('Not active', active))
