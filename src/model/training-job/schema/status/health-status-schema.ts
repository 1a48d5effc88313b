/** Schemas of the status' parts that speak of hung and sick jobs. */
import { boolean, integer, list, object, time, type JsonSchema } from '../json-schema';
import { MAX_STACK_DUMPS, type IdleStatus, type IdleSuspension, type PreflightStatus, type StackDump } from '../../status/health-status';

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
