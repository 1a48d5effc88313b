-- Requests are answered while Ready is true, also during an upgrade; the wave behind waits for its end. Of several applications that failed the first by
-- name is told: tables have no order, and a message that changes each time would write the Application each time.
local early = unseen('KubeRay')
if early ~= nil then return early end
if is('Suspended', 'True') then return held(field(obj, 'spec', 'suspend'), condition('Suspended')) end
if is('Suspending', 'True') or field(obj, 'spec', 'suspend') == true then return answer('Progressing', 'Is being suspended') end
local failed = { DEPLOY_FAILED = true, UNHEALTHY = true }
local first, worst
for _, cluster in ipairs({ 'pendingServiceStatus', 'activeServiceStatus' }) do
  for name, application in pairs(list(field(status, cluster, 'applicationStatuses'))) do
    if type(name) == 'string' and failed[text(field(application, 'status'))] and (first == nil or name < first) then
      first, worst = name, application
    end
  end
end
if first ~= nil then
  return answer('Degraded', because('Application ' .. first .. ' is ' .. text(worst.status), { message = worst.message }))
end
local ready = condition('Ready')
if is('RollbackInProgress', 'True') then return answer('Degraded', because('The upgrade is rolled back', condition('RollbackInProgress'))) end
if is('UpgradeInProgress', 'True') then return answer('Progressing', because('Upgrading', condition('UpgradeInProgress'))) end
if is('Ready', 'True') then return answer('Healthy', because('Ready', { message = ready.message })) end
local never = { InitializingTimeout = true, ValidationFailed = true }
if never[text(field(ready, 'reason'))] then return answer('Degraded', because('Not ready', ready)) end
if ready == nil and status.serviceStatus == 'Running' then return answer('Healthy', 'Running') end
return answer('Progressing', because('Not ready', ready))
