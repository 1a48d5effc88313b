-- From what our operator writes (operator/training/plan). A job that has ended stays as it is, whatever is written into its spec afterwards: so the end
-- is looked at before the generation. In a queue of Kueue it is the operator that waits, and spec.suspend is the user's.
local phase = status.phase
if phase == 'Completed' then return answer('Healthy', because('Completed', condition('Succeeded'))) end
if phase == 'Failed' then return answer('Degraded', because('Failed', condition('Failed'))) end
local early = unseen('The operator')
if early ~= nil then return early end
if phase == 'Suspended' then return answer('Suspended', because('Suspended', condition('Suspended'))) end
local admitted = condition('Admitted')
if is('Admitted', 'False') then
  local name = text(field(obj, 'spec', 'scheduling', 'queueName'))
  local triedAgain = {
    KueueMissing = true, WorkloadRefused = true, PriorityClassMissing = true, QueueNotReadable = true, GangSchedulerMissing = true,
  }
  if triedAgain[text(admitted.reason)] then return answer('Progressing', because('Is not in queue ' .. name .. ' yet', admitted)) end
  return answer('Suspended', because('Waits in queue ' .. name .. ' for admission', admitted))
end
if is('Created', 'False') then return answer('Progressing', because('Pods cannot be made yet', condition('Created'))) end
if phase == 'Restarting' then return answer('Progressing', because('Restarting', condition('Restarting'))) end
if phase == 'Running' then
  local words = 'Running, ' .. text(status.ready) .. ' replicas'
  local percent = text(field(status, 'trainerStatus', 'progressPercentage'))
  if percent ~= '' then words = words .. ', ' .. percent .. ' %' end
  if is('Idle', 'True') then words = because(words, condition('Idle')) end
  return answer('Progressing', words)
end
return answer('Progressing', because('Pending', condition('Running')))
