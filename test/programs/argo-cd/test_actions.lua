local queued = { labels = { ['kueue.x-k8s.io/queue-name'] = 'q' } }

test('a field is set, with the objects on the way to it', function()
  same(run('PyTorchJob suspend', { metadata = {} }).spec, { runPolicy = { suspend = true } })
  same(run('TrainJob resume', { metadata = {}, spec = { suspend = true, other = 1 } }).spec, { suspend = false, other = 1 })
  same(run('ClusterQueue suspend', {}).spec, { stopPolicy = 'Hold' })
  same(run('LLMInferenceService suspend', {}).metadata, { annotations = { ['serving.kserve.io/stop'] = 'true' } })
end)

test('what has ended, or is of a queue, is not suspended', function()
  fails('it has ended', 'TrainJob suspend', { status = { conditions = { { type = 'Complete', status = 'True' } } } })
  fails('Kueue suspends and resumes what is in queue q', 'TrainJob suspend', { metadata = queued })
  same(run('Workload suspend', { metadata = queued }).spec, { active = false })
end)

test('actions are offered when they make sense', function()
  local offered = run('TrainJob discovery', { metadata = {}, spec = { suspend = true } })
  same({ offered.suspend.disabled, offered.resume.disabled, offered.retry.disabled }, { true, false, true })
  same(run('TrainJob discovery', { metadata = queued, spec = {} }).suspend.disabled, true)
end)

test('an idle job is resumed by an annotation', function()
  local resumed = run('MLTrainingJob resume', { metadata = { annotations = { ['ml.collabnix.io/resume'] = '4' } }, spec = {} })
  same(resumed.metadata.annotations, { ['ml.collabnix.io/resume'] = '5' })
end)

local function failed(spec, metadata)
  metadata.name = 'a'
  return { kind = 'PyTorchJob', spec = spec, metadata = metadata, status = { conditions = { { type = 'Failed', status = 'True' } } } }
end

test('a retry is a new object without what others wrote, and belongs to the first one', function()
  local made = run('PyTorchJob retry', failed({ runPolicy = { suspend = true }, x = { limits = {}, emptyDir = {} } }, {
    uid = 'U', annotations = { mine = '1', ['argocd.argoproj.io/tracking-id'] = 't', ['trainyard.dev/retries'] = '1' },
  }))
  local retry = made[1].resource
  same({ retry.metadata.name, retry.metadata.ownerReferences[1].uid, made[2].operation }, { 'a-retry-2', 'U', 'patch' })
  same(retry.metadata.annotations, { mine = '1', ['trainyard.dev/retry-of'] = 'a' })
  same(retry.spec, { x = { emptyDir = { medium = '' } } })
  same(made[2].resource.metadata.annotations['trainyard.dev/retries'], '2')
end)

test('an empty object that means something is not copied', function()
  fails('its spec has an empty object, elastic', 'PyTorchJob retry', failed({ elastic = {} }, {}))
  fails('it has not failed', 'PyTorchJob retry', { metadata = { name = 'a' }, spec = { x = 1 } })
end)
