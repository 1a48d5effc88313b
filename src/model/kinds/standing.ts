/** How a workload stands, as its own object says. Each kind may read its status in its own way; most have conditions. */
import { QUEUE_NAME_LABEL } from '../kueue-names';
import { jsonText, numberIn, record, records, textIn, type JsonRecord } from '../json-parts';

/** State of a workload, by one word for all kinds. */
export type WorkloadState = 'Running' | 'Succeeded' | 'Failed' | 'Suspended' | 'Waiting' | 'Restarting' | 'Deleting';

export interface Standing {
  readonly state: WorkloadState;
  /** What its controller calls the state. @default - as `state` */
  readonly phase?: string;
  /** Pods (copies, trials) that run or have succeeded, of those wanted: `3/4`. @default - the object does not say */
  readonly ready?: string;
  /** Why, in one word of its controller. */
  readonly reason?: string;
  readonly message?: string;
}

/** Conditions, the first that is true counts. A queue suspends what waits in it. */
const BY_CONDITION: readonly (readonly [type: string, state: WorkloadState])[] = [
  ['Succeeded', 'Succeeded'], ['Complete', 'Succeeded'], ['Completed', 'Succeeded'], ['Failed', 'Failed'], ['Suspended', 'Suspended'],
  ['Restarting', 'Restarting'], ['RestartingJobSet', 'Restarting'], ['Running', 'Running'], ['Ready', 'Running'], ['Available', 'Running'],
];

/** Reads a status with conditions. @param ready what it says of its pods */
export function standingByConditions(object: JsonRecord, ready?: string): Standing {
  const found = BY_CONDITION.map(([type, state]) => ({ state, condition: conditionIn(object, type) })).find(({ condition }) => condition?.status === 'True');
  const { state = 'Waiting', condition } = found ?? {};
  return { state: waitsInQueue(state, object), ready, ...wordsOf(condition ?? records(record(object.status).conditions).at(-1)) };
}

/** Of kinds without a condition for running: pods do. */
export function standingWhileActive(object: JsonRecord, isActive: boolean, ready?: string): Standing {
  const standing = standingByConditions(object, ready);
  return standing.state === 'Waiting' && isActive ? { ...standing, state: 'Running' } : standing;
}

/** Reads a status whose controller has words of its own. @param states what each means; what is not among them waits */
export function standingByPhase(
  object: JsonRecord, phase: unknown, states: { readonly [phase: string]: WorkloadState }, more: Omit<Standing, 'state' | 'phase'> = {},
): Standing {
  const word = textIn(phase);
  const state = word !== undefined && Object.hasOwn(states, word) ? states[word] : 'Waiting';
  return { ...wordsOf(record(object.status)), ...more, state: waitsInQueue(state, object), ...(word !== undefined && word !== '' && { phase: word }) };
}

export function conditionIn(object: JsonRecord, type: string): JsonRecord | undefined {
  return records(record(object.status).conditions).find((condition) => condition.type === type);
}

/** `3/4`. @param wanted nothing is said without it */
export function readyOf(ready: unknown, wanted: unknown): string | undefined {
  return numberIn(wanted) === undefined ? undefined : `${numberIn(ready) ?? 0}/${jsonText(wanted)}`;
}

/** The same of counts that are in several places. */
export function sumOf(values: readonly unknown[]): number {
  return values.reduce((sum: number, value) => sum + (numberIn(value) ?? 0), 0);
}

function wordsOf(source: JsonRecord | undefined): Pick<Standing, 'reason' | 'message'> {
  const [reason, message] = [textIn(source?.reason), textIn(source?.message)];
  return { ...(reason && { reason }), ...(message && { message }) };
}

function waitsInQueue(state: WorkloadState, { metadata, spec }: JsonRecord): WorkloadState {
  if (record(metadata).deletionTimestamp !== undefined && state !== 'Succeeded') {
    return 'Deleting';
  }
  const queue = record(record(metadata).labels)[QUEUE_NAME_LABEL] ?? record(record(spec).scheduling).queueName;
  return state === 'Suspended' && queue !== undefined ? 'Waiting' : state;
}
