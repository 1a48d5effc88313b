/**
 * All rules on a search by Katib: those on parameters and on the job, the others in a file by their topic. Rules of the job and of the search itself
 * are those of `training-job`.
 */
import { KATIB_ALGORITHMS, katibAlgorithm, type KatibAlgorithm } from './algorithms';
import { shellNeedsQuotes } from '../variable-references';
import { wrapsProgram, METRIC_NAME, type KatibSearch, type KatibCollectorSpec } from './spec';
import { validateKatibAlgorithm } from './validation-algorithm';
import { fieldPath } from '../shapes';
import type { TuningParameterSpec } from '../training-job/fields/features';
import type { TrainingJobSpec } from '../training-job/spec';
import { ViolationCollector, type Violation } from '../violations';
import { problemOfGoExpression } from '../text/expressions';

/** What is wrong with a search whose job and whose `autoTuning` keep the model's rules; paths are those of our spec. */
export function validateKatibSearch(search: KatibSearch): Violation[] {
  const violations = new ViolationCollector();
  violations.addAll(validateKatibAlgorithm(search));
  validateParameters(search, violations);
  validateCollector(search, violations);
  validateJob(search, violations);
  return violations.violations;
}

const PARAMETERS = 'spec.autoTuning.parameters';

/** Katib puts values into the text of a manifest, where quotes end a string, and into arguments, where the kubelet reads `$`. */
const UNSAFE = /["'\\$\p{Cc}]/u;

const CMAES_DIMENSIONS = 2;

/**
 * Rules on the parameters of a search by Katib: what its algorithms make of scales and steps, and how values come into the manifest of a trial.
 */
function validateParameters(search: KatibSearch, violations: ViolationCollector): void {
  const { name } = katibAlgorithm(search);
  const algorithm = KATIB_ALGORITHMS[name];
  const parameters = Object.entries(search.tuning.parameters);
  for (const [parameter, spec] of parameters) {
    const path = fieldPath(PARAMETERS, parameter);
    (spec.values ?? []).forEach((value, index) => {
      if (UNSAFE.test(String(value))) {
        violations.add(`${path}.values[${index}]`, value, 'has a quote, a backslash, a dollar sign or a control character, and Katib inserts values unescaped '
          + 'into a manifest. Use a value without such characters.');
      }
    });
    // Of a grid every point is tried, however they are spread.
    if (algorithm !== undefined && spec.values === undefined && name !== 'grid') {
      validateRange(path, spec, { name, algorithm }, violations);
    }
  }
  const ranges = parameters.filter(([, { values }]) => values === undefined).length;
  if (name === 'cmaes' && ranges < CMAES_DIMENSIONS) {
    violations.add(PARAMETERS, ranges, `Katib's cmaes needs ${CMAES_DIMENSIONS} or more ranges (TuningParameter.float, int). Add one, or use KatibAlgorithm.multivariateTpe().`);
  }
}

interface Named {
  readonly name: string;
  readonly algorithm: KatibAlgorithm;
}

function validateRange(path: string, spec: TuningParameterSpec, { name, algorithm }: Named, violations: ViolationCollector): void {
  const { library, logFloats, logInts, steps } = algorithm;
  const title = `Katib 0.19's ${name} (${library})`;
  const isLog = spec.scale === 'log';
  if (spec.type === 'float' && logFloats === 'always' && !isLog) {
    violations.add(`${path}.scale`, spec.scale ?? 'linear', `${title} spreads every fraction on a log scale. Use TuningScale.LOG, a list of values, or KatibAlgorithm.multivariateTpe().`);
  }
  if (isLog && (spec.type === 'float' ? logFloats === 'never' : !logInts)) {
    violations.add(`${path}.scale`, spec.scale, `${title} spreads this parameter evenly. Use the linear scale, a list of values, or KatibAlgorithm.multivariateTpe().`);
  }
  // Whole numbers without a step have one of 1.
  if (spec.step === undefined || (spec.type === 'int' && spec.step === 1)) {
    return;
  }
  if (steps === 'never') {
    violations.add(`${path}.step`, spec.step, `${title} takes any value of a range. List the values, or use KatibAlgorithm.multivariateTpe().`);
    return;
  }
  const [min, max] = [spec.min!, spec.max!];
  const beyond = steps === 'multiples' ? [min, max].some((end) => !isMultiple(end, spec.step!)) : steps === 'past max' && !isMultiple(max - min, spec.step);
  if (beyond) {
    const told = steps === 'multiples'
      ? `rounds to multiples of the step, and so below min (${min}) or above max (${max}). Use multiples as min and max,`
      : `rounds to whole steps from min, and so above max (${max}). Use a range of whole steps,`;
    violations.add(`${path}.step`, spec.step, `${title} ${told} list the values, or use KatibAlgorithm.multivariateTpe().`);
  }
}

function isMultiple(value: number, step: number): boolean {
  const count = value / step;
  return Math.abs(count - Math.round(count)) < 1e-9 * Math.max(1, Math.abs(count));
}

/** How texts of a trial's manifest that Katib replaces begin. */
const REPLACED = '${trialParameters.';

/** Rules on the job that Katib tries: its controller creates the jobs of trials, and its webhook changes how the program starts. */
function validateJob({ job, settings }: KatibSearch, violations: ViolationCollector): void {
  const { suspend, runPolicy, array, hooks } = job;
  if (suspend !== undefined) {
    violations.add('spec.suspend', suspend, 'Katib cannot suspend a search. Remove it; a queue (scheduling.queueName) holds back trials individually.');
  }
  if (runPolicy?.ttlSecondsAfterFinished !== undefined) {
    violations.add('spec.runPolicy.ttlSecondsAfterFinished', runPolicy.ttlSecondsAfterFinished,
      'would delete the job before Katib sees the result of the trial. Remove it: Katib deletes the jobs of trials itself.');
  }
  if (array !== undefined) {
    violations.add('spec.array', array.count, 'a trial is one job. Remove it; seeds can be a parameter of the search.');
  }
  if (hooks !== undefined) {
    violations.add('spec.hooks', Object.keys(hooks), 'would run for each trial. Remove them, or run the steps as jobs of their own in a pipeline.');
  }
  if (JSON.stringify(job).includes(REPLACED)) {
    violations.add('spec', REPLACED, 'appears in the job, and Katib replaces such placeholders. The search writes them itself: scripts read values from variables, '
      + 'and arguments as $(NAME).');
  }
  if (wrapsProgram(settings.collector)) {
    validatePrograms(job, violations);
  }
}

/** Words of the image's entry point are not known here, so that what stands behind them has to survive a shell as it is. */
function validatePrograms(job: TrainingJobSpec, violations: ViolationCollector): void {
  const programs = [
    { path: 'spec', command: job.command, args: job.args },
    ...(job.roles ?? []).map((role, index) => ({ path: `spec.roles[${index}]`, command: role.command ?? job.command, args: role.args })),
  ];
  for (const { path, command, args = [] } of programs) {
    const word = command === undefined ? args.find(shellNeedsQuotes) : undefined;
    if (word !== undefined) {
      violations.add(`${path}.args`, word, 'Katib puts the image\'s entry point and the arguments into a shell command line, which would interpret this one. '
        + 'Set the command too: then the search quotes them.');
    }
  }
}

const PATH = 'katib.metrics';

/** Checks metrics and their collector. */
function validateCollector({ tuning: { objective }, settings }: KatibSearch, violations: ViolationCollector): void {
  const { collector, additionalMetrics = [] } = settings;
  const named = [{ path: 'spec.autoTuning.objective', name: objective },
    ...additionalMetrics.map((name, index) => ({ path: `katib.additionalMetrics[${index}]`, name }))];
  named.forEach(({ path, name }, index) => {
    if (readsText(collector) && collector.formats === undefined && !METRIC_NAME.test(name)) {
      violations.add(path, name, 'cannot be parsed from text: metric names have letters, digits, \'_\', \'.\', \'/\', \'|\' and \'-\'. Rename it, or give formats.');
    } else if (name.includes(';')) {
      violations.add(path, name, 'contains \';\', which Katib\'s collector uses to separate names. Rename it.');
    }
    if (named.findIndex((other) => other.name === name) < index) {
      violations.add(path, name, 'is collected already. Remove it.');
    }
  });
  validatePlace(collector, violations);
  validateFormats(collector, violations);
}

/** Whether lines of text are looked through for names and values. */
export function readsText({ kind, json }: KatibCollectorSpec): boolean {
  return kind === 'StdOut' || (kind === 'File' && json !== true);
}

function validatePlace({ kind, path, port }: KatibCollectorSpec, violations: ViolationCollector): void {
  if (path !== undefined && !path.startsWith('/')) {
    const what = kind === 'PrometheusMetric' ? 'begin with \'/\'' : 'be an absolute path in the container';
    violations.add(`${PATH}.path`, path, `must ${what}, or Katib rejects it. Put a slash in front.`);
  } else if (path === '/' && kind !== 'PrometheusMetric') {
    violations.add(`${PATH}.path`, path, 'would hide the container\'s root filesystem. Use a separate folder, such as /var/log/katib/.');
  } else if (kind === 'File' && path !== undefined && !/^\/[^/]+\/.*[^/]$/.test(path)) {
    violations.add(`${PATH}.path`, path, 'must be a file in a separate folder: the folder is mounted over. Use one such as /var/log/katib/metrics.log.');
  }
  violations.whole(`${PATH}.port`, port, 1, 65_535);
}

function validateFormats(collector: KatibCollectorSpec, violations: ViolationCollector): void {
  const { formats = [] } = collector;
  if (formats.length > 0 && !readsText(collector)) {
    violations.add(`${PATH}.formats`, formats[0], 'applies to text, and this collector reads none. Remove it.');
    return;
  }
  formats.forEach((format, index) => {
    const path = `${PATH}.formats[${index}]`;
    if (problemOfGoExpression(format) !== undefined) {
      violations.add(path, format, 'is not a regular expression. Correct it.');
    } else if (format.includes(';')) {
      violations.add(path, format, 'contains \';\', which Katib\'s collector uses to separate expressions. Write \\x3b for it.');
    } else if (!hasTwoGroups(format)) {
      violations.add(path, format, 'needs two groups in brackets: the name of the metric, and its value.');
    }
  });
}

/** Two pairs of brackets, one behind the other. */
function hasTwoGroups(format: string): boolean {
  const firstEnd = format.indexOf(')', format.indexOf('(') + 1);
  const second = format.indexOf('(', firstEnd + 1);
  return format.includes('(') && firstEnd !== -1 && second !== -1 && format.includes(')', second + 1);
}
