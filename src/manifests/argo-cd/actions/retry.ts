/**
 * Trying a job again that has failed. No controller of these kinds starts a job again that has ended, so the action makes a new one beside it, with
 * the same spec and the name `NAME-retry-1`, `-2`, ..., which goes when the first one goes.
 *
 * Lua has one kind of table, and Argo CD writes an empty one as a list: an empty object of a spec would arrive as `[]`. Those that mean the same when
 * they are left out are left out, and with any other one the action is not offered. Nor is it for jobs in a queue of Kueue's own, whose pod templates
 * have node selectors and tolerations of the last admission in them that cannot be told from the user's.
 */
import type { ActionPart } from './action';
import { actionScript, luaSet } from '../lua';
import {
  ARGO_CD_PREFIX, HOOK_ANNOTATION, HOOK_DELETE_POLICY_ANNOTATION, SYNC_OPTIONS_ANNOTATION, SYNC_WAVE_ANNOTATION,
} from '../../../model/argo-cd/annotations';
import { RESUME_ANNOTATION } from '../../../model/labels';

/** On the job that failed: how many were made of it. */
export const RETRIES_ANNOTATION = 'trainyard.dev/retries';

/** On the new one: what it is a retry of. */
export const RETRY_OF_ANNOTATION = 'trainyard.dev/retry-of';

/** Empty, these say the same as when they are missing. */
const MEAN_NOTHING = [
  'resources', 'limits', 'requests', 'securityContext', 'metadata', 'labels', 'annotations', 'nodeSelector', 'tolerations', 'volumes', 'volumeMounts',
  'env', 'envFrom', 'args', 'command', 'initContainers', 'imagePullSecrets', 'ports', 'status', 'runPolicy', 'rayStartParams', 'headService',
  'runtimePatches', 'scaleStrategy',
];

/** What Argo CD and others wrote about the first one. */
const NOT_COPIED = [
  ...['tracking-id', 'installation-id'].map((name) => `${ARGO_CD_PREFIX}${name}`),
  HOOK_ANNOTATION, HOOK_DELETE_POLICY_ANNOTATION, SYNC_WAVE_ANNOTATION, SYNC_OPTIONS_ANNOTATION,
  ...['compare-options', 'refresh'].map((name) => `${ARGO_CD_PREFIX}${name}`),
  'kubectl.kubernetes.io/last-applied-configuration', 'app.kubernetes.io/instance', RESUME_ANNOTATION, RETRIES_ANNOTATION, RETRY_OF_ANNOTATION,
];

/** A copy without what cannot be written; nil, and the name of a table, where that would be something else. */
const COPY = `
local meansNothing = ${luaSet(MEAN_NOTHING)}
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
end`;

/** How a kind is tried again. */
export interface Retry {
  /** Lua that is true of an object that has failed. */
  readonly failed: string;
  /** Lua that changes `copy`, the new spec. @default - nothing has to be changed */
  readonly prepare?: string;
}

/** The action. */
export function retryAction({ failed, prepare = '' }: Retry): ActionPart {
  return {
    offers: `${COPY}
local spec, problem = copyOf(field(obj, 'spec'), 'spec')
offer('retry', queue == '' and type(spec) == 'table' and problem == nil and (${failed}), 'redo')`,
    actions: [{
      name: 'retry',
      lua: actionScript(`${COPY}
if queue ~= '' then error('what is in queue ' .. queue .. ' has fields of its last admission: create it anew from its source') end
if not (${failed}) then error('it has not failed') end
local copy, problem = copyOf(field(obj, 'spec'), 'spec')
if problem ~= nil then error('its spec has an empty object, ' .. problem .. ', which Argo CD cannot write: create it anew from its source') end
${prepare}
local notCopied = ${luaSet(NOT_COPIED)}
local function kept(values)
  local copies = {}
  for name, value in pairs(list(values)) do
    if not notCopied[name] then copies[name] = value end
  end
  return copies
end
local number = (tonumber(text(field(obj, 'metadata', 'annotations', '${RETRIES_ANNOTATION}'))) or 0) + 1
local retry = { apiVersion = obj.apiVersion, kind = obj.kind, spec = copy }
retry.metadata = { name = obj.metadata.name .. '-retry-' .. tostring(number), namespace = obj.metadata.namespace }
local labels = kept(obj.metadata.labels)
if next(labels) ~= nil then retry.metadata.labels = labels end
retry.metadata.annotations = kept(obj.metadata.annotations)
retry.metadata.annotations['${RETRY_OF_ANNOTATION}'] = obj.metadata.name
local owner = { apiVersion = obj.apiVersion, kind = obj.kind, name = obj.metadata.name, uid = obj.metadata.uid }
retry.metadata.ownerReferences = { owner }
obj.metadata.annotations = obj.metadata.annotations or {}
obj.metadata.annotations['${RETRIES_ANNOTATION}'] = tostring(number)
return {
  { operation = 'create', resource = retry },
  { operation = 'patch', resource = obj },
}`),
    }],
  };
}
