/**
 * Health of Kueue's kinds, of v1beta1 and v1beta2 alike: their conditions tell which generation they are about. Cohort, ResourceFlavor, Topology and
 * WorkloadPriorityClass have no conditions; Argo CD takes them as good once they are there.
 * @see https://github.com/kubernetes-sigs/kueue/blob/v0.19.2/apis/kueue/v1beta2
 */
import { healthScript, luaSet } from '../lua';

/** `stopPolicy`, and for a LocalQueue a ClusterQueue that takes nothing at this time: somebody will go on. */
const HELD_BACK = ['Stopped', 'ClusterQueueIsInactive'];

/** The cache is read anew, or the object goes. */
const PASSING = ['Unknown', 'Terminating'];

/** ClusterQueue, LocalQueue, AdmissionCheck, MultiKueueCluster. */
export const KUEUE_ACTIVE_HEALTH = healthScript(`
local active = condition('Active')
if active == nil then return answer('Progressing', 'Kueue has not seen the object yet') end
if isOlder(active) then return answer('Progressing', 'Kueue has not acted on the last change yet') end
if active.status == 'True' then
  local pending = text(status.pendingWorkloads)
  if pending == '' then return answer('Healthy', because('Active', { message = active.message })) end
  return answer('Healthy', 'Active: ' .. text(status.admittedWorkloads) .. ' workloads admitted, ' .. pending .. ' pending')
end
local heldBack = ${luaSet(HELD_BACK)}
local passing = ${luaSet(PASSING)}
local reason = text(active.reason)
local stopped = text(field(obj, 'spec', 'stopPolicy'))
if heldBack[reason] or (stopped ~= '' and stopped ~= 'None') then return answer('Suspended', because('Not active', active)) end
if active.status ~= 'False' or passing[reason] then return answer('Progressing', because('Not active', active)) end
return answer('Degraded', because('Not active', active))
`);

/** Reasons for which no quota that comes free would help. */
const NEVER_ADMITTED = ['NoMatchingFlavor', 'ExceedsMaxQuota', 'Misconfigured'];

/** An admitted workload is what Kueue has to give; whether its job succeeds, the job tells. */
export const WORKLOAD_HEALTH = healthScript(`
local finished = condition('Finished')
if is('Finished', 'True') then
  if finished.reason == 'Failed' then return answer('Degraded', because('Finished', finished)) end
  return answer('Healthy', because('Finished', finished))
end
if field(obj, 'spec', 'active') == false then return answer('Suspended', because('Deactivated', condition('Evicted'))) end
if next(status) == nil then return answer('Progressing', 'Kueue has not seen the workload yet') end
if is('Admitted', 'True') then
  if is('PodsReady', 'False') then return answer('Progressing', because('Admitted', condition('PodsReady'))) end
  return answer('Healthy', because('Admitted', { message = field(condition('Admitted'), 'message') }))
end
local reserved = condition('QuotaReserved')
if is('QuotaReserved', 'True') then return answer('Progressing', because('Waits for admission checks', reserved)) end
local never = ${luaSet(NEVER_ADMITTED)}
if never[text(field(reserved, 'reason'))] then return answer('Degraded', because('Cannot be admitted', reserved)) end
if reserved ~= nil then return answer('Suspended', because('Waits in queue ' .. text(field(obj, 'spec', 'queueName')) .. ' for admission', reserved)) end
return answer('Progressing', 'Kueue has not said yet when there is quota')
`);
