/** What is measured: everything, or a small part of it that shows that all parts work. */
import type { RecoveryOptions } from './recovery';
import type { Size } from './workload';

/** Sizes and numbers of one run of the bench. */
export interface BenchPlan {
  /** Bursts, each with the number of times that it is made without and with an operator, in turns. */
  readonly bursts: readonly { readonly size: Size; readonly times: number }[];
  /** What is lost while the jobs of this size run; it is one of the bursts. */
  readonly recovery: { readonly size: Size } & RecoveryOptions;
  readonly idle: { readonly size: Size; readonly seconds: number };
  /** Jobs in the API server when new operators start, the idle ones among them. */
  readonly coldList: { readonly jobs: number; readonly starts: number };
  /** Finished jobs, with none running. */
  readonly finished: { readonly jobs: number; readonly settleSeconds: number };
}

/**
 * All of it: about a quarter of an hour on two cores that do nothing else. Short bursts are over in one or two seconds, and one of them says little:
 * they are made several times, and the medians compared.
 */
export const FULL: BenchPlan = {
  bursts: [
    { size: { jobs: 100, pods: 4 }, times: 9 },
    { size: { jobs: 500, pods: 4 }, times: 3 },
    { size: { jobs: 50, pods: 64 }, times: 1 },
    { size: { jobs: 1, pods: 1000 }, times: 3 },
  ],
  recovery: { size: { jobs: 500, pods: 4 }, pods: 100, operatorKills: 5, podsPerKill: 10, nodes: 3 },
  idle: { size: { jobs: 2_000, pods: 1 }, seconds: 20 },
  coldList: { jobs: 5_000, starts: 3 },
  finished: { jobs: 10_000, settleSeconds: 15 },
};

/** A minute or two. Its numbers prove nothing. */
export const QUICK: BenchPlan = {
  bursts: [{ size: { jobs: 20, pods: 4 }, times: 1 }, { size: { jobs: 1, pods: 50 }, times: 1 }],
  recovery: { size: { jobs: 20, pods: 4 }, pods: 5, operatorKills: 1, podsPerKill: 3, nodes: 1 },
  idle: { size: { jobs: 30, pods: 1 }, seconds: 3 },
  coldList: { jobs: 100, starts: 1 },
  finished: { jobs: 200, settleSeconds: 2 },
};
