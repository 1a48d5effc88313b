-- It has a status only once it has run, and may run for the first time in a month: nothing is waited for.
if field(obj, 'spec', 'suspend') == true then return answer('Suspended', 'Suspended: no jobs are begun') end
local last = text(status.lastScheduleTime)
if last == '' then return answer('Healthy', 'Has not run yet') end
return answer('Healthy', 'Ran last at ' .. last)
