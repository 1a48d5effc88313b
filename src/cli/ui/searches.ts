/** Searches for hyperparameters with their trials, ours and Katib's. */
import { grouped } from '../text';
import type { AnyCondition, AnyObject } from '../jobs/objects';
import type { Reader } from '../jobs/reader';
import { standingOfJob } from '../jobs/target';
import { numberIn, record, records, textIn, texts, type JsonRecord } from '../../model/json-parts';
import { EXPERIMENT } from '../../model/kinds/katib';
import { API_GROUP, TRAINING_JOB_KIND, TRIAL_LABEL, TUNED_JOB_LABEL } from '../../model/labels';
import type { TuningParameterSpec } from '../../model/training-job/fields/features';
import { reportedObjective } from '../../model/tuning/objective';
import { isBetter, type Search } from '../../model/tuning/search';
import { decodePoint } from '../../model/tuning/search-space';
import { isSearch, searchOf } from '../../model/tuning/trial-spec';
import type { ResourceKind } from '../../operator/runtime/resource-kind';
import { TRAINING_JOBS, type TrainingJobObject } from '../../operator/training/resources';

/** A dimension of the space. */
export interface UiParameter {
  readonly name: string;
  /** Numbers of a range; absent for a list. */
  readonly min?: number;
  readonly max?: number;
  readonly isLog?: boolean;
  /** Values of a list, in their order. */
  readonly values?: readonly string[];
}

/** A trial. `stopped` means stopped early. */
export interface UiTrial {
  readonly number: number;
  readonly state: 'running' | 'succeeded' | 'failed' | 'stopped';
  /** The objective; while it runs, the latest value. */
  readonly value?: number;
  readonly values: { readonly [name: string]: string };
  /** Name of its job if that exists and has a page. Trials of Katib have jobs of other kinds. */
  readonly job?: string;
}

export interface UiSearch {
  readonly kind: string;
  readonly group: string;
  readonly namespace: string;
  readonly name: string;
  readonly state: string;
  readonly phase: string;
  readonly createdAt?: string;
  readonly objective: string;
  readonly goal: Search['goal'];
  readonly maxTrials?: number;
  /** Number of trials so far by state, including those that are no longer known. */
  readonly counts: { readonly [state in UiTrial['state']]: number };
  readonly parameters: readonly UiParameter[];
  /** Known trials, by number. */
  readonly trials: readonly UiTrial[];
  readonly best?: Pick<UiTrial, 'number' | 'values'> & { readonly value: number };
}

export interface UiSearches {
  /** The newest first. */
  readonly searches: readonly UiSearch[];
  /** What could not be read, as sentences. */
  readonly unread: readonly string[];
}

const ofKatib = (kind: string, plural: string): ResourceKind => (
  { group: EXPERIMENT.group, version: EXPERIMENT.versions[0], kind, plural, namespaced: true });
const EXPERIMENTS = ofKatib(EXPERIMENT.kind, EXPERIMENT.plural);
const TRIALS = ofKatib('Trial', 'trials');

/** Katib's label on trials. */
const EXPERIMENT_LABEL = 'katib.kubeflow.org/experiment';

/** Maximum number of searches. */
const MAX_SEARCHES = 50;

/** @param namespace undefined for all */
export async function readSearches(reader: Reader, namespace: string | undefined): Promise<UiSearches> {
  const [jobs = [], experiments = [], trials = []] = await Promise.all([
    reader.list<TrainingJobObject>(TRAINING_JOBS, namespace),
    reader.list<AnyObject>(EXPERIMENTS, namespace),
    reader.list<AnyObject>(TRIALS, namespace),
  ]);
  const own = byName(jobs, TUNED_JOB_LABEL);
  const foreign = byName(trials, EXPERIMENT_LABEL);
  const found = [
    ...jobs.filter(({ spec }) => isSearch(spec)).map((job) => ourSearch(job, own.get(placeOf(job)) ?? [])),
    ...experiments.map((experiment) => katibSearch(experiment, foreign.get(placeOf(experiment)) ?? [])),
  ];
  const newest = found.sort((one, other) => (other.createdAt ?? '').localeCompare(one.createdAt ?? ''));
  return { searches: newest.slice(0, MAX_SEARCHES), unread: reader.unread };
}

type Named = Pick<AnyObject, 'metadata'>;

function placeOf({ metadata }: Named): string {
  return `${metadata?.namespace}/${metadata?.name}`;
}

/** Trials by namespace and name of their search. */
function byName<T extends Named>(trials: readonly T[], label: string): ReadonlyMap<string, readonly T[]> {
  return grouped(trials.filter(({ metadata }) => metadata?.labels?.[label] !== undefined), ({ metadata }) => (
    `${metadata?.namespace}/${metadata!.labels![label]}`));
}

function ourSearch(job: TrainingJobObject, children: readonly TrainingJobObject[]): UiSearch {
  const { metadata, spec, status } = job;
  const search = searchOf(spec, metadata?.uid ?? '');
  const { running = 0, succeeded = 0, failed = 0, stopped = 0, active = [], remembered = [], best } = status?.tuning ?? {};
  // Jobs of finished trials are deleted from the oldest on, those of stopped ones immediately, so a gap is a stopped trial.
  const kept = children.filter((child) => isOver(child)).map(numberOf).filter((number) => number !== best?.trial);
  const isStopped = (number: number) => stopped > 0 && number !== best?.trial && number > Math.min(...kept);
  const trials = new Map<number, UiTrial>();
  for (const { trial: number, point, value } of remembered) {
    const state = value === undefined ? 'failed' : isStopped(number) ? 'stopped' : 'succeeded';
    trials.set(number, { number, state, value, values: search.space.valuesOf(decodePoint(point)) });
  }
  for (const { trial: number, point } of active) {
    trials.set(number, { number, state: 'running', values: search.space.valuesOf(decodePoint(point)) });
  }
  children.forEach((child) => {
    const number = numberOf(child);
    trials.set(number, ourTrial(number, child, search, trials.get(number)));
  });
  const state = standingOfJob(job as AnyObject);
  return {
    kind: TRAINING_JOB_KIND, group: API_GROUP, namespace: metadata?.namespace ?? '', name: metadata?.name ?? '', state: state.state, phase: state.phase ?? state.state,
    createdAt: metadata?.creationTimestamp, objective: search.objective, goal: search.goal, maxTrials: search.maxTrials,
    counts: { running, succeeded, failed, stopped },
    parameters: Object.entries(spec.autoTuning!.parameters).map(([name, parameter]) => ourParameter(name, parameter)),
    trials: sorted(trials.values()),
    ...(best !== undefined && { best: { number: best.trial, value: best.value, values: best.parameters } }),
  };
}

function numberOf({ metadata }: TrainingJobObject): number {
  return Number(metadata?.labels?.[TRIAL_LABEL]);
}

function isOver({ status }: TrainingJobObject): boolean {
  return status?.phase === 'Completed' || status?.phase === 'Failed';
}

/** A trial whose job exists. The job has more recent information. */
function ourTrial(
  number: number, { metadata, spec, status = {} }: TrainingJobObject, { space, objective }: Search, known: UiTrial | undefined,
): UiTrial {
  const state = status.phase === 'Completed' ? 'succeeded' : status.phase === 'Failed' ? 'failed' : known?.state === 'running' ? 'running' : 'stopped';
  const values = known?.values ?? Object.fromEntries(space.dimensions.map(({ name }) => [name, spec.hyperparameters?.[name] ?? '']));
  return { number, state, value: known?.value ?? reportedObjective(status, objective)?.value, values, job: metadata?.name };
}

function ourParameter(name: string, { min, max, scale, values }: TuningParameterSpec): UiParameter {
  return values === undefined ? { name, min, max, isLog: scale === 'log' } : { name, values: values.map(String) };
}

function katibSearch(experiment: AnyObject, children: readonly AnyObject[]): UiSearch {
  const { metadata, spec } = experiment;
  const status = record(experiment.status);
  const objective = record(spec?.objective);
  const goal = objective.type === 'minimize' ? 'minimize' : 'maximize';
  const metric = textIn(objective.objectiveMetricName) ?? '';
  const ageOf = (trial: AnyObject) => `${trial.metadata?.creationTimestamp} ${trial.metadata?.name}`;
  const ordered = [...children].sort((one, other) => ageOf(one).localeCompare(ageOf(other)));
  const trials = ordered.map((trial, index) => katibTrial(index + 1, trial, metric, goal));
  const ended = trials.flatMap(({ number, state, value, values }) => (state === 'succeeded' && value !== undefined ? [{ number, value, values }] : []));
  const [best] = ended.sort((one, other) => (isBetter(goal, one.value, other.value) ? -1 : 1));
  const { state, phase = state } = standingOfJob(experiment);
  const count = (field: string) => numberIn(status[field]) ?? 0;
  return {
    kind: EXPERIMENT.kind, group: EXPERIMENT.group, namespace: metadata?.namespace ?? '', name: metadata?.name ?? '', state, phase,
    createdAt: metadata?.creationTimestamp, objective: metric, goal, maxTrials: numberIn(spec?.maxTrialCount),
    counts: {
      running: count('trialsRunning'), succeeded: count('trialsSucceeded'), failed: count('trialsFailed') + count('trialsKilled'), stopped: count('trialsEarlyStopped'),
    },
    parameters: records(spec?.parameters).map((parameter) => katibParameter(textIn(parameter.name) ?? '', record(parameter.feasibleSpace))),
    trials, ...(best !== undefined && { best }),
  };
}

function katibTrial(number: number, { spec, status }: AnyObject, metric: string, goal: Search['goal']): UiTrial {
  const has = (type: string) => (status?.conditions ?? []).some((condition: AnyCondition) => condition.type === type && condition.status === 'True');
  const measured = records(record(status?.observation).metrics).find(({ name }) => name === metric);
  const value = Number(textIn(measured?.[goal === 'minimize' ? 'min' : 'max']) ?? textIn(measured?.latest) ?? NaN);
  return {
    number, state: has('EarlyStopped') ? 'stopped' : has('Succeeded') ? 'succeeded' : has('Failed') || has('Killed') || has('MetricsUnavailable') ? 'failed' : 'running',
    ...(Number.isFinite(value) && { value }),
    values: Object.fromEntries(records(spec?.parameterAssignments).map(({ name, value: assigned }) => [String(name), textIn(assigned) ?? ''])),
  };
}

function katibParameter(name: string, { min, max, list, distribution }: JsonRecord): UiParameter {
  return list === undefined ? { name, min: Number(min), max: Number(max), isLog: textIn(distribution)?.startsWith('log') } : { name, values: texts(list) };
}

function sorted(trials: Iterable<UiTrial>): readonly UiTrial[] {
  return [...trials].sort((one, other) => one.number - other.number);
}
