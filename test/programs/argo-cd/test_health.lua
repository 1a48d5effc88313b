-- Kinds and states; the objects of real controllers are in test/manifests/argo-cd.
local function conditions(...)
  local list = {}
  for _, kind in ipairs({...}) do list[#list + 1] = { type = kind, status = 'True', reason = 'R' } end
  return { conditions = list }
end

local function with(status, more)
  for key, value in pairs(more) do status[key] = value end
  return status
end

local cases = {
  { 'MLTrainingJob', { phase = 'Completed' }, 'Healthy' }, { 'MLTrainingJob', { phase = 'Failed' }, 'Degraded' },
  { 'MLTrainingJob', { phase = 'Suspended' }, 'Suspended' }, { 'MLTrainingJob', { phase = 'Running', ready = '1/2' }, 'Progressing' },
  { 'TrainJob', conditions('Complete'), 'Healthy' }, { 'TrainJob', conditions('Failed'), 'Degraded' }, { 'TrainJob', {}, 'Progressing' },
  { 'JobSet', { terminalState = 'Completed' }, 'Healthy' }, { 'JobSet', { terminalState = 'Failed' }, 'Degraded' },
  { 'PyTorchJob', conditions('Succeeded'), 'Healthy' }, { 'PyTorchJob', conditions('Running'), 'Progressing' },
  { 'PyTorchJob', conditions('Failed'), 'Degraded' },
  { 'ClusterQueue', conditions('Active'), 'Healthy' },
  { 'ClusterQueue', { conditions = { { type = 'Active', status = 'False', reason = 'Stopped' } } }, 'Suspended' },
  { 'ClusterQueue', { conditions = { { type = 'Active', status = 'False', reason = 'FlavorNotFound' } } }, 'Degraded' },
  { 'Workload', conditions('Admitted'), 'Healthy' },
  { 'Workload', { conditions = { { type = 'QuotaReserved', status = 'False', reason = 'NoMatchingFlavor' } } }, 'Degraded' },
  { 'RayJob', { jobDeploymentStatus = 'Complete', jobStatus = 'SUCCEEDED' }, 'Healthy' },
  { 'RayJob', { jobDeploymentStatus = 'Complete', jobStatus = 'STOPPED' }, 'Degraded' },
  { 'RayCluster', with(conditions('RayClusterProvisioned'), { readyWorkerReplicas = 2, desiredWorkerReplicas = 2 }), 'Healthy' },
  { 'RayCluster', { state = 'failed' }, 'Degraded' },
  { 'RayService', with(conditions('Ready'), { activeServiceStatus = { applicationStatuses = { a = { status = 'UNHEALTHY' } } } }), 'Degraded' },
  { 'RayCronJob', {}, 'Healthy' }, { 'LLMInferenceService', conditions('Ready'), 'Healthy' },
  { 'LLMInferenceService', { conditions = { { type = 'X', status = 'False', reason = 'RefsInvalid' } } }, 'Degraded' },
  { 'Application', { sync = { status = 'Synced' }, health = { status = 'Degraded' } }, 'Degraded' }, { 'Application', {}, 'Progressing' },
  { 'Application', { sync = { status = 'OutOfSync' }, operationState = { phase = 'Failed', message = 'M' } }, 'Degraded' },
}

for number, case in ipairs(cases) do
  local kind, status, health = case[1], case[2], case[3]
  test(kind .. ' is ' .. health .. ' (' .. number .. ')', function()
    same(run(kind .. ' health', { metadata = { name = 'a' }, status = status }).status, health)
  end)
end

test('of several applications that failed the first by name is told', function()
  local failed = { applicationStatuses = { b = { status = 'UNHEALTHY' }, a = { status = 'DEPLOY_FAILED', message = 'M' } } }
  same(run('RayService health', { status = { pendingServiceStatus = failed } }).message, 'Application a is DEPLOY_FAILED: M')
end)
