-- Conditions are asked in the order in which a job leaves them behind: those that ended it first.
if is('Succeeded', 'True') then return answer('Healthy', because('Succeeded', condition('Succeeded'))) end
if is('Failed', 'True') then return answer('Degraded', because('Failed', condition('Failed'))) end
local early = unseen('The training operator')
if early ~= nil then return early end
local suspend = field(obj, 'spec', 'runPolicy', 'suspend')
if is('Suspended', 'True') then return held(suspend, condition('Suspended')) end
if suspend == true then return answer('Progressing', 'Is being suspended') end
if is('Restarting', 'True') then return answer('Progressing', because('Restarting', condition('Restarting'))) end
if is('Running', 'True') then return answer('Progressing', because('Running', condition('Running'))) end
return answer('Progressing', because('Starting', condition('Created')))
