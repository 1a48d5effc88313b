/** What is measured: everything, or a small part of it that shows that all parts work. */
import type { RecoveryOptions } from './recovery';
import { sizeName, type Size } from './workload';

/** Bursts of one size. */
export interface BurstPlan {
  readonly size: Size;
  /** Control planes, one after the other. */
  readonly planes: number;
  /** How often the burst is made on each of them without and with an operator, in turns. */
  readonly times: number;
}

/** Sizes and numbers of one run of the bench. */
export interface BenchPlan {
  readonly bursts: readonly BurstPlan[];
  /** Jobs that are created one after the other on an idle operator. */
  readonly firstPod: Size;
  /** What is lost while the jobs of this size run; it is one of the bursts. */
  readonly recovery: { readonly size: Size } & RecoveryOptions;
  readonly idle: { readonly size: Size; readonly seconds: number };
  /** Jobs in the API server when new operators start, the idle ones among them. */
  readonly coldList: { readonly jobs: number; readonly starts: number };
  /** Finished jobs, with none running. */
  readonly finished: { readonly jobs: number; readonly settleSeconds: number };
}

/**
 * All of it: less than half an hour on two cores that do nothing else. Short bursts are over in one or two seconds, and one of them says little: they
 * are made several times, and the medians compared; and a few on each control plane, as its caches fill with what former ones have left behind.
 */
export const FULL: BenchPlan = {
  bursts: [
    { size: { jobs: 100, pods: 4 }, planes: 5, times: 2 },
    { size: { jobs: 500, pods: 4 }, planes: 1, times: 3 },
    { size: { jobs: 50, pods: 64 }, planes: 1, times: 1 },
    { size: { jobs: 1, pods: 1000 }, planes: 1, times: 3 },
  ],
  firstPod: { jobs: 100, pods: 4 },
  recovery: { size: { jobs: 500, pods: 4 }, pods: 100, operatorKills: 5, podsPerKill: 10, nodes: 3 },
  idle: { size: { jobs: 2_000, pods: 1 }, seconds: 20 },
  coldList: { jobs: 5_000, starts: 3 },
  finished: { jobs: 10_000, settleSeconds: 15 },
};

/** Bursts of one size alone. Those of a size that a full run has are as many as there. */
export function burstPlan(size: Size, times?: number): BurstPlan {
  const known = FULL.bursts.find((burst) => sizeName(burst.size) === sizeName(size));
  return { size, planes: known?.planes ?? 1, times: times ?? known?.times ?? 1 };
}

/** Made before anything is counted, without and with an operator: the first burst of a process runs code that has never run. */
export const WARM_UP: Size = { jobs: 100, pods: 4 };

/** A minute or two. Its numbers prove nothing. */
export const QUICK: BenchPlan = {
  bursts: [{ size: { jobs: 20, pods: 4 }, planes: 1, times: 1 }, { size: { jobs: 1, pods: 50 }, planes: 1, times: 1 }],
  firstPod: { jobs: 10, pods: 4 },
  recovery: { size: { jobs: 20, pods: 4 }, pods: 5, operatorKills: 1, podsPerKill: 3, nodes: 1 },
  idle: { size: { jobs: 30, pods: 1 }, seconds: 3 },
  coldList: { jobs: 100, starts: 1 },
  finished: { jobs: 200, settleSeconds: 2 },
};
