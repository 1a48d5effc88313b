/** Searches and arrays on this machine. */
import os from 'node:os';
import { LocalParent, type LocalChild } from './local-parent';
import type { PodLine } from '../process/pod-process';
import { TRAINING_CONTAINER, arrayJobName, trialJobName } from '../../model/names';
import { arrayCheckpointFolder, arrayCopySpec } from '../../model/training-job/array';
import type { Replica } from '../../model/frameworks/contract';
import type { TrainingJobSpec } from '../../model/training-job/spec';
import type { TrainingJobStatus } from '../../model/training-job/status/status';
import { OBJECTIVE_LOG_LINES, loggedObjective, type ObjectiveReading } from '../../model/tuning/objective';
import { checkpointFolder, searchOf, trialSpec } from '../../model/tuning/trial-spec';
import { copiesOf, ended } from '../../operator/training/plan/array/copies';
import { endedTrials } from '../../operator/training/plan/tuning/tuning-status';
import type { Action, Observation } from '../../operator/training/plan/types';

/** A trial that has started. */
interface LocalTrial extends LocalChild {
  /** The last lines of the first replica. */
  readonly lines: string[];
  logged?: ObjectiveReading;
}

/**
 * A search on this machine, with local runs as trials. Each trial is a job with its own folder and logs, and `parallelTrials` run at the same time. A
 * trial's objective is the value that its script reports, else that in the last line of its first replica with one.
 */
export class LocalSearch extends LocalParent<LocalTrial> {
  /** Trials that were active start again. */
  protected resumed(status: TrainingJobStatus): TrainingJobStatus | undefined {
    const { tuning } = status;
    const active = tuning?.active?.map(({ seen: _seen, ...trial }) => trial);
    return tuning && { ...status, tuning: { ...tuning, ...(active && { active }) } };
  }

  protected introduce(): void {
    const { job, reporter } = this.settings;
    const { maxTrials, parallelTrials, algorithm, objective, goal } = searchOf(job.spec, this.uid);
    const atATime = parallelTrials === 1 ? 'one at a time' : `${parallelTrials} at a time`;
    reporter.notice(`${algorithm} search: ${maxTrials} trials, ${atATime}, to ${goal} ${objective}`);
    if (this.status.tuning !== undefined) {
      reporter.notice(`continues the interrupted search: ${endedTrials(this.status.tuning)} trials have ended (--fresh restarts)`);
    }
  }

  protected look(): Pick<Observation, 'trials'> {
    return {
      trials: [...this.children.values()].map(({ number, name, uid, status, logged }) => ({
        number, name, uid, status, logged, deleting: false, suspended: false,
      })),
    };
  }

  protected async execute(action: Action): Promise<void> {
    const { job } = this.settings;
    switch (action.type) {
      case 'createTrial': {
        const { trial } = action;
        return this.begin({
          number: trial.number,
          name: trialJobName(job.name, trial.number),
          spec: trialSpec(job.spec, searchOf(job.spec, this.uid), trial),
          checkpoints: checkpointFolder(trial),
          title: `trial ${trial.number}`,
        });
      }
      case 'deleteTrial': return this.remove(action.uid);
      case 'readObjective': {
        const trial = this.children.get(action.trial)!;
        trial.logged = loggedObjective(trial.lines.join('\n'), job.spec.autoTuning!.objective);
        return undefined;
      }
      // Nothing is suspended here. The other actions are for jobs with pods.
      default: return undefined;
    }
  }

  protected childOf(child: LocalChild): LocalTrial {
    return { ...child, lines: [] };
  }

  protected override onLine(trial: LocalTrial | undefined, replica: Replica, line: PodLine): void {
    if (trial !== undefined && replica.ordinal === 0 && line.container === TRAINING_CONTAINER) {
      trial.lines.push(line.text);
      trial.lines.splice(0, trial.lines.length - OBJECTIVE_LOG_LINES);
    }
  }
}

export function localArraySpec(spec: TrainingJobSpec, processors = os.availableParallelism()): TrainingJobSpec {
  const { array } = spec;
  return array === undefined || array.parallelism !== undefined
    ? spec
    : { ...spec, array: { ...array, parallelism: Math.min(array.count, processors) } };
}

/**
 * An array on this machine, with local runs as copies. `parallelism` copies run at the same time; its default is the number of processors.
 */
export class LocalArray extends LocalParent {
  /** Copies that were active start again. */
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
      // Nothing is suspended here. The other actions are for jobs with pods.
      default: return undefined;
    }
  }

  protected childOf(child: LocalChild): LocalChild {
    return child;
  }
}
