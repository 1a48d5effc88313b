-- A copy without what cannot be written; nil, and the name of a table, where that would be something else. Lua has one kind of table, and Argo CD writes
-- an empty one as a list. Those of these names mean the same when they are left out.
local meansNothing = {
  resources = true, limits = true, requests = true, securityContext = true, metadata = true, labels = true, annotations = true, nodeSelector = true,
  tolerations = true, volumes = true, volumeMounts = true, env = true, envFrom = true, args = true, command = true, initContainers = true,
  imagePullSecrets = true, ports = true, status = true, runPolicy = true, rayStartParams = true, headService = true, runtimePatches = true,
  scaleStrategy = true,
}
local function copyOf(value, name)
  if type(value) ~= 'table' then return value end
  if next(value) == nil then
    if name == 'emptyDir' then return { medium = '' } end
    if meansNothing[name] then return nil end
    return nil, text(name)
  end
  local copy = {}
  for key, each in pairs(value) do
    local its, problem = copyOf(each, key)
    if problem ~= nil then return nil, problem end
    copy[key] = its
  end
  if next(copy) == nil then return copyOf(copy, name) end
  return copy
end
