-- JobSet has no observedGeneration.
if status.terminalState == 'Completed' or is('Completed', 'True') then return answer('Healthy', because('Completed', condition('Completed'))) end
if status.terminalState == 'Failed' or is('Failed', 'True') then return answer('Degraded', because('Failed', condition('Failed'))) end
local early = unseen('JobSet')
if early ~= nil then return early end
local suspend = field(obj, 'spec', 'suspend')
if is('Suspended', 'True') then return held(suspend, condition('Suspended')) end
if suspend == true then return answer('Progressing', 'Is being suspended') end
if is('RestartingJobSet', 'True') then return answer('Progressing', because('Restarting', condition('RestartingJobSet'))) end
if is('StartupPolicyInProgress', 'True') then return answer('Progressing', because('Starting', condition('StartupPolicyInProgress'))) end
local words = 'Running'
for _, each in ipairs(list(status.replicatedJobsStatus)) do
  words = words .. '; ' .. text(field(each, 'name')) .. ': ' .. text(field(each, 'ready')) .. ' ready, ' .. text(field(each, 'succeeded')) .. ' succeeded'
end
return answer('Progressing', words)
