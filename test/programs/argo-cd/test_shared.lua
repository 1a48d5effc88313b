local function shared(names, object)
  obj = object
  return assert(load(scripts.shared .. '\nreturn ' .. names))()
end

test('a field is nil where anything on the way is missing or is no object', function()
  local field = shared('field', {})
  same(field({ a = { b = 1 } }, 'a', 'b'), 1)
  same(field({ a = 'text' }, 'a', 'b'), nil)
  same(field(nil, 'a'), nil)
  same(field({ a = false }, 'a'), false)
end)

test('texts are texts whatever they are', function()
  local text = shared('text', {})
  same({ text('a'), text(3), text(nil), text({}), text(true) }, { 'a', '3', '', '', '' })
end)

test('a condition is found among whatever is in the list', function()
  local condition, is = shared('condition, is', { status = { conditions = { 'text', { type = 'Ready', status = 'True' } } } })
  same(condition('Ready').status, 'True')
  same({ is('Ready', 'True'), is('Ready', 'False'), is('Other', 'True') }, { true, false, false })
end)

test('an object without a status has no conditions', function()
  local condition = shared('condition', { status = 'text' })
  same(condition('Ready'), nil)
end)

test('words have their cause behind them as far as there is one', function()
  local because = shared('because', {})
  same(because('Failed', { reason = 'R', message = 'M' }), 'Failed: R: M')
  same(because('Failed', nil), 'Failed')
end)

test('a status of an older generation has not been seen', function()
  local unseen, isOlder = shared('unseen, isOlder', { metadata = { generation = 2 }, status = { observedGeneration = 1 } })
  same(unseen('K').message, 'K has not acted on the last change yet')
  same({ isOlder({ observedGeneration = 2 }), isOlder({}) }, { false, false })
end)

test('what waits in a queue is suspended, and what is being resumed is not', function()
  local waiting = shared('held', { metadata = { labels = { ['kueue.x-k8s.io/queue-name'] = 'q' } } })
  same(waiting(true, nil), { status = 'Suspended', message = 'Waits in queue q for admission' })
  local held = shared('held', {})
  same(held(false, nil).status, 'Progressing')
  same(held(true, { reason = 'R' }).message, 'Suspended: R')
end)
