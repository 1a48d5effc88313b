-- Parameters: path, whenHeld; isOfKueue, hasEnded, isImpossible.
local now = obj
for _, name in ipairs(path) do now = field(now, name) end
local isHeld = now == whenHeld
local isFree = not (isOfKueue and queue ~= '') and not hasEnded and not isImpossible
offer('suspend', isFree and not isHeld, 'pause')
offer('resume', isFree and isHeld, 'play')
