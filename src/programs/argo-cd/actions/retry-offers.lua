-- Parameter: hasFailed. Behind retry-copy.lua.
local spec, problem = copyOf(field(obj, 'spec'), 'spec')
offer('retry', queue == '' and type(spec) == 'table' and problem == nil and hasFailed, 'redo')
