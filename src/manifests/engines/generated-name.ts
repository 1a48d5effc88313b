/**
 * How long names of jobs may be, because names of pods and services are derived from them. A generated name leaves room for each role of the job's
 * framework, with up to ten thousand replicas.
 */
import type { EngineDefinition } from './engine';
import { arrayJobName, DNS_LABEL_MAX_LENGTH, trialJobName } from '../../model/names';
import { MAX_ARRAY_COUNT } from '../../model/training-job/array';
import type { FrameworkName } from '../../model/training-job/spec';
import type { Violation } from '../../model/violations';

/** Characters left for a name before a suffix. */
export function roomBefore(suffix: string): number {
  return DNS_LABEL_MAX_LENGTH - suffix.length;
}

/** Suffix of the longest name of a pod or service, unless the engine defines another limit. */
const LONGEST_SUFFIX = '-evaluator-9999';

/** Trials that a search may get later. */
const TRIALS = 9_999;

/** The part of a job that limits its generated name. */
export interface NamelessJob {
  readonly framework: FrameworkName;
  readonly array?: object;
  readonly autoTuning?: { readonly maxTrials?: number };
}

/** Longest generated name of a job, in characters. */
export function generatedNameMaxLength(engine: EngineDefinition, { framework, array, autoTuning }: NamelessJob): number {
  // Copies and trials are jobs with their own names.
  const child = array !== undefined ? arrayJobName('', MAX_ARRAY_COUNT - 1)
    : autoTuning !== undefined ? trialJobName('', Math.max(TRIALS, autoTuning.maxTrials ?? 0)) : '';
  return (engine.generatedNameMaxLength?.(framework) ?? roomBefore(LONGEST_SUFFIX)) - child.length;
}

/**
 * Checks that the names derived from a job's name are DNS labels.
 * @param names names of its pods or hosts
 * @param problem start of the message, given the longest name
 */
export function nameViolations(job: string, names: readonly string[], problem: (longest: string) => string): Violation[] {
  const longest = names.reduce((one, other) => (other.length > one.length ? other : one));
  const excess = longest.length - DNS_LABEL_MAX_LENGTH;
  return excess <= 0 ? [] : [{
    path: 'metadata.name',
    value: job,
    message: `${problem(longest)}. ${job.length > excess ? `Use at most ${job.length - excess} characters.` : 'Shorten the name of the role.'}`,
  }];
}
