-- Parameters: path, wanted; isOfKueue, hasEnded, isImpossible. What Kueue suspends stays Kueue's: it would take the quota from somebody else, or give
-- back what it has not got.
if isOfKueue and queue ~= '' then error('Kueue suspends and resumes what is in queue ' .. queue) end
if hasEnded then error('it has ended') end
if isImpossible then error('it cannot be suspended') end
local place = obj
for index = 1, #path - 1 do
  place[path[index]] = place[path[index]] or {}
  place = place[path[index]]
end
place[path[#path]] = wanted
return obj
