/** Mistakes of the program itself. */
import type { Check } from '../finding';
import { command } from '../fixes';
import { count } from '../../text';

/** Maximum number of mistakes that are shown. */
const MOST = 5;

export const PROGRAM: Check = {
  topic: 'program',
  run: ({ program }) => (program === undefined ? { faults: [] } : {
    faults: program.workloads.filter(({ mistakes }) => mistakes.length > 0).map(({ title, mistakes }) => ({
      id: 'ProgramInvalid', severity: 'error', what: `${title} is not valid. Its pods were not checked against the cluster.`,
      evidence: mistakes.slice(0, MOST), fix: command('trainyard', 'validate', program.file),
    })),
    passed: `${program.file} has ${count(program.workloads.length, 'workload')} and ${count(program.objects.length - program.workloads.length, 'other object')}.`,
  }),
};
