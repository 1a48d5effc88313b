/**
 * What Katib gets for a search in addition to `autoTuning`: where its collectors find the objective, and what it has that our operator has not.
 * @see https://www.kubeflow.org/docs/components/katib/
 */
import type { AutoTuningSpec } from '../training-job/fields/features';
import type { TrainingJobSpec } from '../training-job/spec';

/** Where Katib finds the values of metrics. */
export interface KatibCollectorSpec {
  readonly kind: 'StdOut' | 'File' | 'TensorFlowEvent' | 'PrometheusMetric' | 'Push';
  /** File or folder in the container, or the path of an HTTP request. */
  readonly path?: string;
  readonly port?: number;
  /** Whether the file has a JSON object a line instead of text. */
  readonly json?: boolean;
  /** Regular expressions with a group for the name and one for the value. @default - those of {@link METRICS_FORMAT} */
  readonly formats?: readonly string[];
}

/** An algorithm that `autoTuning` has not, or with settings of its own. */
export interface KatibAlgorithmSpec {
  readonly name: string;
  readonly settings: { readonly [name: string]: string };
}

/** What becomes of the suggestion service when a search has ended. */
export type ResumePolicy = 'Never' | 'LongRunning' | 'FromVolume';

/** What Katib has and our operator has not. */
export interface KatibSettings {
  readonly collector: KatibCollectorSpec;
  /** @default - that of `autoTuning` */
  readonly algorithm?: KatibAlgorithmSpec;
  readonly additionalMetrics?: readonly string[];
  /** Values of the objective that a trial has to report before it can be ended early. */
  readonly startStep?: number;
  readonly retainTrials?: boolean;
  readonly resumePolicy?: ResumePolicy;
}

export interface KatibSearch {
  readonly name: string;
  readonly namespace?: string;
  readonly labels?: { readonly [name: string]: string };
  /** The job that is tried, without its search. */
  readonly job: TrainingJobSpec;
  readonly tuning: AutoTuningSpec;
  readonly settings: KatibSettings;
}

/**
 * How scripts print metrics: `name=value`, `name: value` or `"name": value`. Katib's own expression knows the first alone. The groups are the name
 * and the value.
 */
export const METRICS_FORMAT = '(\\w[\\w./|-]*)"?\\s*[=:]\\s*"?([+-]?\\d+(?:\\.\\d*)?(?:[eE][+-]?\\d+)?)';

/** Names that {@link METRICS_FORMAT} finds. */
export const METRIC_NAME = /^\w[\w./|-]*$/;

/** Characters that Katib appends to the name of a search for the name of a trial: a dash and eight others. */
export const TRIAL_SUFFIX_LENGTH = 9;

/**
 * Whether Katib starts the program of the container through a shell of its own, which joins the words of command and arguments with spaces: it does
 * for collectors that have to know when the program has ended.
 */
export function wrapsProgram({ kind }: KatibCollectorSpec): boolean {
  return kind === 'StdOut' || kind === 'File' || kind === 'TensorFlowEvent';
}
