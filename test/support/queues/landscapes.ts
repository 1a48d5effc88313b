/** Random cohorts and queues, of one flavor and one resource, with limits of all kinds. */
import fc from 'fast-check';
import type { ClusterQueueSpec, CohortSpec } from '../../../src/model/queues/spec';

const amount = fc.integer({ min: 0, max: 64 });
const limit = fc.option(amount, { nil: undefined });
const text = (value: number | undefined) => (value === undefined ? undefined : String(value));

const member = fc.record({ nominal: amount, borrowingLimit: limit, lendingLimit: limit });

/** A group with one quota. */
export const group = ({ nominal, borrowingLimit, lendingLimit }: { nominal: number; borrowingLimit?: number; lendingLimit?: number }) => [{
  flavors: [{ flavor: 'f', quotas: [{ resource: 'gpu', nominal: String(nominal), borrowingLimit: text(borrowingLimit), lendingLimit: text(lendingLimit === undefined ? undefined : Math.min(lendingLimit, nominal)) }] }],
}];

/** Up to four cohorts, each below an earlier one, and queues anywhere in them. */
export const landscape = fc.record({
  cohorts: fc.array(fc.record({ member, parent: fc.nat(3) }), { minLength: 1, maxLength: 4 }),
  queues: fc.array(fc.record({ member, cohort: fc.nat(3) }), { minLength: 1, maxLength: 6 }),
}).map(({ cohorts, queues }) => ({
  cohorts: cohorts.map(({ member: own, parent }, index): CohortSpec => ({
    name: `c${index}`, parent: index === 0 ? undefined : `c${parent % index}`, resourceGroups: group(index === 0 ? { nominal: own.nominal } : own),
  })),
  clusterQueues: queues.map(({ member: own, cohort }, index): ClusterQueueSpec => ({ name: `q${index}`, cohort: `c${cohort % cohorts.length}`, resourceGroups: group(own) })),
  flavors: [],
}));
