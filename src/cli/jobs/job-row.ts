/** The row of a job in a list. */
import type { CommandKind } from './kinds';
import type { AnyObject } from './objects';
import { isFinal, standingOfJob } from './target';
import { surroundingsOf } from '../cost/surroundings';
import { workloadsOf } from '../cost/workloads';
import { record, textIn, type JsonRecord } from '../../model/json-parts';
import type { WorkloadState } from '../../model/kinds/standing';
import { QUEUE_NAME_LABEL } from '../../model/kueue-names';
import { TRAINING_JOB_KIND } from '../../model/labels';
import { defined } from '../../model/lists';
import type { ManifestObject } from '../../model/objects/manifest-object';
import type { TrainingJobSpec } from '../../model/training-job/spec';
import type { TrainerStatus, TrainingJobStatus } from '../../model/training-job/status/status';

/** A job or service. */
export interface JobRow {
  readonly kind: string;
  readonly group: string;
  readonly namespace: string;
  readonly name: string;
  readonly state: WorkloadState;
  /** The state in the words of its controller. */
  readonly phase: string;
  /** `3/4`. */
  readonly ready?: string;
  readonly progressPercentage?: number;
  readonly estimatedRemainingSeconds?: number;
  /** The framework; only MLTrainingJobs name it. */
  readonly framework?: string;
  readonly queue?: string;
  /** Place in the queue, from 1. */
  readonly queuePosition?: number;
  /** GPUs and TPU chips that it requests at the same time. */
  readonly accelerators?: number;
  readonly restarts?: number;
  readonly createdAt?: string;
  readonly finishedAt?: string;
  readonly reason?: string;
  readonly message?: string;
}

export function rowOf({ kind, group }: CommandKind, object: AnyObject): JobRow {
  const standing = standingOfJob(object);
  const { state, phase = state, ready, reason, message } = standing;
  const { metadata } = object;
  const status = object.status ?? {};
  const ours = kind === TRAINING_JOB_KIND ? status as TrainingJobStatus : {};
  const { progressPercentage, estimatedRemainingSeconds } = (status.trainerStatus ?? {}) as TrainerStatus;
  const isOver = isFinal(standing);
  return defined({
    kind, group, namespace: metadata?.namespace ?? '', name: metadata?.name ?? '', state, phase, ready,
    progressPercentage,
    estimatedRemainingSeconds: isOver ? undefined : estimatedRemainingSeconds,
    framework: textIn(object.spec?.framework),
    queue: queueOf(object),
    queuePosition: ours.queue?.position === undefined ? undefined : ours.queue.position + 1,
    accelerators: knownAccelerators(object),
    restarts: ours.restarts,
    createdAt: metadata?.creationTimestamp,
    finishedAt: isOver ? endOf(object) : undefined,
    reason, message,
  });
}

/** Its queue of Kueue or Volcano. */
export function queueOf({ metadata, spec }: AnyObject): string | undefined {
  const ours = (spec as Partial<TrainingJobSpec> | undefined)?.scheduling?.queueName;
  return metadata?.labels?.[QUEUE_NAME_LABEL] ?? ours ?? textIn(spec?.queue);
}

/** When it ended, from the field that its kind has for it, else from its conditions. */
function endOf({ status }: AnyObject): string | undefined {
  const { completionTime, endTime, terminationTime } = record(status);
  const ended = [completionTime, endTime, terminationTime].find((time) => typeof time === 'string');
  const lastChange = (status?.conditions ?? []).filter((condition) => condition.status === 'True').map(({ lastTransitionTime }) => lastTransitionTime ?? '').sort().at(-1);
  return ended ?? (lastChange === '' ? undefined : lastChange);
}

/** Accelerators that specs request, by uid: counting them takes longer than the rest of a row, and a list is read every few seconds. */
const COUNTED = new Map<string, { readonly generation: number; readonly accelerators?: number }>();

/** Maximum entries of {@link COUNTED}. */
const MAX_COUNTED = 20_000;

function knownAccelerators(object: AnyObject): number | undefined {
  const { uid, generation } = object.metadata ?? {};
  if (uid === undefined || generation === undefined) {
    return acceleratorsOf(object);
  }
  const known = COUNTED.get(uid);
  if (known?.generation === generation) {
    return known.accelerators;
  }
  const accelerators = acceleratorsOf(object);
  if (COUNTED.size >= MAX_COUNTED) {
    COUNTED.clear();
  }
  COUNTED.set(uid, { generation, accelerators });
  return accelerators;
}

function acceleratorsOf(object: AnyObject): number | undefined {
  const found = workloadsOf([object as ManifestObject & JsonRecord], surroundingsOf([])).flatMap(({ groups, copies }) => (
    groups.map(({ pods, choices }) => pods.max * (choices[0]?.devices?.count ?? 0) * (copies?.parallel ?? 1))));
  const sum = found.reduce((total, count) => total + count, 0);
  return sum > 0 && Number.isFinite(sum) ? sum : undefined;
}
