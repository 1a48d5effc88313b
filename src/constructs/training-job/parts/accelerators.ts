/** Accelerators of a job, of its roles and of its helpers. */
import type { JobContext, JobPart } from './part';
import { acceleratorProblems, selectionFindings, withAccelerators, type JobAccelerators } from '../job-accelerators';

/** Accelerators as given; roles may be added until synth. */
export function acceleratorsOf({ props: { accelerator: job, helpers = [] }, roles }: JobContext): JobAccelerators {
  return { job, roles: roles().map(({ accelerator }) => accelerator), helpers: helpers.map(({ accelerator }) => accelerator) };
}

/** See the top of this file. The first part with rules, because a wrong accelerator causes errors in the others. */
export function acceleratorPart(context: JobContext): JobPart {
  const { accelerator, helpers } = context.props;
  const mayHaveAny = () => accelerator !== undefined || helpers !== undefined || context.roles().length > 0;
  return {
    apply: (spec) => (mayHaveAny() ? withAccelerators(spec, acceleratorsOf(context)) : spec),
    problems: (spec) => (mayHaveAny() ? acceleratorProblems(spec, acceleratorsOf(context)) : []),
    // Node selectors without an accelerator are checked too.
    findings: ({ name, spec }) => selectionFindings(name, spec),
  };
}
