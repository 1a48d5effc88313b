/** Schemas of the parts of the status that recovery from failures needs. */
import { boolean, integer, listByKey, object, time, type JsonSchema, type SchemaFields } from '../json-schema';
import {
  MAX_SUSPECT_NODES, RESTART_CAUSES, type ProvisionalFailure, type RestartRecord, type StuckStart, type SuspectNode,
} from '../../status/recovery-status';

/** Fields that these schemas are for. */
export type RecoveryField = 'containerRestarts' | 'stuckStart' | 'provisionalFailure' | 'suspectNodes' | 'lostSeconds' | 'lostSince' | 'lastRestart';

/** One schema for each. */
export function recoveryStatusFields(): SchemaFields & { readonly [field in RecoveryField]: JsonSchema } {
  return {
    containerRestarts: integer('Container failures in the current pods, all already counted.', { minimum: 0 }),
    stuckStart: object<StuckStart>('The pod that has been unable to start for longest.', {
      pod: text('Its name.'),
      uid: text('Its uid.'),
      reason: text('Why it cannot start.'),
      since: time('Since when.'),
    }, { required: ['pod', 'uid', 'reason', 'since'] }),
    provisionalFailure: object<ProvisionalFailure>('A failure that is not counted until all ranks\' nodes have reported.', {
      attempt: integer('The attempt that failed.', { minimum: 0 }),
      time: time('When it was noted.'),
      pod: text('The pod that failed.'),
      node: text('Its node.'),
      reason: text('Why it failed.'),
      puts: { type: 'string', description: 'What is postponed until the verdict.', enum: ['Restart', 'End'] },
      speaksOfNode: boolean('Whether it makes its node suspect if it counts.'),
      count: integer('How many failures wait for this verdict.', { minimum: 0 }),
      lastTime: time('When the last of them was noted.'),
    }, { required: ['attempt', 'time', 'pod', 'reason', 'puts'] }),
    suspectNodes: listByKey('Nodes on which the job has failed.', 'node', object<SuspectNode>('A node.', {
      node: text('Its name.'),
      failures: integer('Counted failures that began there.', { minimum: 0 }),
      time: time('When the last of them was.'),
      reason: text('Reason of the last of them.'),
      avoided: boolean('Whether new pods avoid the node.'),
    }, { required: ['node', 'failures', 'time', 'reason', 'avoided'] }), MAX_SUSPECT_NODES),
    lostSeconds: integer('Seconds lost to restarts: from the last checkpoint to the moment at which all replicas ran again.', { minimum: 0 }),
    lostSince: time('While the job is not back from a restart: since when time is lost.'),
    lastRestart: object<RestartRecord>('The last restart and what it has cost.', {
      time: time('When it was decided on.'),
      cause: { type: 'string', description: 'What caused it.', enum: RESTART_CAUSES },
      reason: text('Reason of the failure behind it.'),
      lostSeconds: integer('Seconds that it has cost.', { minimum: 0 }),
    }, { required: ['time', 'cause'] }),
  };
}

function text(description: string): JsonSchema {
  return { type: 'string', description };
}
