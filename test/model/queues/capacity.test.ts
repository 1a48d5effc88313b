/** The sums of quotas over queues and cohorts hold for all of them. */
import fc from 'fast-check';
import { QueueCapacities, cohortCycle } from '../../../src/model/queues/capacity';
import type { ClusterQueueSpec, CohortSpec } from '../../../src/model/queues/spec';
import { group, landscape } from '../../support/queues/landscapes';

test('a queue can always have its own quota, never more than all quotas, and never more than its borrowing limit allows', () => {
  fc.assert(fc.property(landscape, (world) => {
    const capacities = new QueueCapacities(world);
    const { sum } = capacities.nominals('f', 'gpu');
    for (const queue of world.clusterQueues) {
      const { amount: most } = capacities.of(queue, 'f', 'gpu');
      const [{ nominal, borrowingLimit }] = queue.resourceGroups[0].flavors[0].quotas;
      expect(most).toBeGreaterThanOrEqual(Number(nominal));
      expect(most).toBeLessThanOrEqual(sum);
      expect(most).toBeLessThanOrEqual(borrowingLimit === undefined ? Infinity : Number(nominal) + Number(borrowingLimit));
    }
  }));
});

test('without limits everybody can have everything', () => {
  fc.assert(fc.property(landscape, (world) => {
    const free = <T extends ClusterQueueSpec | CohortSpec>(one: T): T => ({ ...one,
      resourceGroups: group({ nominal: Number(one.resourceGroups[0].flavors[0].quotas[0].nominal) }) });
    const open = { ...world, cohorts: world.cohorts.map(free), clusterQueues: world.clusterQueues.map(free) };
    const capacities = new QueueCapacities(open);
    expect(open.clusterQueues.map((queue) => capacities.of(queue, 'f', 'gpu').amount)).toEqual(open.clusterQueues.map(() => capacities.nominals('f', 'gpu').sum));
  }));
});

test('a circle of cohorts is found wherever one begins', () => {
  const cohort = (name: string, parent?: string): CohortSpec => ({ name, parent, resourceGroups: [] });
  expect(cohortCycle([cohort('a', 'b'), cohort('b', 'c'), cohort('c', 'b')])).toEqual(['b', 'c', 'b']);
  expect(cohortCycle([cohort('a', 'a')])).toEqual(['a', 'a']);
  expect(cohortCycle([cohort('a', 'b'), cohort('b', 'elsewhere')])).toEqual([]);
});
