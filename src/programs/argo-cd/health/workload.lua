-- An admitted workload is what Kueue has to give; whether its job succeeds, the job tells.
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
local never = { NoMatchingFlavor = true, ExceedsMaxQuota = true, Misconfigured = true }
if never[text(field(reserved, 'reason'))] then return answer('Degraded', because('Cannot be admitted', reserved)) end
if reserved ~= nil then return answer('Suspended', because('Waits in queue ' .. text(field(obj, 'spec', 'queueName')) .. ' for admission', reserved)) end
return answer('Progressing', 'Kueue has not said yet when there is quota')
