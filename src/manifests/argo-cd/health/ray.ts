/**
 * Health of KubeRay's kinds.
 * @see https://github.com/ray-project/kuberay/blob/v1.7.0/ray-operator/apis/ray/v1
 */
import { healthScript, luaSet } from '../lua';

/** A cluster whose head fails later is being mended by KubeRay, or by an upgrade: that is no failure yet. */
export const RAY_CLUSTER_HEALTH = healthScript(`
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
`);

/** A job that has ended stays as it is. One that was stopped has not done its work. */
export const RAY_JOB_HEALTH = healthScript(`
local deployment = status.jobDeploymentStatus
local job = text(status.jobStatus)
local cause = { reason = status.reason, message = status.message }
if deployment == 'Failed' or deployment == 'ValidationFailed' then return answer('Degraded', because(deployment, cause)) end
if deployment == 'Complete' then
  if job == 'SUCCEEDED' then return answer('Healthy', because('SUCCEEDED', cause)) end
  return answer('Degraded', because('Ended as ' .. job, cause))
end
local early = unseen('KubeRay')
if early ~= nil then return early end
if deployment == 'Suspended' then return held(field(obj, 'spec', 'suspend'), cause) end
if deployment == 'Waiting' then return answer('Suspended', 'Waits for somebody to submit the job (submissionMode InteractiveMode)') end
if type(deployment) == 'string' and deployment ~= '' then
  if job ~= '' then return answer('Progressing', because(deployment .. ', ' .. job, cause)) end
  return answer('Progressing', because(deployment, cause))
end
return answer('Progressing', 'KubeRay has not begun yet')
`);

/** Statuses of applications and deployments of Serve that do not mend themselves. */
const SERVE_FAILED = ['DEPLOY_FAILED', 'UNHEALTHY'];

/**
 * Requests are answered while `Ready` is true, also during an upgrade; the wave behind waits for its end. Of several applications that failed the
 * first by name is told: tables have no order, and a message that changes each time would write the Application each time.
 */
export const RAY_SERVICE_HEALTH = healthScript(`
local early = unseen('KubeRay')
if early ~= nil then return early end
if is('Suspended', 'True') then return held(field(obj, 'spec', 'suspend'), condition('Suspended')) end
if is('Suspending', 'True') or field(obj, 'spec', 'suspend') == true then return answer('Progressing', 'Is being suspended') end
local failed = ${luaSet(SERVE_FAILED)}
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
local never = ${luaSet(['InitializingTimeout', 'ValidationFailed'])}
if never[text(field(ready, 'reason'))] then return answer('Degraded', because('Not ready', ready)) end
if ready == nil and status.serviceStatus == 'Running' then return answer('Healthy', 'Running') end
return answer('Progressing', because('Not ready', ready))
`);

/** It has a status only once it has run, and may run for the first time in a month: nothing is waited for. */
export const RAY_CRON_JOB_HEALTH = healthScript(`
if field(obj, 'spec', 'suspend') == true then return answer('Suspended', 'Suspended: no jobs are begun') end
local last = text(status.lastScheduleTime)
if last == '' then return answer('Healthy', 'Has not run yet') end
return answer('Healthy', 'Ran last at ' .. last)
`);
