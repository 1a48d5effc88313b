/**
 * What the scripts share. Argo CD runs each script alone, so that what they have in common is put in front of each of them.
 *
 * Argo CD's interpreter is gopher-lua (Lua 5.1) with the libraries `base`, `table` and `package` and an `os` that tells the time: no `string`, and so
 * no methods of strings, no `math`. Objects come from anybody: nothing is taken to be there, or to be of the type that a definition says, for a
 * script that raises an error leaves an Application without health.
 * @see https://github.com/argoproj/argo-cd/blob/v3.5.1/util/lua/lua.go (runLua)
 */
import { QUEUE_NAME_LABEL } from '../../model/kueue-names';
import { expressionOf } from '../../model/text/expressions';

/** What scripts may use: each name with its text, behind what it uses itself. A script has in front of it what it uses, and nothing else. */
const PRELUDE: readonly (readonly [name: string, lua: string])[] = [
  ['field', `
local function field(object, ...)
  local found = object
  for _, name in ipairs({...}) do
    if type(found) ~= 'table' then return nil end
    found = found[name]
  end
  return found
end`],
  ['text', `
local function text(value)
  if type(value) == 'string' then return value end
  if type(value) == 'number' then return tostring(value) end
  return ''
end`],
  ['list', `
local function list(value)
  if type(value) == 'table' then return value end
  return {}
end`],
  ['status', `
local status = list(field(obj, 'status'))`],
  ['queue', `
local queue = text(field(obj, 'metadata', 'labels', '${QUEUE_NAME_LABEL}'))`],
  ['condition', `
local function condition(kind)
  for _, each in ipairs(list(status.conditions)) do
    if type(each) == 'table' and each.type == kind then return each end
  end
  return nil
end`],
  ['is', `
local function is(kind, value)
  return field(condition(kind), 'status') == value
end`],
  ['generation', `
local generation = tonumber(text(field(obj, 'metadata', 'generation')))`],
  ['answer', `
local function answer(health, message)
  return { status = health, message = message }
end`],
  ['because', `
local function because(words, cause)
  for _, name in ipairs({ 'reason', 'message' }) do
    local word = text(field(cause, name))
    if word ~= '' then words = words .. ': ' .. word end
  end
  return words
end`],
  ['isOlder', `
local function isOlder(seen)
  local number = tonumber(text(field(seen, 'observedGeneration')))
  return generation ~= nil and number ~= nil and number < generation
end`],
  ['unseen', `
local function unseen(controller)
  if next(status) == nil then return answer('Progressing', controller .. ' has not seen the object yet') end
  if isOlder(status) then return answer('Progressing', controller .. ' has not acted on the last change yet') end
  return nil
end`],
  ['held', `
local function held(suspended, cause)
  if queue ~= '' then return answer('Suspended', because('Waits in queue ' .. queue .. ' for admission', cause)) end
  if suspended ~= true then return answer('Progressing', 'Is being resumed') end
  return answer('Suspended', because('Suspended', cause))
end`],
  ['offer', `
local actions = {}
local function offer(name, isPossible, icon)
  actions[name] = { disabled = not isPossible, iconClass = 'fa fa-fw fa-' .. icon }
end`],
];

/** A health check as Argo CD runs it. @param body ends with the answer, on every way through it */
export function healthScript(body: string): string {
  return script(body);
}

/** A script that says which actions there are: it offers each of them. */
export function discoveryScript(offers: string): string {
  return script(`${offers}\nreturn actions`);
}

/** A script that carries an action out. */
export function actionScript(body: string): string {
  return script(body);
}

function script(body: string): string {
  const parts = [body.trim()];
  for (const [name, lua] of [...PRELUDE].reverse()) {
    if (parts.some((part) => expressionOf(`(?<!\\.)\\b${name}\\b`).test(part.replace(TEXTS, '\'\'')))) {
      parts.unshift(lua.trim());
    }
  }
  return `${parts.join('\n')}\n`;
}

/** Texts of Lua: a word in them is none of the script's. */
const TEXTS = /'(\\.|[^'\\])*'/g;

/** A text as Lua writes it. */
export function luaText(text: string): string {
  return `'${text.replace(/\\/g, '\\\\').replace(/'/g, '\\\'').replace(/\n/g, '\\n')}'`;
}

/** Names as a set: `{ ['A'] = true }`. */
export function luaSet(names: readonly string[]): string {
  return `{ ${names.map((name) => `[${luaText(name)}] = true`).join(', ')} }`;
}
