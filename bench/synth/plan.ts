/** What is measured: everything, or a small part of it that shows that all parts work. */
import type { SynthSize } from './programs/size';

/** Sizes and numbers of runs. */
export interface SynthPlan {
  /** Programs in processes of their own, in turns; kustomize takes part in the first few turns. */
  readonly cold: readonly { readonly size: SynthSize; readonly turns: number; readonly kustomizeTurns: number }[];
  /** Programs in turns in one process. */
  readonly warm: readonly { readonly size: SynthSize; readonly turns: number }[];
}

/** Size at which the limit holds. */
export const LIMIT_JOBS = 1_000;

/** How many times as long as raw objects typed ones may take. */
export const LIMIT_RATIO = 1.3;

/** All of it: a few minutes on two cores that do nothing else. Kustomize, whose time grows faster than its input, runs once on the largest. */
export const FULL: SynthPlan = {
  cold: [
    { size: { jobs: 100, charts: 1 }, turns: 15, kustomizeTurns: 5 },
    { size: { jobs: 1_000, charts: 1 }, turns: 15, kustomizeTurns: 5 },
    { size: { jobs: 10_000, charts: 1 }, turns: 5, kustomizeTurns: 1 },
    { size: { jobs: 100, charts: 100 }, turns: 5, kustomizeTurns: 0 },
    { size: { jobs: 1_000, charts: 1_000 }, turns: 3, kustomizeTurns: 0 },
  ],
  warm: [
    { size: { jobs: 100, charts: 1 }, turns: 21 },
    { size: { jobs: 1_000, charts: 1 }, turns: 15 },
    { size: { jobs: 10_000, charts: 1 }, turns: 5 },
  ],
};

/** Half a minute. Its numbers prove nothing. */
export const QUICK: SynthPlan = {
  cold: [
    { size: { jobs: 100, charts: 1 }, turns: 3, kustomizeTurns: 1 },
    { size: { jobs: 1_000, charts: 1 }, turns: 3, kustomizeTurns: 1 },
    { size: { jobs: 100, charts: 100 }, turns: 1, kustomizeTurns: 0 },
  ],
  warm: [
    { size: { jobs: 100, charts: 1 }, turns: 5 },
    { size: { jobs: 1_000, charts: 1 }, turns: 5 },
  ],
};
