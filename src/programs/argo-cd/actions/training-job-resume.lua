-- Parameter: hasEnded. A label of Kueue on the job itself means that Kueue, and not our operator, has it in its queue.
if queue ~= '' then error('Kueue suspends and resumes what is in queue ' .. queue) end
if hasEnded then error('it has ended; see the action retry') end
obj.spec = obj.spec or {}
if obj.spec.suspend == true then
  obj.spec.suspend = false
  return obj
end
obj.metadata.annotations = obj.metadata.annotations or {}
local before = tonumber(text(obj.metadata.annotations['ml.collabnix.io/resume'])) or 0
obj.metadata.annotations['ml.collabnix.io/resume'] = tostring(before + 1)
return obj
