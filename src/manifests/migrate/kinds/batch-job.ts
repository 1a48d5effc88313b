/**
 * The spec of a batch/v1 Job: by itself, in a JobSet, or in the runtime of a TrainJob.
 * @see https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/job-v1/
 */
import type { ContainerChoice } from '../container';
import { type Fields, MigrationError } from '../fields';
import type { Notes } from '../notes';
import { readPodTemplate, type ReadPod } from '../pod';
import { nonEmptyObject } from '../../plain-object';
import type { ArraySpec } from '../../../model/training-job/array';
import type { ExitCodesSpec, RestartPolicy, RunPolicySpec } from '../../../model/training-job/run-policy';
import type { PodTemplateSpec } from '../../../model/training-job/spec';
import { defined, optional } from '../../../model/lists';

export interface ReadBatchJob {
  readonly pod: ReadPod;
  /** Pods that run together. */
  readonly replicas: number;
  readonly isIndexed: boolean;
  /** Set for an Indexed Job that runs only some of its completions at a time: each completion is a separate job. */
  readonly array?: ArraySpec;
  readonly restartPolicy: RestartPolicy;
  /** @default 6, as here */
  readonly backoffLimit?: number;
  readonly runPolicy: RunPolicySpec;
}

/** Further input of {@link readBatchJob}. */
export interface BatchJobHints {
  readonly choice: ContainerChoice;
  /** Image of a container without one. */
  readonly image?: string;
  /** Number of pods of each Job, if the Job itself does not have it: `mlPolicy.numNodes` of a runtime. */
  readonly replicas?: number;
  /** Whether the Job is not part of another object, so that it can become an array. @default false */
  readonly isAlone?: boolean;
  /** Whether the Job's owner restarts it after disruptions, so that a rule that fails it for them does not end the job. */
  readonly restartsAfterDisruption?: boolean;
}

/** Labels that the Job controller writes into the template. */
const GENERATED_LABELS = ['controller-uid', 'job-name', 'batch.kubernetes.io/controller-uid', 'batch.kubernetes.io/job-name'];

/** Reads a Job's spec. */
export function readBatchJob(spec: Fields, hints: BatchJobHints, isIndexedByDefault: boolean, notes: Notes): ReadBatchJob {
  const completionMode = spec.oneOf('completionMode', ['NonIndexed', 'Indexed']);
  const isIndexed = completionMode === undefined ? isIndexedByDefault : completionMode === 'Indexed';
  const size = readSize(spec, hints, isIndexed);
  const { array, backoffLimit } = size.array === undefined
    ? { array: undefined, backoffLimit: spec.count('backoffLimit') } : readArray(spec, size.array, notes);
  const generated = ['selector', 'manualSelector'].filter((field) => spec.take(field) !== undefined);
  if (generated.length > 0) {
    notes.changed(spec.at(generated[0]), undefined, 'is left out: the operator finds pods by its own labels.');
  }
  const exitCodes = readFailurePolicy(spec, hints, array, notes);
  const { podRestartPolicy, pod } = readPod(spec, hints, notes);
  const restartPolicy = backoffLimit === 0 ? 'Never' : 'OnFailure';
  if (podRestartPolicy === 'Never' && restartPolicy !== 'Never') {
    notes.changed(`${spec.at('template')}.spec.restartPolicy`, podRestartPolicy,
      'is OnFailure here: a Job replaces failed pods up to its backoffLimit, whichever of the two is set.');
  }
  noteUnsupported(spec, array, notes);
  return {
    pod,
    replicas: size.replicas,
    isIndexed,
    array,
    restartPolicy,
    backoffLimit,
    runPolicy: {
      ...optional('activeDeadlineSeconds', spec.count('activeDeadlineSeconds')),
      ...optional('ttlSecondsAfterFinished', spec.count('ttlSecondsAfterFinished')),
      ...exitCodes,
      ...optional('successPolicy', readSuccessPolicy(spec, array, notes)),
    },
  };
}

function readPod(spec: Fields, hints: BatchJobHints, notes: Notes): { readonly pod: ReadPod; readonly podRestartPolicy?: string } {
  const { restartPolicy, ...pod } = readPodTemplate(spec, hints.choice, notes, hints.image);
  const { labels = {}, ...metadata } = { ...pod.template.metadata };
  const own = Object.fromEntries(Object.entries(labels).filter(([name]) => !GENERATED_LABELS.includes(name)));
  const template = defined<PodTemplateSpec>({
    metadata: nonEmptyObject({ ...metadata, ...optional('labels', nonEmptyObject(own)) }), spec: pod.template.spec,
  });
  return { pod: { ...pod, template }, podRestartPolicy: restartPolicy };
}

/** Replicas of a training job run at the same time. An Indexed Job that runs only some of its completions at a time is an array. */
function readSize(spec: Fields, hints: BatchJobHints, isIndexed: boolean): { readonly replicas: number; readonly array?: ArraySpec } {
  const parallelism = spec.count('parallelism');
  const completions = spec.count('completions');
  if (hints.replicas !== undefined) {
    return { replicas: hints.replicas };
  }
  const together = parallelism ?? 1;
  if (completions === undefined && together > 1) {
    throw new MigrationError(spec.at('parallelism'), parallelism,
      'without completions, these pods take their work from a queue, and the first that succeeds ends the Job. That is not a training job; set completions to the '
      + 'same number if it is one.');
  }
  const wanted = completions ?? 1;
  if (wanted === 0 || together === 0) {
    throw new MigrationError(spec.at(wanted === 0 ? 'completions' : 'parallelism'), 0, 'has no pods. A training job has at least one.');
  }
  if (together < wanted && isIndexed && hints.isAlone) {
    return { replicas: 1, array: { count: wanted, parallelism: together } };
  }
  if (together < wanted) {
    throw new MigrationError(spec.at('parallelism'), together,
      `runs ${wanted} completions ${together} at a time, and replicas of a training job run together. Raise parallelism to ${wanted} if these do`
      + `${hints.isAlone ? ', or set completionMode Indexed if they are copies of one job, which are an array here' : ''}.`);
  }
  return { replicas: wanted };
}

/** Limits of failures: a Job's limits apply to all of its pods together, unless it has limits per index. Each copy of an array has its own. */
function readArray(spec: Fields, size: ArraySpec, notes: Notes): { readonly array: ArraySpec; readonly backoffLimit?: number } {
  const [all, each, maxFailedIndexes] = ['backoffLimit', 'backoffLimitPerIndex', 'maxFailedIndexes'].map((field) => spec.count(field));
  if (each === undefined) {
    notes.differs(spec.at('backoffLimit'), all,
      'counts the failures of all pods, and beyond it the Job ends. Here the limit applies to each copy, and the first that fails permanently ends the '
      + 'array (maxFailedIndexes 0).');
    return { array: { ...size, maxFailedIndexes: 0 }, backoffLimit: all };
  }
  if (all !== undefined) {
    notes.lost(spec.at('backoffLimit'), all, 'has no equivalent with backoffLimitPerIndex: copies of an array count their own failures.');
  }
  return { array: { ...size, ...optional('maxFailedIndexes', maxFailedIndexes) }, backoffLimit: each };
}

function readFailurePolicy(spec: Fields, hints: BatchJobHints, array: ArraySpec | undefined, notes: Notes): RunPolicySpec {
  const codes: { -readonly [list in keyof ExitCodesSpec]: number[] } = {};
  let disruptionLimit: number | undefined;
  const lists: { readonly [action: string]: keyof ExitCodesSpec } = {
    FailJob: 'fail', Ignore: 'recover', Count: 'retry', ...(array !== undefined && { FailIndex: 'fail' }),
  };
  for (const rule of spec.object('podFailurePolicy')?.list('rules') ?? []) {
    const action = rule.text('action') ?? '';
    const onExitCodes = rule.object('onExitCodes');
    const [operator, values, container] = ['operator', 'values', 'containerName'].map((field) => onExitCodes?.take(field));
    const conditions = rule.list('onPodConditions').map((condition) => [condition.take('type'), condition.take('status')]);
    const isDisruption = conditions.length > 0 && conditions.every(([type, status]) => type === 'DisruptionTarget' && status !== 'False');
    const isMain = [undefined, 'training', hints.choice.name, trainingContainer(spec)].includes(container as string | undefined);
    if (operator === 'In' && Array.isArray(values) && Object.hasOwn(lists, action) && isMain) {
      const list = lists[action];
      codes[list] = [...codes[list] ?? [], ...values];
      if (array !== undefined && array.maxFailedIndexes !== 0 && action === 'FailJob') {
        notes.differs(rule.at('action'), action, 'fails the copy and not the array, which continues with the others until array.maxFailedIndexes.');
      }
    } else if (isDisruption && (action === 'Ignore' || hints.restartsAfterDisruption)) {
      notes.changed(rule.path, rule.value, 'is left out: disruptions are never counted here, and the pods are started again.');
    } else if (isDisruption && action === 'FailJob') {
      disruptionLimit = 0;
    } else {
      notes.lost(rule.path, rule.value, 'has no equivalent. runPolicy.exitCodes lists exit codes of the training container that fail, retry or recover.');
    }
  }
  return defined({ disruptionLimit, exitCodes: nonEmptyObject(codes) });
}

/** Name of the first container, which trains by default. */
function trainingContainer(spec: Fields): string | undefined {
  const template = spec.peek('template') as { readonly spec?: { readonly containers?: readonly { readonly name?: string }[] } } | undefined;
  return template?.spec?.containers?.[0]?.name;
}

function readSuccessPolicy(spec: Fields, array: ArraySpec | undefined, notes: Notes): RunPolicySpec['successPolicy'] {
  const policy = spec.object('successPolicy');
  const rules = policy?.list('rules') ?? [];
  if (rules.length === 0) {
    return undefined;
  }
  if (array !== undefined) {
    rules.forEach((rule) => rule.takeRest());
    notes.lost(policy!.at('rules'), policy!.value.rules, 'has no equivalent: an array succeeds when all of its copies have.');
    return undefined;
  }
  const [indexes, count] = [rules[0].take('succeededIndexes'), rules[0].take('succeededCount')];
  if (rules.length === 1 && indexes === '0' && [undefined, 1].includes(count as number | undefined)) {
    return 'Coordinator';
  }
  if (rules.length === 1 && indexes === undefined && count === 1) {
    return 'AnyWorker';
  }
  rules.forEach((rule) => rule.takeRest());
  notes.lost(policy!.at('rules'), policy!.value.rules, 'has no equivalent: a job succeeds with its coordinator, all replicas or any one. Set runPolicy.successPolicy.');
  return undefined;
}

function noteUnsupported(spec: Fields, array: ArraySpec | undefined, notes: Notes): void {
  if (array === undefined) {
    notes.lose(spec, 'has no equivalent: backoffLimit counts the failures of all replicas together.', 'backoffLimitPerIndex', 'maxFailedIndexes');
  }
  const replacement = spec.text('podReplacementPolicy');
  if (replacement !== undefined) {
    notes[replacement === 'Failed' ? 'changed' : 'differs'](spec.at('podReplacementPolicy'), replacement, 'a replica is replaced here when its old pod has ended.');
  }
}
