/**
 * Katib's Experiment. Fields whose defaults differ from those of `autoTuning` are always written, so that a search means the same here and there.
 * @see https://www.kubeflow.org/docs/components/katib/user-guides/hp-tuning/configure-experiment/
 */
import { trialConditions } from './primary-pod';
import type { TrialTemplate } from './trial-template';
import type { EngineDefinition } from '../engines/engine';
import type { Manifest } from '../kubernetes';
import { plainObject } from '../plain-object';
import { katibAlgorithm } from '../../model/katib/algorithms';
import { METRICS_FORMAT, type KatibCollectorSpec, type KatibSearch } from '../../model/katib/spec';
import { readsText } from '../../model/katib/validation';
import type { TuningParameterSpec } from '../../model/training-job/fields/features';
import { AUTO_TUNING_DEFAULTS, resolveSearch } from '../../model/tuning/search';

/** `apiVersion` of an Experiment. */
export const EXPERIMENT_API_VERSION = 'kubeflow.org/v1beta1';

/** The Experiment. */
export function constructExperiment(engine: EngineDefinition, search: KatibSearch, template: TrialTemplate): Manifest & { readonly spec: object } {
  const { name, namespace, labels, tuning, settings } = search;
  const { goal, maxTrials, parallelTrials, maxFailedTrials } = resolveSearch(tuning, '');
  const { success, failure } = trialConditions(engine)!;
  return plainObject({
    apiVersion: EXPERIMENT_API_VERSION,
    kind: 'Experiment',
    metadata: { name, namespace, labels },
    spec: {
      objective: {
        type: goal,
        goal: tuning.target,
        objectiveMetricName: tuning.objective,
        additionalMetricNames: settings.additionalMetrics?.length ? settings.additionalMetrics : undefined,
        // The last value, as in our operator. Katib's default is the best value ever seen.
        metricStrategies: [tuning.objective, ...settings.additionalMetrics ?? []].map((metric) => ({ name: metric, value: 'latest' })),
      },
      algorithm: algorithm(search),
      earlyStopping: earlyStopping(search),
      // Katib compares the numbers with each other; a small space has fewer points than trials were allowed.
      parallelTrialCount: Math.min(parallelTrials, maxTrials),
      maxTrialCount: maxTrials,
      maxFailedTrialCount: Math.min(maxFailedTrials, maxTrials),
      resumePolicy: settings.resumePolicy,
      parameters: parameters(search),
      metricsCollectorSpec: collectorSpec(settings.collector),
      trialTemplate: {
        primaryContainerName: template.primaryPod.container,
        primaryPodLabels: template.primaryPod.labels,
        successCondition: success,
        failureCondition: failure,
        retain: settings.retainTrials,
        trialParameters: template.trialParameters,
        trialSpec: template.trialSpec,
      },
    },
  });
}

function algorithm(search: KatibSearch): object {
  const { name, settings } = katibAlgorithm(search);
  return { algorithmName: name, algorithmSettings: list(settings) };
}

function earlyStopping({ tuning: { earlyStopping: rule }, settings: { startStep } }: KatibSearch): object | undefined {
  if (rule === undefined || rule.enabled === false) {
    return undefined;
  }
  return {
    algorithmName: 'medianstop',
    algorithmSettings: list({
      min_trials_required: String(rule.minTrials ?? AUTO_TUNING_DEFAULTS.earlyStopping.minTrials),
      ...(startStep !== undefined && { start_step: String(startStep) }),
    }),
  };
}

function list(settings: { readonly [name: string]: string }): object[] | undefined {
  const entries = Object.entries(settings).map(([name, value]) => ({ name, value }));
  return entries.length > 0 ? entries : undefined;
}

function parameters({ tuning }: KatibSearch): object[] {
  const { budget } = tuning;
  return [
    ...Object.entries(tuning.parameters).map(([name, spec]) => parameter(name, spec)),
    ...(budget?.parameter === undefined ? [] : [parameter(budget.parameter, { type: 'int', min: 1, max: budget.max })]),
  ];
}

function parameter(name: string, { type, min, max, step, scale, values }: TuningParameterSpec): object {
  if (values !== undefined) {
    // All algorithms treat `discrete` in the same way, except hyperband, which reads only whole numbers there, and favors values next to large gaps.
    return { name, parameterType: 'categorical', feasibleSpace: { list: values.map(String) } };
  }
  return {
    name,
    parameterType: type === 'int' ? 'int' : 'double',
    feasibleSpace: { min: String(min), max: String(max), step: step === undefined ? undefined : String(step), distribution: scale === 'log' ? 'logUniform' : undefined },
  };
}

function collectorSpec(collector: KatibCollectorSpec): object {
  const { kind, path, port, json, formats = [METRICS_FORMAT] } = collector;
  const filter = readsText(collector) ? { metricsFormat: formats } : undefined;
  switch (kind) {
    case 'StdOut': return { collector: { kind }, source: { filter } };
    case 'File': return { collector: { kind }, source: { filter, fileSystemPath: { kind: 'File', path, format: json ? 'JSON' : 'TEXT' } } };
    case 'TensorFlowEvent': return { collector: { kind }, source: { fileSystemPath: { kind: 'Directory', path } } };
    case 'PrometheusMetric': return { collector: { kind }, source: { httpGet: { path, port } } };
    default: return { collector: { kind } };
  }
}
