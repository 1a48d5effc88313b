/** Finds the job of a cluster that a command names. */
import type { Command } from 'commander';
import { namespaceOf, withCluster, withClusterOptions, type ClusterFlags } from '../cluster';
import { findJob, type FoundJob } from './find-job';
import { isOwnedBy, type AnyObject, type PodObject } from './objects';
import { Reader } from './reader';
import type { JsonRecord } from '../../model/json-parts';
import { standingOf } from '../../model/kinds/registry';
import type { Standing } from '../../model/kinds/standing';
import { TRAINING_JOB_KIND } from '../../model/labels';
import type { KubeClient } from '../../operator/runtime/kube-client';
import { PODS, type ResourceRef } from '../../operator/runtime/resource-kind';

const JOB_NAMES = 'JOB is a name, with its kind where several have it: digits, mltj/digits, pytorchjob/bert, rayjob/tune, isvc/llm.';

/** Adds the options that select a namespace of a cluster. */
export function withNamespaceOptions(command: Command): Command {
  return withClusterOptions(command.option('-n, --namespace <name>', 'namespace (default: that of the kubeconfig)'));
}

/** Adds the options of commands on existing jobs. @param details the end of their help */
export function withJobOptions(command: Command, details: string): Command {
  return withNamespaceOptions(command).addHelpText('after', `\n${JOB_NAMES}\n${details}`);
}

/** A job, and the client that found it. */
export interface Target extends FoundJob {
  readonly client: KubeClient;
  readonly reader: Reader;
  readonly namespace: string;
  readonly ref: ResourceRef;
}

/** Finds a job, and passes it to `work`. @throws CliError when there is none of that name */
export async function withJob<T>(written: string, flags: ClusterFlags, work: (target: Target) => Promise<T>): Promise<T> {
  return withCluster(flags, async (client) => work(await findTarget(client, written, namespaceOf(client, flags))));
}

/** Finds a job with a client. @throws CliError when there is none of that name */
export async function findTarget(client: KubeClient, written: string, namespace: string): Promise<Target> {
  const reader = new Reader(client);
  const found = await findJob(reader, namespace, written);
  return { ...found, client, reader, namespace, ref: { namespace, name: found.job.metadata!.name! } };
}

/** The job as it is now; undefined when it was deleted, or another one has its name. */
export async function currentJob({ client, kind, ref, job }: Target): Promise<AnyObject | undefined> {
  const now = await client.tryGet<AnyObject>(kind, ref);
  return now?.metadata?.uid === job.metadata?.uid ? { ...now!, apiVersion: job.apiVersion, kind: job.kind } : undefined;
}

export function standingOfJob(job: AnyObject): Standing {
  return standingOf(job as JsonRecord);
}

/** Whether a state is a final one. */
export function isFinal({ state }: Pick<Standing, 'state'>): boolean {
  return state === 'Succeeded' || state === 'Failed';
}

export async function podsOf({ reader, kind, namespace }: Pick<Target, 'reader' | 'kind' | 'namespace'>, job: AnyObject): Promise<readonly PodObject[]> {
  const lists = await Promise.all(kind.podSelectors(job).map(async (labelSelector) => reader.list<PodObject>(PODS, namespace, { labelSelector })));
  const pods = lists.flatMap((list) => list ?? []).map((pod) => ({ ...pod, kind: 'Pod' }));
  // The label of our own jobs is a common word, which other pods may have too.
  return kind.kind === TRAINING_JOB_KIND ? pods.filter((pod) => isOwnedBy(pod, job.metadata?.uid)) : pods;
}

/** `MLTrainingJob ml/digits`. */
export function titleOf({ kind, ref }: Target): string {
  return `${kind.kind} ${ref.namespace}/${ref.name}`;
}
