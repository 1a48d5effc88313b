-- Parameters: hasFailed; forgotten, the paths of the spec that a new object has not. Behind retry-copy.lua. Makes a new object beside the one that has
-- failed, which goes when the first one goes.
if queue ~= '' then error('what is in queue ' .. queue .. ' has fields of its last admission: create it again from its source') end
if not hasFailed then error('it has not failed') end
local copy, problem = copyOf(field(obj, 'spec'), 'spec')
if problem ~= nil then error('its spec has an empty object, ' .. problem .. ', which Argo CD cannot write: create it again from its source') end
local function forget(place, path, index)
  local inner = field(place, path[index])
  if inner ~= nil and index == #path then place[path[index]] = nil end
  if type(inner) == 'table' and index < #path then
    forget(inner, path, index + 1)
    if next(inner) == nil then place[path[index]] = nil end
  end
end
for _, path in ipairs(forgotten) do forget(copy, path, 1) end
-- What Argo CD and others wrote about the first one.
local notCopied = {
  ['argocd.argoproj.io/tracking-id'] = true, ['argocd.argoproj.io/installation-id'] = true, ['argocd.argoproj.io/hook'] = true,
  ['argocd.argoproj.io/hook-delete-policy'] = true, ['argocd.argoproj.io/sync-wave'] = true, ['argocd.argoproj.io/sync-options'] = true,
  ['argocd.argoproj.io/compare-options'] = true, ['argocd.argoproj.io/refresh'] = true, ['kubectl.kubernetes.io/last-applied-configuration'] = true,
  ['app.kubernetes.io/instance'] = true, ['ml.collabnix.io/resume'] = true, ['trainyard.dev/retries'] = true, ['trainyard.dev/retry-of'] = true,
}
local function kept(values)
  local copies = {}
  for name, value in pairs(list(values)) do
    if not notCopied[name] then copies[name] = value end
  end
  return copies
end
local number = (tonumber(text(field(obj, 'metadata', 'annotations', 'trainyard.dev/retries'))) or 0) + 1
local retry = { apiVersion = obj.apiVersion, kind = obj.kind, spec = copy }
retry.metadata = { name = obj.metadata.name .. '-retry-' .. tostring(number), namespace = obj.metadata.namespace }
local labels = kept(obj.metadata.labels)
if next(labels) ~= nil then retry.metadata.labels = labels end
retry.metadata.annotations = kept(obj.metadata.annotations)
retry.metadata.annotations['trainyard.dev/retry-of'] = obj.metadata.name
local owner = { apiVersion = obj.apiVersion, kind = obj.kind, name = obj.metadata.name, uid = obj.metadata.uid }
retry.metadata.ownerReferences = { owner }
obj.metadata.annotations = obj.metadata.annotations or {}
obj.metadata.annotations['trainyard.dev/retries'] = tostring(number)
return {
  { operation = 'create', resource = retry },
  { operation = 'patch', resource = obj },
}
