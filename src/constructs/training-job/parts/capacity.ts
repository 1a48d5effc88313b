/** Capacity of a job: a ComputeClass, of its own or shared, whose nodes the job runs on. */
import { acceleratorsOf } from './accelerators';
import type { JobContext, JobPart } from './part';
import { capacityProblems, withCapacity, type BoundCapacity } from '../capacity-placement';
import { JobCapacity } from '../job-capacity';

/** See the top of this file. */
export function capacityPart(context: JobContext): JobPart | undefined {
  const { capacity } = context.props;
  if (capacity === undefined) {
    return undefined;
  }
  let bound: BoundCapacity;
  return {
    bind() {
      bound = capacity._bind(context.construct, context.name(), context.namespace());
      return [bound.computeClass];
    },
    apply: (spec) => withCapacity(spec, bound),
    problems: (spec) => capacityProblems(spec, acceleratorsOf(context), bound),
    shared: () => ({ capacity: JobCapacity._of(bound) }),
    computeClass: () => bound.computeClass,
  };
}
