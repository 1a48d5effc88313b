/**
 * Trials of searches as they are in a cluster: MLTrainingJobs that a job with `autoTuning` controls. What is seen of them, and what the planner asks
 * for. They are in the cache of all jobs, so what is known of a job and of its trials is of one moment.
 */
import { ChildJobs } from './child-jobs';
import type { ObservedTrial, TrialAction } from '../plan/tuning/types';
import { PROGRESS_INTERVAL_MS } from '../progress/writer';
import type { LiveOwner } from '../cleanup/orphans';
import { BY_OWNER, ownerKey, type TrainingJobObject } from '../resources';
import { constructTrialJob } from '../../../manifests/job/child-jobs';
import { TRIAL_LABEL } from '../../../model/labels';
import { TRAINING_CONTAINER } from '../../../model/names';
import { resolveTrainingJob } from '../../../model/training-job/replicas/resolve';
import { OBJECTIVE_LOG_BYTES, OBJECTIVE_LOG_LINES, loggedObjective, type ObjectiveReading } from '../../../model/tuning/objective';
import { isSearch, searchOf } from '../../../model/tuning/trial-spec';
import { ApiError } from '../../runtime/http/api-error';
import type { KubeClient } from '../../runtime/kube-client';
import { controllerReference, keyOf, type KubeObject } from '../../runtime/kube-object';
import type { Logger } from '../../runtime/process/logger';
import type { Store } from '../../runtime/watch/store';

/** Reports that come shortly after one another wait to be written; the last of them for so long at most, with a second that times leave out. */
const REPORTS_DELAY_MS = PROGRESS_INTERVAL_MS + 2_000;

/** What logs said, by uid of the trial's job, until it stands in the status or the trial is gone from the cache. */
export function loggedObjectives(jobs: Store<TrainingJobObject>): Map<string, ObjectiveReading> {
  const logged = new Map<string, ObjectiveReading>();
  jobs.onChange(({ previous, current }) => {
    if (previous?.metadata?.uid !== undefined && previous.metadata.uid !== current?.metadata?.uid) {
      logged.delete(previous.metadata.uid);
    }
  });
  return logged;
}

/** See the top of this file. */
export class JobTrials {
  private readonly children: ChildJobs;

  public constructor(
    private readonly client: KubeClient, private readonly jobs: Store<TrainingJobObject>, logger: Logger,
    private readonly logged = loggedObjectives(jobs),
  ) {
    this.children = new ChildJobs(client, jobs, logger);
  }

  /** Trials whose logs were read and are not in the status yet. */
  public get unsettled(): number {
    return this.logged.size;
  }

  /** The trials of a job; undefined when it is no search. */
  public observe(job: TrainingJobObject): ObservedTrial[] | undefined {
    if (!isSearch(job.spec)) {
      return undefined;
    }
    const active = new Set((job.status?.tuning?.active ?? []).map(({ trial }) => trial));
    return this.jobs.byIndex(BY_OWNER, ownerKey(job.metadata!)).flatMap((child): ObservedTrial[] => {
      const { name, uid, labels, deletionTimestamp } = child.metadata!;
      const number = Number(labels?.[TRIAL_LABEL] ?? NaN);
      if (!active.has(number)) {
        this.logged.delete(uid!);
      }
      // A job that somebody else put under this one is none of our trials.
      return Number.isInteger(number) ? [{
        number, name: name!, uid: uid!, deleting: deletionTimestamp !== undefined, suspended: child.spec.suspend === true, status: child.status ?? {},
        logged: this.logged.get(uid!),
        ...(child.status?.lastProgressTime !== undefined && { reportsUntil: Date.parse(child.status.lastProgressTime) + REPORTS_DELAY_MS }),
      }] : [];
    });
  }

  /** Does what the planner asks for. @param create creates an object of the job, or finds it */
  public async execute(job: TrainingJobObject, action: TrialAction, create: (object: KubeObject) => Promise<void>): Promise<void> {
    const { name, namespace, uid } = job.metadata!;
    switch (action.type) {
      case 'createTrial': {
        const search = searchOf(job.spec, uid!);
        const owner = controllerReference(job);
        return create(constructTrialJob({ jobName: name!, spec: job.spec, search, trial: action.trial, namespace: namespace!, owner }));
      }
      case 'deleteTrial': return this.children.remove({ namespace, name: action.name, uid: action.uid });
      case 'suspendTrial': return this.children.suspend({ namespace, name: action.name, uid: action.uid }, action.suspend);
      case 'readObjective': return this.readObjective(job, action);
    }
  }

  /** @see ChildJobs.written */
  public written(object: KubeObject): void {
    this.children.written(object);
  }

  /** @see ChildJobs.deleteOrphans */
  public async deleteOrphans(key: string, job: TrainingJobObject | undefined, owner: LiveOwner): Promise<void> {
    return this.children.deleteOrphans(key, job, owner);
  }

  private async readObjective(job: TrainingJobObject, { name, uid }: Extract<TrialAction, { type: 'readObjective' }>): Promise<void> {
    const { namespace } = job.metadata!;
    const child = this.jobs.get(keyOf(namespace, name));
    if (child === undefined) {
      return;
    }
    const { objective } = job.spec.autoTuning!;
    // The first replica is rank 0, or the launcher, whose log has the output of all ranks.
    const [first] = resolveTrainingJob(name, child.spec).replicas;
    try {
      const log = await this.client.podLogs({ namespace, name: first.podName }, {
        container: TRAINING_CONTAINER, tailLines: OBJECTIVE_LOG_LINES, limitBytes: OBJECTIVE_LOG_BYTES,
      });
      this.logged.set(uid, loggedObjective(log, objective));
    } catch (error) {
      // 400: the container has no log; a node that is gone has taken it along.
      if (!(error instanceof ApiError && (error.isNotFound || error.isBadRequest))) {
        throw error;
      }
      this.logged.set(uid, {
        reason: 'ObjectiveMissing',
        message: `The trial has succeeded without reporting ${objective}, and the log of ${first.podName} cannot be read: ${error.serverMessage}`,
      });
    }
  }
}
