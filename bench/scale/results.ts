/** What one run of the bench has found. */
import os from 'node:os';
import type { BurstTimes, OperatorBurst } from './burst';
import type { FirstPod } from './first-pod';
import type { IdleCost, PopulationCost } from './population';
import type { Recovery } from './recovery';
import type { StepsLost } from './steps-lost';
import type { Size } from './workload';
import { KUBERNETES_VERSION } from '../../src/local/control-plane';

/** Bursts of one size, taken in turns. */
export interface SizeResult {
  readonly size: Size;
  readonly bare: readonly BurstTimes[];
  readonly operator: readonly OperatorBurst[];
}

/** Seconds to all pods of one size, taken in turns, with the peers' harness as a second clock. */
export interface HarnessResult {
  readonly size: Size;
  /** The harness's own bare client. */
  readonly bareOfHarness: readonly number[];
  /** This bench's bare client, which makes the operator's objects. */
  readonly bare: readonly number[];
  /** The operator, by the harness's clock. */
  readonly operator: readonly number[];
}

/** All results. */
export interface BenchResults {
  readonly date: string;
  readonly machine: Machine;
  /** Load average of a minute, before and after: of a machine that does nothing else it is near 0 before. */
  readonly load: { readonly before: number; readonly after: number };
  readonly quick: boolean;
  readonly sizes: readonly SizeResult[];
  /** What was measured again after the whole run, on its own. */
  readonly again?: readonly string[];
  /** @default - the harness was not at hand */
  readonly harness?: HarnessResult;
  /** @default - of an older run, which did not measure it */
  readonly firstPod?: FirstPod;
  readonly recoveries: readonly Recovery[];
  readonly stepsLost: StepsLost;
  readonly idle: IdleCost;
  readonly coldList: PopulationCost;
  readonly finished: PopulationCost;
}

/** Where it was measured. */
export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGiB: number;
  readonly node: string;
  readonly kubernetes: string;
}

/** This machine. */
export function thisMachine(): Machine {
  return {
    cpu: os.cpus()[0]?.model ?? 'unknown',
    cores: os.cpus().length,
    memoryGiB: Math.round(os.totalmem() / 2 ** 30),
    node: process.version,
    kubernetes: KUBERNETES_VERSION,
  };
}
