/**
 * An Experiment of Katib as it is written in a manifest, in the model's terms, so that the rules of the construct hold for it. Its trials can be any
 * objects, of which nothing is read. Values of the wrong type are left to the check of the structure.
 * @see https://www.kubeflow.org/docs/components/katib/user-guides/hp-tuning/configure-experiment/
 */
import { KATIB_ALGORITHMS } from './algorithms';
import { METRICS_FORMAT, type KatibCollectorSpec, type KatibSearch, type KatibSettings } from './spec';
import { amountIn, jsonNumber, jsonText, record, records, textIn, type JsonRecord } from '../json-parts';
import type { ManifestObject } from '../objects/manifest-object';
import { fieldPath } from '../shapes';
import type { AutoTuningSpec, TuningParameterSpec } from '../training-job/fields/features';
import type { TrainingJobSpec } from '../training-job/spec';
import { didYouMean, type Violation } from '../violations';

const DEFAULT_PARALLEL_TRIALS = 3;
const DEFAULT_REDUCTION_FACTOR = 3;

const COLLECTORS: readonly string[] = ['StdOut', 'File', 'TensorFlowEvent', 'PrometheusMetric', 'Push'] satisfies KatibCollectorSpec['kind'][];

/** Algorithms of Katib that search something else than parameters, or otherwise. */
const FURTHER_ALGORITHMS: readonly string[] = ['enas', 'darts', 'pbt'];

/** What breaks the text of a trial's manifest. Other signs that our own manifests may not have are right in others. */
const BREAKS_TEXT = /["\\\p{Cc}]/u;

const HARMLESS = /['$]/g;

export function readExperiment({ metadata, spec: written }: ManifestObject): KatibSearch {
  const spec = record(written);
  const { objectiveMetricName, additionalMetricNames } = record(spec.objective);
  const algorithm = settingsOf(spec.algorithm);
  const name = algorithmOf(spec);
  const budget = name === 'hyperband' ? readBudget(algorithm) : undefined;
  const collector = readCollector(record(spec.metricsCollectorSpec));
  const { random_state: seed, r_l: _max, eta: _factor, resource_name: _parameter, ...settings } = algorithm;
  return {
    name: jsonText(metadata?.name ?? ''),
    job: {} as TrainingJobSpec,
    tuning: {
      objective: jsonText(objectiveMetricName),
      maxTrials: wholeIn(spec.maxTrialCount) ?? Infinity,
      parallelTrials: wholeIn(spec.parallelTrialCount) ?? DEFAULT_PARALLEL_TRIALS,
      maxFailedTrials: wholeIn(spec.maxFailedTrialCount),
      parameters: readParameters(spec, name, budget?.parameter),
      seed: wholeIn(seed),
      budget,
      ...(budget !== undefined && { algorithm: 'hyperband' as const }),
      // Of a collector of the user's nothing is known.
      ...(spec.earlyStopping !== undefined && collector !== undefined && { earlyStopping: {} }),
    },
    settings: {
      collector: collector ?? { kind: 'Push' },
      ...(budget === undefined && { algorithm: { name, settings } }),
      additionalMetrics: Array.isArray(additionalMetricNames) ? additionalMetricNames.map(jsonText) : undefined,
      startStep: collector === undefined ? undefined : readStartStep(spec.earlyStopping),
    },
  };
}

/**
 * Rules on what our own manifests never have.
 * @see https://github.com/kubeflow/katib/blob/v0.19.0/pkg/suggestion/v1beta1/hyperband/parsing_util.py
 */
export function validateExperimentObject({ spec: written }: ManifestObject): Violation[] {
  const spec = record(written);
  if (algorithmOf(spec) !== 'hyperband') {
    return [];
  }
  return records(spec.parameters).flatMap(({ parameterType, feasibleSpace }, index) => {
    const { list } = record(feasibleSpace);
    const values = parameterType === 'discrete' && Array.isArray(list) ? list.map(jsonText) : [];
    return values.flatMap((value, at) => (/^[+-]?\d+$/.test(value.trim()) ? [] : [{
      path: `spec.parameters[${index}].feasibleSpace.list[${at}]`, value,
      message: 'must be a whole number: Katib 0.19\'s hyperband does not run with others in a discrete list. Use the parameterType categorical.',
    }]));
  });
}

/** Violations of a search under the names that an Experiment has for its fields, without those that an Experiment may have. */
export function inTermsOfExperiment({ spec: written }: ManifestObject, violations: readonly Violation[]): Violation[] {
  const names = fieldNames(record(written));
  return violations.filter(({ path, value }) => path !== 'katib.algorithm' || !isOfOthers(jsonText(value))).map((violation) => {
    const [ours, theirs] = names.find(([name]) => isAtOrBelow(violation.path, name)) ?? ['', ''];
    return { ...violation, path: theirs + violation.path.slice(ours.length) };
  });
}

function isAtOrBelow(path: string, name: string): boolean {
  return path.startsWith(name) && ['', '.', '['].includes(path.charAt(name.length));
}

/** Katib's configuration can have algorithms of the user's; one that is almost one of Katib's is a slip. */
function isOfOthers(name: string): boolean {
  const known = Object.keys(KATIB_ALGORITHMS);
  return !known.includes(name) && (FURTHER_ALGORITHMS.includes(name) || didYouMean(name, known) === '');
}

/** How paths begin in the model and in the object, longer ones first. */
function fieldNames({ algorithm, earlyStopping, parameters, metricsCollectorSpec }: JsonRecord): [ours: string, theirs: string][] {
  const setting = (of: unknown, path: string, wanted: string) => (
    `${path}.algorithmSettings[${records(record(of).algorithmSettings).findIndex(({ name }) => name === wanted)}].value`);
  const ofAlgorithm = (wanted: string) => setting(algorithm, 'spec.algorithm', wanted);
  const source = 'spec.metricsCollectorSpec.source';
  const isRequest = record(record(metricsCollectorSpec).collector).kind === 'PrometheusMetric';
  return [
    ...records(record(algorithm).algorithmSettings).map(({ name }): [string, string] => (
      [fieldPath('katib.algorithm.settings', jsonText(name)), ofAlgorithm(jsonText(name))])),
    ['katib.algorithm', 'spec.algorithm.algorithmName'],
    ['katib.additionalMetrics', 'spec.objective.additionalMetricNames'],
    ['katib.metrics.path', isRequest ? `${source}.httpGet.path` : `${source}.fileSystemPath.path`],
    ['katib.metrics.port', `${source}.httpGet.port`],
    ['katib.metrics.formats', `${source}.filter.metricsFormat`],
    ['katib.earlyStoppingStartStep', setting(earlyStopping, 'spec.earlyStopping', 'start_step')],
    ['spec.autoTuning.objective', 'spec.objective.objectiveMetricName'],
    ['spec.autoTuning.seed', ofAlgorithm('random_state')],
    ['spec.autoTuning.budget.parameter', ofAlgorithm('resource_name')],
    ['spec.autoTuning.budget.reductionFactor', ofAlgorithm('eta')],
    ['spec.autoTuning.maxTrials', 'spec.maxTrialCount'],
    ['spec.autoTuning.parallelTrials', 'spec.parallelTrialCount'],
    ['spec.autoTuning.maxFailedTrials', 'spec.maxFailedTrialCount'],
    ['spec.autoTuning.earlyStopping', 'spec.earlyStopping'],
    ...records(parameters).flatMap(({ name }, index): [string, string][] => {
      const [ours, theirs] = [fieldPath('spec.autoTuning.parameters', jsonText(name)), `spec.parameters[${index}].feasibleSpace`];
      return [[`${ours}.scale`, `${theirs}.distribution`], [`${ours}.step`, `${theirs}.step`], [`${ours}.values`, `${theirs}.list`]];
    }),
    ['spec.autoTuning.parameters', 'spec.parameters'],
  ];
}

function algorithmOf(spec: JsonRecord): string {
  return jsonText(record(spec.algorithm).algorithmName);
}

function settingsOf(algorithm: unknown): { readonly [name: string]: string } {
  return Object.fromEntries(records(record(algorithm).algorithmSettings).map(({ name, value }) => [jsonText(name), amountIn(value) ?? '']));
}

/** Undefined where one of the settings that Katib needs is missing. */
function readBudget({ r_l: max, eta, resource_name: parameter }: { readonly [name: string]: string | undefined }): AutoTuningSpec['budget'] {
  return max === undefined || parameter === undefined ? undefined : {
    max: jsonNumber(max), parameter: parameter || undefined, reductionFactor: jsonNumber(eta) > 0 ? jsonNumber(eta) : DEFAULT_REDUCTION_FACTOR,
  };
}

/** Katib has the budget among the parameters, behind those that are searched. */
function readParameters({ parameters }: JsonRecord, algorithm: string, budget: string | undefined): AutoTuningSpec['parameters'] {
  const all = records(parameters);
  const ofBudget = all.map(({ name }) => name).lastIndexOf(budget);
  return Object.fromEntries(all.filter((_, index) => index !== ofBudget).map(({ name, parameterType, feasibleSpace }) => (
    [jsonText(name), readParameter(parameterType, record(feasibleSpace), algorithm)])));
}

function readParameter(type: unknown, { min, max, step, distribution, list }: JsonRecord, algorithm: string): TuningParameterSpec {
  if (type === 'categorical' || type === 'discrete') {
    const values = Array.isArray(list) ? list.map(jsonText) : [];
    return { type: 'categorical', values: values.map((value) => (BREAKS_TEXT.test(value) ? value : value.replace(HARMLESS, ''))) };
  }
  // Who says nothing of the scale has that of the algorithm.
  const isAlways = type === 'double' && Object.hasOwn(KATIB_ALGORITHMS, algorithm) && KATIB_ALGORITHMS[algorithm].logFloats === 'always';
  const scale = distribution === 'logUniform' || (isAlways && distribution !== 'uniform') ? 'log' : undefined;
  return { type: type === 'int' ? 'int' : 'float', min: numberOf(min), max: numberOf(max), step: numberOf(step), scale };
}

/** Undefined for a collector of the user's, and for none. */
function readCollector({ collector, source }: JsonRecord): KatibCollectorSpec | undefined {
  const kind = textIn(record(collector).kind) ?? 'StdOut';
  if (!COLLECTORS.includes(kind)) {
    return undefined;
  }
  const { fileSystemPath, httpGet, filter } = record(source);
  const { metricsFormat } = record(filter);
  const json = record(fileSystemPath).format === 'JSON';
  return {
    kind: kind as KatibCollectorSpec['kind'],
    path: textIn(kind === 'PrometheusMetric' ? record(httpGet).path : record(fileSystemPath).path),
    port: kind === 'PrometheusMetric' ? numberOf(record(httpGet).port) : undefined,
    json,
    // Other collectors pass a filter over.
    formats: kind === 'StdOut' || kind === 'File' ? readFormats(metricsFormat) : undefined,
  };
}

/** The format that the construct writes counts as none. */
function readFormats(formats: unknown): string[] | undefined {
  const isOwn = Array.isArray(formats) && formats.length > 0 && !(formats.length === 1 && formats[0] === METRICS_FORMAT);
  return isOwn ? formats.map(jsonText) : undefined;
}

function readStartStep(earlyStopping: unknown): KatibSettings['startStep'] {
  return numberOf(settingsOf(earlyStopping).start_step);
}

/** Numbers are texts in most fields. */
function numberOf(value: unknown): number | undefined {
  const text = amountIn(value);
  return text === undefined || text.trim() === '' ? undefined : jsonNumber(text);
}

function wholeIn(value: unknown): number | undefined {
  const number = numberOf(value);
  return Number.isInteger(number) ? number : undefined;
}
