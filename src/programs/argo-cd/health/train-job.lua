-- TrainJob has no observedGeneration.
if is('Complete', 'True') then return answer('Healthy', because('Complete', condition('Complete'))) end
if is('Failed', 'True') then return answer('Degraded', because('Failed', condition('Failed'))) end
local early = unseen('Trainer')
if early ~= nil then return early end
local suspend = field(obj, 'spec', 'suspend')
if is('Suspended', 'True') then return held(suspend, condition('Suspended')) end
if suspend == true then return answer('Progressing', 'Is being suspended') end
local words = 'Running'
for _, each in ipairs(list(status.jobsStatus)) do
  words = words .. '; ' .. text(field(each, 'name')) .. ': ' .. text(field(each, 'ready')) .. ' ready, ' .. text(field(each, 'succeeded')) .. ' succeeded'
end
local percent = text(field(status, 'trainerStatus', 'progressPercentage'))
if percent ~= '' then words = words .. '; ' .. percent .. ' %' end
return answer('Progressing', words)
