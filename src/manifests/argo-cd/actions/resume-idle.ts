/**
 * MLTrainingJob is also suspended by our operator, when it leaves its accelerators unused (`spec.idle`): that stands in the status, and ends when an
 * annotation of the job gets another value. So its `resume` has two ways, and its own offers.
 */
import type { ActionPart } from './action';
import { actionScript } from '../lua';
import { RESUME_ANNOTATION } from '../../../model/labels';

const HAS_ENDED = 'status.phase == \'Completed\' or status.phase == \'Failed\'';

/** A label of Kueue on the job itself means that Kueue, and not our operator, has it in its queue. */
const OF_KUEUE = 'if queue ~= \'\' then error(\'Kueue suspends and resumes what is in queue \' .. queue) end';

/** Suspend and resume for MLTrainingJob. A job in `spec.scheduling.queueName` is suspended as any other: our operator leaves the queue for it. */
export const TRAINING_JOB_SUSPENSION: ActionPart = {
  offers: `
local isSuspended = field(obj, 'spec', 'suspend') == true
local isIdle = status.phase == 'Suspended' and field(status, 'idle', 'suspended') ~= nil
local isFree = queue == '' and not (${HAS_ENDED})
offer('suspend', isFree and not isSuspended, 'pause')
offer('resume', isFree and (isSuspended or isIdle), 'play')`,
  actions: [
    { name: 'suspend', lua: actionScript(`${OF_KUEUE}\nif ${HAS_ENDED} then error('it has ended') end\nobj.spec = obj.spec or {}\nobj.spec.suspend = true\nreturn obj`) },
    { name: 'resume', lua: actionScript(`${OF_KUEUE}
if ${HAS_ENDED} then error('it has ended; see the action retry') end
obj.spec = obj.spec or {}
if obj.spec.suspend == true then
  obj.spec.suspend = false
  return obj
end
obj.metadata.annotations = obj.metadata.annotations or {}
local before = tonumber(text(obj.metadata.annotations['${RESUME_ANNOTATION}'])) or 0
obj.metadata.annotations['${RESUME_ANNOTATION}'] = tostring(before + 1)
return obj`) },
  ],
};
