-- What tests in Lua share. obj is the scripts of Argo CD by their names: a script runs with an object as obj.
local scripts, results = obj, {}

local function written(value)
  if type(value) ~= 'table' then return tostring(value) end
  local keys, parts = {}, {}
  for key in pairs(value) do keys[#keys + 1] = key end
  table.sort(keys, function(one, other) return tostring(one) < tostring(other) end)
  for _, key in ipairs(keys) do parts[#parts + 1] = tostring(key) .. ' = ' .. written(value[key]) end
  return '{ ' .. table.concat(parts, ', ') .. ' }'
end

local function same(found, wanted)
  if written(found) ~= written(wanted) then error('is ' .. written(found) .. ' and should be ' .. written(wanted), 0) end
end

-- What a script answers to an object.
local function run(name, object)
  obj = object
  return assert(load(scripts[name], name))()
end

local function fails(words, name, object)
  local isDone, problem = pcall(run, name, object)
  if isDone then error(name .. ' should have failed', 0) end
  if tostring(problem):find(words, 1, true) == nil then error('fails with ' .. tostring(problem), 0) end
end

local function test(name, body)
  local isDone, problem = pcall(body)
  results[#results + 1] = { name = name, problem = isDone and '' or tostring(problem) }
end
