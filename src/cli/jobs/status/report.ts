/** What is known of a job, its replicas and why it waits. */
import { replicaRows } from './replica-rows';
import { timelineOf } from './timeline';
import { rowOf } from '../job-row';
import type { Target } from '../target';
import { collectSnapshot } from '../../explain/job/collect';
import { diagnose } from '../../explain/job/diagnose';

export async function reportOf({ reader, namespace, kind }: Target, written: string) {
  const snapshot = await collectSnapshot(reader, namespace, written, Date.now);
  const diagnosis = diagnose(snapshot);
  return {
    ...rowOf(kind, snapshot.job), diagnosis, replicas: replicaRows(kind.workload, snapshot.pods), timeline: timelineOf(snapshot),
    status: snapshot.job.status ?? {},
  };
}

export type StatusReport = Awaited<ReturnType<typeof reportOf>>;
