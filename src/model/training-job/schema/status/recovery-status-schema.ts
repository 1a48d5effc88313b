/** Schemas of the parts of the status that recovery from failures needs. */
import { boolean, integer, list, listByKey, object, time, type JsonSchema, type SchemaFields } from '../json-schema';
import {
  MAX_STACK_DUMPS, MAX_SUSPECT_NODES, RESTART_CAUSES, type IdleStatus, type IdleSuspension, type PreflightStatus, type ProvisionalFailure,
  type RestartRecord, type StackDump, type StuckStart, type SuspectNode,
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

/** Schema of `lastFailure.stackDumps`. */
export function stackDumpsSchema(): JsonSchema {
  return list('Stacks of replicas when their pods were removed; replicas with the same stacks share one entry.', object<StackDump>('Stacks.', {
    role: text('Role of the replicas.'),
    indexes: text('Indexes of the replicas as intervals, such as 0-3,7.'),
    pod: text('Pod that the stacks are taken from.'),
    stacks: text('Stacks of its Python processes, the main thread of each first.'),
  }, { required: ['role', 'indexes', 'pod', 'stacks'] }), MAX_STACK_DUMPS);
}

/** Schema of PreflightStatus. */
export function preflightStatusSchema(): JsonSchema {
  return object<PreflightStatus>('Checks before training that failed.', {
    failures: integer('How many, in a row.', { minimum: 0 }),
    unexplained: boolean('Whether rank 0 has yet to report which ranks are missing.'),
  }, { required: ['failures'] });
}

/** Schema of IdleStatus. */
export function idleStatusSchema(): JsonSchema {
  return object<IdleStatus>('Underused accelerators.', {
    since: time('Since when.'),
    percent: integer('Utilization in percent at the last measurement.', { minimum: 0, maximum: 100 }),
    suspended: object<IdleSuspension>('The job is suspended for it, until one of these values changes.', {
      generation: integer('Generation of the job at that time.', { format: 'int64' }),
      resume: text('Value of the annotation ml.collabnix.io/resume at that time.'),
    }, { required: ['generation'] }),
  }, { required: ['since', 'percent'] });
}
