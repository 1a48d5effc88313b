/**
 * An array on this machine: the planner of arrays, with local runs as copies. As many run at a time as `parallelism` says, and where the job
 * leaves that to the cluster, as many as this machine has processors.
 */
import os from 'node:os';
import { LocalParent, type LocalChild } from './local-parent';
import { arrayJobName } from '../../model/names';
import { arrayCheckpointFolder, arrayCopySpec } from '../../model/training-job/array';
import type { TrainingJobSpec } from '../../model/training-job/spec';
import type { TrainingJobStatus } from '../../model/training-job/status/status';
import { copiesOf, ended } from '../../operator/training/plan/array/copies';
import type { Action, Observation } from '../../operator/training/plan/types';

/** The array as it runs here. */
export function localArraySpec(spec: TrainingJobSpec, processors = os.availableParallelism()): TrainingJobSpec {
  const { array } = spec;
  return array === undefined || array.parallelism !== undefined
    ? spec
    : { ...spec, array: { ...array, parallelism: Math.min(array.count, processors) } };
}

/** See the top of this file. */
export class LocalArray extends LocalParent {
  /** The copies under way have ended with that run: they begin again. */
  protected resumed(status: TrainingJobStatus): TrainingJobStatus | undefined {
    return status.array && { ...status, array: { ...status.array, unseenIndexes: status.array.activeIndexes } };
  }

  protected introduce(): void {
    const { job: { spec: { array } }, reporter } = this.settings;
    const { count, parallelism = count } = array!;
    reporter.notice(`array of ${count} ${count === 1 ? 'copy' : 'copies'}, ${parallelism === 1 ? 'one' : Math.min(parallelism, count)} at a time`);
    if (this.status.array !== undefined) {
      const done = ended(copiesOf(this.status.array));
      reporter.notice(`continues the interrupted array: ${done} ${done === 1 ? 'copy has' : 'copies have'} ended (--fresh restarts)`);
    }
  }

  protected look(): Pick<Observation, 'copies'> {
    return {
      copies: [...this.children.values()].map(({ number, name, uid, status }) => ({
        index: number, name, uid, status, deleting: false, suspended: false,
      })),
    };
  }

  protected async execute(action: Action): Promise<void> {
    const { job } = this.settings;
    switch (action.type) {
      case 'createCopy': return this.begin({
        number: action.index,
        name: arrayJobName(job.name, action.index),
        spec: arrayCopySpec(job.spec, action.index),
        checkpoints: arrayCheckpointFolder(undefined, String(action.index)),
        title: `copy ${action.index}`,
      });
      case 'deleteCopy': return this.remove(action.uid);
      // Nothing is suspended here, and the other actions are those of jobs that have pods.
      default: return undefined;
    }
  }

  protected childOf(child: LocalChild): LocalChild {
    return child;
  }
}
