-- A job that has ended stays as it is. One that was stopped has not done its work.
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
