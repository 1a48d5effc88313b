-- What scripts for Argo CD share. Paragraphs: each defines a name, and a script has in front of it those that it uses.

local function field(object, ...)
  local found = object
  for _, name in ipairs({...}) do
    if type(found) ~= 'table' then return nil end
    found = found[name]
  end
  return found
end

local function text(value)
  if type(value) == 'string' then return value end
  if type(value) == 'number' then return tostring(value) end
  return ''
end

local function list(value)
  if type(value) == 'table' then return value end
  return {}
end

local status = list(field(obj, 'status'))

local queue = text(field(obj, 'metadata', 'labels', 'kueue.x-k8s.io/queue-name'))

local function condition(kind)
  for _, each in ipairs(list(status.conditions)) do
    if type(each) == 'table' and each.type == kind then return each end
  end
  return nil
end

local function is(kind, value)
  return field(condition(kind), 'status') == value
end

local generation = tonumber(text(field(obj, 'metadata', 'generation')))

local function answer(health, message)
  return { status = health, message = message }
end

local function because(words, cause)
  for _, name in ipairs({ 'reason', 'message' }) do
    local word = text(field(cause, name))
    if word ~= '' then words = words .. ': ' .. word end
  end
  return words
end

local function isOlder(seen)
  local number = tonumber(text(field(seen, 'observedGeneration')))
  return generation ~= nil and number ~= nil and number < generation
end

local function unseen(controller)
  if next(status) == nil then return answer('Progressing', controller .. ' has not seen the object yet') end
  if isOlder(status) then return answer('Progressing', controller .. ' has not acted on the last change yet') end
  return nil
end

local function held(suspended, cause)
  if queue ~= '' then return answer('Suspended', because('Waits in queue ' .. queue .. ' for admission', cause)) end
  if suspended ~= true then return answer('Progressing', 'Is being resumed') end
  return answer('Suspended', because('Suspended', cause))
end

local actions = {}

local function offer(name, isPossible, icon)
  actions[name] = { disabled = not isPossible, iconClass = 'fa fa-fw fa-' .. icon }
end
