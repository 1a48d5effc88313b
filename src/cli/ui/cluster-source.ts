/** What the pages of `trainyard ui` show, read from a cluster with the rights of whoever started it. */
import { stringify } from 'yaml';
import type { LogChoice, UiSource } from './server';
import type { UiAction, UiAnswer, UiJob, UiJobs, UiLogLine } from './protocol';
import { CliError } from '../cli-error';
import { runAgain } from '../jobs/change/rerun';
import { setSuspended } from '../jobs/change/suspend';
import { reportOf } from '../jobs/commands/status';
import { findJob } from '../jobs/find-job';
import { containersOf, followLogs } from '../jobs/pod-logs/follow-pods';
import type { AnyObject } from '../jobs/objects';
import { readRows } from '../jobs/read-rows';
import { Reader } from '../jobs/reader';
import { chooseReplicas, replicasOf, shortName } from '../jobs/replicas';
import { currentJob, podsOf, standingOfJob, titleOf, type Target } from '../jobs/target';
import { packageVersion } from '../version';
import { record, type JsonRecord } from '../../model/json-parts';
import type { KubeClient } from '../../operator/runtime/kube-client';

/** The source of a cluster. */
export function clusterSource(client: KubeClient, namespace: string, canChange: boolean): UiSource {
  const { server, origin } = client.connection;
  return {
    session: { cluster: server.href, origin, namespace, canChange, version: packageVersion() },
    jobs: async (wanted): Promise<UiJobs> => {
      const reader = new Reader(client);
      return { rows: await readRows(reader, wanted, {}), unread: reader.unread };
    },
    job: async (job, place) => jobOf(await targetOf(client, job, place)),
    logs: async (job, place, choice, signal, onLine) => logsOf(await targetOf(client, job, place), choice, signal, onLine),
    act: async (action) => act(await targetOf(client, action.job, action.namespace), action),
  };
}

async function targetOf(client: KubeClient, job: string, namespace: string): Promise<Target> {
  const reader = new Reader(client);
  const found = await findJob(reader, namespace, job);
  return { ...found, client, reader, namespace, ref: { namespace, name: found.job.metadata!.name! } };
}

async function jobOf(target: Target): Promise<UiJob> {
  const { job, kind } = target;
  const report = await reportOf(target, `${kind.plural}.${kind.group}/${target.ref.name}`);
  return { report, yaml: stringify(shown(job)), canSuspend: kind.workload.suspend !== undefined, canRerun: kind.workload.isJob === true };
}

/** Fields that only machines read are left out. */
function shown(job: AnyObject): JsonRecord {
  const metadata = Object.entries(record((job as JsonRecord).metadata)).filter(([name]) => name !== 'managedFields' && name !== 'annotations');
  const kept = Object.entries(job.metadata?.annotations ?? {}).filter(([name]) => name !== 'kubectl.kubernetes.io/last-applied-configuration');
  const annotations = kept.length > 0 ? { annotations: Object.fromEntries(kept) } : {};
  return { ...job as JsonRecord, apiVersion: job.apiVersion, kind: job.kind, metadata: { ...Object.fromEntries(metadata), ...annotations } };
}

async function logsOf(
  target: Target, { rank, tail }: LogChoice, signal: AbortSignal, onLine: (line: UiLogLine) => void,
): Promise<void> {
  const { client, namespace, kind, ref } = target;
  await followLogs({
    client, namespace, containers: containersOf(false, undefined), previous: false, tail, signal,
    onLine: ({ time, text, replica }) => (
      onLine({ time, text, replica: shortName(ref.name, replica), ...(replica.rank !== undefined && { rank: replica.rank }) })),
    onProblem: (sentence) => onLine({ time: '', text: sentence, replica: '' }),
  }, async () => {
    const job = await currentJob(target);
    const replicas = replicasOf(kind.workload, await podsOf(target, target.job));
    return {
      replicas: rank === undefined || replicas.length === 0 ? replicas : chooseReplicas(replicas, { rank }),
      ended: job === undefined || ['Succeeded', 'Failed'].includes(standingOfJob(job).state),
    };
  });
}

async function act(target: Target, { action }: UiAction): Promise<UiAnswer> {
  const { client, kind, ref, job } = target;
  switch (action) {
    case 'suspend': return { message: await setSuspended(target, true) };
    case 'resume': return { message: await setSuspended(target, false) };
    case 'rerun': return { message: (await runAgain(target)).sentence };
    case 'delete':
      await client.delete(kind, ref, { preconditions: { uid: job.metadata?.uid }, propagationPolicy: 'Background' });
      return { message: `${titleOf(target)} is deleted.` };
    default: throw new CliError('There is no such action.');
  }
}
