/** The parts of a job's status that its recovery needs, and those about hung and idle jobs. Each is bounded, whatever the number of replicas. */
import { boolean, count, integer, list, listByKey, object, percentage, text, time, word, type ValueOf } from '../schema/status-fields';

/** Most entries of `status.suspectNodes`; the one that failed longest ago gives way. */
export const MAX_SUSPECT_NODES = 10;

/** Why a job was started again: by a failure of its own, by the cluster, or by a rule of the operator. */
export const RESTART_CAUSES = ['Failure', 'Disruption', 'Stall', 'Preflight', 'Scaling', 'Other'] as const;

/** One of {@link RESTART_CAUSES}. */
export type RestartCause = (typeof RESTART_CAUSES)[number];

/** Most entries of `stackDumps`. */
export const MAX_STACK_DUMPS = 4;

/** Most characters of one entry's stacks. */
export const STACKS_MAX_LENGTH = 2048;

/** As far as it was watched. The reason is `ImagePullFailed`, `ContainerConfigError` or `ContainerStartFailed`. */
const stuckStart = () => object('The pod that has been unable to start for longest.', {
  pod: text('Its name.'),
  uid: text('Its uid.'),
  reason: text('Why it cannot start.'),
  since: time('Since when.'),
}, ['pod', 'uid', 'reason', 'since']);

/** The node of another rank may be lost, and the cause of it. The job is started again at once; where it would end, the end is put off. */
const provisionalFailure = () => object('A failure that is not counted until all ranks\' nodes have reported.', {
  attempt: count('The attempt that failed.'),
  time: time('When it was noted.'),
  pod: text('The pod that failed.'),
  node: text('Its node.'),
  reason: text('Why it failed.'),
  puts: word('What is postponed until the verdict.', ['Restart', 'End']),
  speaksOfNode: boolean('Whether it makes its node suspect if it counts.'),
  // Of replicas that are replaced one by one; 1 where it is absent.
  count: count('How many failures wait for this verdict.'),
  lastTime: time('When the last of them was noted.'),
}, ['attempt', 'time', 'pod', 'reason', 'puts']);

const suspectNode = () => object('A node.', {
  node: text('Its name.'),
  failures: count('Counted failures that began there.'),
  time: time('When the last of them was.'),
  reason: text('Reason of the last of them.'),
  avoided: boolean('Whether new pods avoid the node.'),
}, ['node', 'failures', 'time', 'reason', 'avoided']);

const lastRestart = () => object('The last restart and what it has cost.', {
  time: time('When it was decided on.'),
  cause: word('What caused it.', RESTART_CAUSES),
  reason: text('Reason of the failure behind it.'),
  // From the last checkpoint to the moment at which all replicas ran again; absent until they do.
  lostSeconds: count('Seconds that it has cost.'),
}, ['time', 'cause']);

/** Schemas of the fields of these parts. */
export function recoveryStatusFields() {
  return {
    // Kubelets answer them by restarting the container in place. Only what exceeds this number is new.
    containerRestarts: count('Container failures in the current pods, all already counted.'),
    stuckStart: stuckStart(),
    provisionalFailure: provisionalFailure(),
    suspectNodes: listByKey('Nodes on which the job has failed.', 'node', suspectNode(), MAX_SUSPECT_NODES),
    lostSeconds: count('Seconds lost to restarts: from the last checkpoint to the moment at which all replicas ran again.'),
    lostSince: time('While the job is not back from a restart: since when time is lost.'),
    lastRestart: lastRestart(),
  };
}

const stackDump = () => object('Stacks.', {
  role: text('Role of the replicas.'),
  // They end with `...` where there are more than it can hold.
  indexes: text('Indexes of the replicas as intervals, such as 0-3,7.'),
  pod: text('Pod that the stacks are taken from.'),
  stacks: text('Stacks of its Python processes, the main thread of each first.'),
}, ['role', 'indexes', 'pod', 'stacks']);

/** Schema of `lastFailure.stackDumps`. */
export function stackDumpsSchema() {
  return list('Stacks of replicas when their pods were removed; replicas with the same stacks share one entry.', stackDump(), MAX_STACK_DUMPS);
}

/** Schema of `status.preflight`, which is absent when the checks passed. */
export function preflightStatusSchema() {
  return object('Checks before training that failed.', {
    failures: count('How many, in a row.'),
    // The check of the network was ended because it took too long.
    unexplained: boolean('Whether rank 0 has yet to report which ranks are missing.'),
  }, ['failures']);
}

/** Schema of `status.idle`, which is absent while accelerators are used. */
export function idleStatusSchema() {
  return object('Underused accelerators.', {
    since: time('Since when.'),
    percent: percentage('Utilization in percent at the last measurement.'),
    suspended: object('The job is suspended for it, until one of these values changes.', {
      generation: integer('Generation of the job at that time.', { format: 'int64' }),
      resume: text('Value of the annotation ml.collabnix.io/resume at that time.'),
    }, ['generation']),
  }, ['since', 'percent']);
}

export type StuckStart = ValueOf<typeof stuckStart>;

export type ProvisionalFailure = ValueOf<typeof provisionalFailure>;

/** What waits for the verdict on a provisional failure: the count of the restart, or the end of the job. */
export type ProvisionalOutcome = ProvisionalFailure['puts'];

export type SuspectNode = ValueOf<typeof suspectNode>;

export type StackDump = ValueOf<typeof stackDump>;
