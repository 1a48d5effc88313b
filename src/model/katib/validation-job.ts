/** Rules on the job that Katib tries: its controller creates the jobs of trials, and its webhook changes how the program starts. */
import { shellNeedsQuotes } from './shell-words';
import { wrapsProgram, type KatibSearch } from './spec';
import type { TrainingJobSpec } from '../training-job/spec';
import { ViolationCollector, type Violation } from '../violations';

/** How texts of a trial's manifest that Katib replaces begin. */
const REPLACED = '${trialParameters.';

/** Checks the job. */
export function validateKatibJob({ job, settings }: KatibSearch): Violation[] {
  const violations = new ViolationCollector();
  const { suspend, runPolicy, array } = job;
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
  if (JSON.stringify(job).includes(REPLACED)) {
    violations.add('spec', REPLACED, 'appears in the job, and Katib replaces such placeholders. The search writes them itself: scripts read values from variables, '
      + 'and arguments as $(NAME).');
  }
  if (wrapsProgram(settings.collector)) {
    validatePrograms(job, violations);
  }
  return violations.violations;
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
