/** Finds the job that a user names: `digits`, `mltj/digits`, `pytorchjob/bert`, `jobs.batch/x`. */
import { COMMAND_KINDS, kindWords, kindsNamed, type CommandKind } from './kinds';
import { isOwnedBy, type AnyObject } from './objects';
import type { Reader } from './reader';
import { CliError } from '../cli-error';
import { didYouMean } from '../../model/violations';

export interface FoundJob {
  readonly job: AnyObject;
  readonly kind: CommandKind;
}

/**
 * @param more kinds that may be named, in addition to those of jobs and services
 * @throws CliError when there is no such job, or several
 */
export async function findJob(reader: Reader, namespace: string, written: string, more: readonly CommandKind[] = []): Promise<FoundJob> {
  const [prefix, name] = written.includes('/') ? written.split('/') : [undefined, written];
  const known = [...COMMAND_KINDS, ...more];
  const kinds = prefix === undefined ? COMMAND_KINDS : kindsNamed(prefix, known);
  if (kinds.length === 0) {
    throw new CliError(`${written}: there is no job kind ${prefix}.${didYouMean(prefix!, kindWords(known))}`);
  }
  const found = (await Promise.all(kinds.map(async (kind) => {
    const job = await reader.get<AnyObject>(kind, namespace, name);
    return job === undefined ? [] : [{ kind, job: { ...job, apiVersion: `${kind.group}/${kind.version}`, kind: kind.kind } }];
  }))).flat();
  // A job that belongs to another one of these jobs is part of that.
  const uids = found.map(({ job }) => job.metadata?.uid);
  const roots = found.filter(({ job }) => !isOwnedBy(job, ...uids))
    // A kind that is served in two versions has each object in both.
    .filter(({ job }, index, all) => all.findIndex((other) => other.job.metadata?.uid === job.metadata?.uid) === index);
  if (roots.length > 1) {
    const names = roots.map(({ kind }) => `${kind.kind.toLowerCase()}.${kind.group}/${name}`).join(', ');
    throw new CliError(`There are ${roots.length} jobs '${name}' in the namespace ${namespace}: ${names}. Name one of them.`);
  }
  if (roots.length === 0) {
    throw await notFound(reader, namespace, written, name, kinds);
  }
  return roots[0];
}

async function notFound(reader: Reader, namespace: string, written: string, name: string, kinds: readonly CommandKind[]): Promise<CliError> {
  const lists = await Promise.all(kinds.map(async (kind) => reader.list<AnyObject>(kind, namespace)));
  const names = [...new Set(lists.flatMap((jobs) => jobs ?? []).map(({ metadata }) => metadata?.name ?? ''))];
  const shown = names.slice(0, 5).join(', ');
  const others = names.length === 0 ? 'It has no jobs.' : `It has ${shown}${names.length > 5 ? ' ...' : ''}.`;
  return new CliError(`There is no job '${written}' in the namespace ${namespace}. ${others}${didYouMean(name, names)}`);
}
