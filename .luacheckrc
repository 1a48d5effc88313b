-- Argo CD runs each script with few libraries (src/programs/lua-script.ts), and puts what scripts share in front of it.
max_line_length = 160
std = {
  read_globals = { 'error', 'ipairs', 'next', 'pairs', 'tonumber', 'tostring', 'type' },
  globals = { obj = { other_fields = true, read_only = false } },
}

local shared = {
  'field', 'text', 'list', 'status', 'queue', 'condition', 'is', 'generation', 'answer', 'because', 'isOlder', 'unseen', 'held', 'actions', 'offer',
}
local parameters = { 'path', 'wanted', 'whenHeld', 'isOfKueue', 'hasEnded', 'isImpossible', 'hasFailed', 'forgotten', 'copyOf' }
for _, name in ipairs(shared) do
  parameters[#parameters + 1] = name
end

files['src/programs/argo-cd/health'] = { read_globals = shared }
files['src/programs/argo-cd/actions'] = { read_globals = parameters }
-- Each paragraph is for scripts that it is put in front of.
files['src/programs/argo-cd/shared.lua'] = { ignore = { '211', '241' } }
files['src/programs/argo-cd/actions/retry-copy.lua'] = { ignore = { '211' } }
files['test/programs'] = { std = 'lua53', read_globals = { 'scripts', 'same', 'run', 'fails', 'test' }, globals = { 'obj' } }
files['test/programs/support'] = { ignore = { '211' } }
