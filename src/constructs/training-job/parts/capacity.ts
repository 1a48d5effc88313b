/** Capacity of a job: a ComputeClass, of its own or shared, whose nodes the job runs on. */
import { acceleratorsOf } from './accelerators';
import type { JobContext, JobPart } from './part';
import type { BoundCapacity } from '../capacity';
import { capacityProblems, withCapacity } from '../capacity-placement';

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
    shared: () => ({ capacity: { _bind: () => bound } }),
    computeClass: () => bound.computeClass,
  };
}
