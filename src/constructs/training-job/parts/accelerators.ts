/** Accelerators of a job, of its roles and of its helpers. */
import type { JobContext, JobPart } from './part';
import { acceleratorProblems, selectionFindings, withAccelerators, type JobAccelerators } from '../job-accelerators';

/** Accelerators as they were given; roles may be added until synth. */
export function acceleratorsOf({ props: { accelerator: job, helpers = [] }, roles }: JobContext): JobAccelerators {
  return { job, roles: roles().map(({ accelerator }) => accelerator), helpers: helpers.map(({ accelerator }) => accelerator) };
}

/** See the top of this file. First of the parts with rules: what follows from an accelerator that is wrong is of no interest. */
export function acceleratorPart(context: JobContext): JobPart {
  const { accelerator, helpers } = context.props;
  const mayHaveAny = () => accelerator !== undefined || helpers !== undefined || context.roles().length > 0;
  return {
    apply: (spec) => (mayHaveAny() ? withAccelerators(spec, acceleratorsOf(context)) : spec),
    problems: (spec) => (mayHaveAny() ? acceleratorProblems(spec, acceleratorsOf(context)) : []),
    // What the job selects by hand is judged too.
    findings: ({ name, spec }) => selectionFindings(name, spec),
  };
}
