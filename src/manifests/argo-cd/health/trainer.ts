/** Health of TrainJob (Kubeflow Trainer v2) and of JobSet, which carries it out. Neither has an observedGeneration. */
import { healthScript } from '../lua';

/** @see https://github.com/kubeflow/trainer/blob/v2.3.0/pkg/apis/trainer/v1alpha1/trainjob_types.go */
export const TRAIN_JOB_HEALTH = healthScript(`
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
`);

/** @see https://github.com/kubernetes-sigs/jobset/blob/v0.12.0/api/jobset/v1alpha2/jobset_types.go */
export const JOB_SET_HEALTH = healthScript(`
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
`);
