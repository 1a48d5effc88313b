/**
 * Gangs: all-or-nothing starts by the job's scheduler. Each scheduler is data and pure functions in its own file; the common part is here.
 */
import { COSCHEDULING } from './coscheduling';
import { podRequests, type Amounts, type Gang, type GangPodFields, type GangRenderer } from './gang-renderer';
import { KAI } from './kai';
import { NATIVE } from './native';
import { VOLCANO } from './volcano';
import { YUNIKORN } from './yunikorn';
import type { Replica } from '../../model/frameworks/contract';
import { GANG_LABEL } from '../../model/labels';
import { gangMinimum, scheduleTimeoutSeconds, type GangScheduler } from '../../model/training-job/scheduling';
import type { ResolvedTrainingJob } from '../../model/training-job/replicas/resolve';
import type { ObjectOwnership } from '../job/job-metadata';
import type { Manifest, PodSpec } from '../kubernetes';
import { plainObject } from '../plain-object';

export type { GangPodFields, GangRenderer, GangResource } from './gang-renderer';

export const GANG_RENDERERS: { readonly [scheduler in GangScheduler]: GangRenderer } = {
  Coscheduling: COSCHEDULING,
  Volcano: VOLCANO,
  Kai: KAI,
  YuniKorn: YUNIKORN,
  Native: NATIVE,
};

/** Returns the spec of a replica's pod without a gang, from which requests are summed. */
export type PodSpecOf = (replica: Replica) => PodSpec;

/** Objects for the scheduler of the job's gang; none if the job is not a gang. */
export function constructGangObjects(job: ResolvedTrainingJob, ownership: ObjectOwnership, podSpecOf: PodSpecOf): Manifest[] {
  const gang = gangOf(job, ownership, podSpecOf);
  return gang === undefined ? [] : GANG_RENDERERS[gang.spec.scheduler].objects(gang).map((object) => plainObject(object));
}

/** Fields of a replica's pod for the scheduler of the job's gang; empty if the job is not a gang. */
export function gangPodFields(
  job: ResolvedTrainingJob, replica: Replica, attempt: number, ownership: ObjectOwnership, podSpecOf: PodSpecOf,
): GangPodFields {
  const gang = gangOf(job, ownership, podSpecOf);
  if (gang === undefined) {
    return {};
  }
  const renderer = GANG_RENDERERS[gang.spec.scheduler];
  const { labels, annotations, spec } = renderer.pod(gang, { replica, attempt });
  return {
    labels: { ...labels, [GANG_LABEL]: gang.spec.scheduler },
    annotations,
    spec: { ...spec, schedulerName: renderer.schedulerName },
  };
}

/** Requests are the same for all replicas of a role and all attempts, so they are computed once. */
const requestsByJob = new WeakMap<ResolvedTrainingJob, Map<string, Amounts>>();

function gangOf(job: ResolvedTrainingJob, ownership: ObjectOwnership, podSpecOf: PodSpecOf): Gang | undefined {
  const spec = job.spec.scheduling?.gang;
  const minimum = gangMinimum(job);
  if (spec === undefined || minimum === undefined) {
    return undefined;
  }
  const known = requestsByJob.get(job) ?? new Map<string, Amounts>();
  requestsByJob.set(job, known);
  const requestsOf = (role: string): Amounts => {
    const amounts = known.get(role) ?? podRequests(podSpecOf(job.replicas.find((replica) => replica.role === role)!));
    known.set(role, amounts);
    return amounts;
  };
  return { job, spec, minimum, timeoutSeconds: scheduleTimeoutSeconds(job), ownership, requestsOf };
}
