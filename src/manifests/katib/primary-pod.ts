/**
 * How Katib recognises the pod whose metrics count, and how a job has ended, for each engine. A search by our operator reads the same replica: the
 * first one of the first role.
 */
import type { EngineDefinition, EngineJob } from '../engines/engine';
import { NODE } from '../engines/trainer/plan';
import { v1Kind } from '../engines/training-operator-v1/kinds';
import { REPLICA_INDEX_LABEL, ROLE_LABEL } from '../../model/labels';
import { TRAINING_CONTAINER } from '../../model/names';

const COMPLETION_INDEX_LABEL = 'batch.kubernetes.io/job-completion-index';
const REPLICATED_JOB_LABEL = 'jobset.sigs.k8s.io/replicatedjob-name';

/** What Katib has to know about the pods of a trial. */
export interface PrimaryPod {
  readonly labels: { readonly [name: string]: string };
  readonly container: string;
}

/** What Katib searches for in the status of a job, as a GJSON path. */
export interface TrialConditions {
  readonly success: string;
  readonly failure: string;
}

/** A condition of a type whose status is true. */
function condition(type: string): string {
  return `status.conditions.#(type=="${type}")#|#(status=="True")#`;
}

const COMPLETE: TrialConditions = { success: condition('Complete'), failure: condition('Failed') };
const SUCCEEDED: TrialConditions = { success: condition('Succeeded'), failure: condition('Failed') };

/** By the name of the engine. */
const CONDITIONS: { readonly [engine: string]: TrialConditions } = {
  'operator': SUCCEEDED,
  'job': COMPLETE,
  'trainer': COMPLETE,
  'training-operator-v1': SUCCEEDED,
  'jobset': { success: condition('Completed'), failure: condition('Failed') },
  // Volcano's conditions are a history of phases; the current phase is in a separate field, which `@this` turns into a list of one.
  // Failed, Aborted and Terminated are the others that end in -ed.
  'volcano': { success: 'status.state.[@this].#(phase=="Completed")#', failure: 'status.state.[@this].#(phase!="Completed")#|#(phase%"*ed")#' },
};

/** How jobs of an engine end; undefined where Katib cannot follow them. */
export function trialConditions(engine: EngineDefinition): TrialConditions | undefined {
  return CONDITIONS[engine.name];
}

/** The pod of a trial whose metrics count. */
export function primaryPod(engine: EngineDefinition, job: EngineJob): PrimaryPod {
  const [first] = engine.environments(job);
  const place = first.pod.slice(`${job.name}-`.length).replace(/-\*$/, '');
  switch (engine.name) {
    case 'operator':
      return { labels: { [ROLE_LABEL]: first.role, [REPLICA_INDEX_LABEL]: String(first.index) }, container: TRAINING_CONTAINER };
    case 'job':
      return { labels: { [COMPLETION_INDEX_LABEL]: place }, container: TRAINING_CONTAINER };
    case 'jobset':
      return { labels: jobSetLabels(place), container: TRAINING_CONTAINER };
    case 'trainer':
      return { labels: jobSetLabels(place), container: NODE };
    case 'training-operator-v1': {
      // The launcher of an MPIJob has no index, neither in its name nor as a label.
      const [, type, index] = /^(.*?)(?:-(\d+))?$/.exec(place)!;
      return {
        labels: { 'training.kubeflow.org/replica-type': type, ...(index !== undefined && { 'training.kubeflow.org/replica-index': index }) },
        container: v1Kind(job.spec.framework)!.container,
      };
    }
    default: {
      const [, task, index] = /^(.*)-(\d+)$/.exec(place)!;
      return { labels: { 'volcano.sh/task-spec': task, 'volcano.sh/task-index': index }, container: TRAINING_CONTAINER };
    }
  }
}

/** A place in a JobSet, `REPLICATEDJOB-JOB-POD`. */
function jobSetLabels(place: string): { readonly [name: string]: string } {
  const [, name, job, pod] = /^(.*)-(\d+)-(\d+)$/.exec(place)!;
  return { [REPLICATED_JOB_LABEL]: name, 'jobset.sigs.k8s.io/job-index': job, [COMPLETION_INDEX_LABEL]: pod };
}
