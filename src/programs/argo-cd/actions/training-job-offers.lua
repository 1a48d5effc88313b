-- Parameter: hasEnded.
local isSuspended = field(obj, 'spec', 'suspend') == true
local isIdle = status.phase == 'Suspended' and field(status, 'idle', 'suspended') ~= nil
local isFree = queue == '' and not hasEnded
offer('suspend', isFree and not isSuspended, 'pause')
offer('resume', isFree and (isSuspended or isIdle), 'play')
