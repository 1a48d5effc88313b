/**
 * How long the name of a job may be that nobody has given one: names of pods and services follow from it and have to fit too, whichever roles of its
 * framework the job gets, with up to ten thousand replicas each.
 */
import type { EngineDefinition } from './engine';
import { arrayJobName, DNS_LABEL_MAX_LENGTH, trialJobName } from '../../model/names';
import { MAX_ARRAY_COUNT } from '../../model/training-job/array';
import type { FrameworkName } from '../../model/training-job/spec';

/** Characters that are left for a name before a suffix. */
export function roomBefore(suffix: string): number {
  return DNS_LABEL_MAX_LENGTH - suffix.length;
}

/** What follows in the longest name of a pod or service, but with engines that say otherwise. */
const LONGEST_SUFFIX = '-evaluator-9999';

/** Trials that a search may later get. */
const TRIALS = 9_999;

/** What is known of a job when it gets its name. */
export interface NamelessJob {
  readonly framework: FrameworkName;
  readonly array?: object;
  readonly autoTuning?: { readonly maxTrials?: number };
}

/** See the top of this file. */
export function generatedNameMaxLength(engine: EngineDefinition, { framework, array, autoTuning }: NamelessJob): number {
  // Copies and trials are jobs with names of their own.
  const child = array !== undefined ? arrayJobName('', MAX_ARRAY_COUNT - 1)
    : autoTuning !== undefined ? trialJobName('', Math.max(TRIALS, autoTuning.maxTrials ?? 0)) : '';
  return (engine.generatedNameMaxLength?.(framework) ?? roomBefore(LONGEST_SUFFIX)) - child.length;
}
