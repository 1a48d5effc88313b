/** Whether a job can ever be admitted, with the numbers that are told when it cannot. */
import type { PodSetDemand } from '../../../src/model/queues/flavor-match';
import { fitProblems } from '../../../src/model/queues/fit';
import { FITTING, GPU, NEVER_FITTING, pods, queueOf, type World } from '../../support/queues/fit-cases';

function problems({ queue, others = [], cohorts = [], flavors = [] }: World, ...podSets: readonly PodSetDemand[]): readonly string[] {
  return fitProblems(podSets, queue, { clusterQueues: [queue, ...others], cohorts, flavors });
}

test.each(FITTING)('fits: %s', (_what, world, podSets) => {
  expect(problems(world, ...podSets)).toEqual([]);
});

test.each(NEVER_FITTING)('never fits: %s', (_what, world, podSets, words) => {
  const found = problems(world, ...podSets);
  expect(found).toHaveLength(1);
  for (const word of words) {
    expect(found[0]).toContain(word);
  }
});

test('a job gets the benefit of the doubt when there are too many choices to look at', () => {
  const flavors = Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`f${index}`, { [GPU]: '15' }]));
  // 13 roles of 8 in 12 flavors of 15 cannot be placed, and 12 to the power of 13 choices are not tried.
  expect(problems({ queue: queueOf(flavors) }, ...Array.from({ length: 13 }, (_, index) => pods(1, { [GPU]: 8 }, { name: `r${index}` })))).toEqual([]);
});
