-- An Application that is new counts as Healthy in its own status, because nothing of it is there to be unhealthy: whether it was synced at all is asked first.
local function say(health, message, otherwise)
  if type(message) ~= 'string' or message == '' then message = otherwise end
  return answer(health, message)
end
local isSynced = field(status, 'sync', 'status') == 'Synced'
local phase = field(status, 'operationState', 'phase')
local hasFailed = not isSynced and (phase == 'Failed' or phase == 'Error')
if hasFailed then return say('Degraded', field(status, 'operationState', 'message'), 'Its sync has failed') end
if not isSynced and phase ~= 'Succeeded' then return answer('Progressing', 'Has not been synced yet') end
local health = field(status, 'health', 'status')
local known = { Healthy = true, Progressing = true, Degraded = true, Suspended = true }
if not known[health or ''] then return answer('Progressing', 'Its health is not known yet') end
return say(health, field(status, 'health', 'message'), 'Its objects are ' .. health)
