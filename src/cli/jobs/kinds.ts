/** Kinds of jobs and services that commands take: how people write them, and how their pods are found. */
import type { AnyObject } from './objects';
import { JOB } from '../../model/kinds/job';
import { PLATFORM_KINDS, WORKLOAD_KINDS } from '../../model/kinds/registry';
import type { WorkloadKind } from '../../model/kinds/workload-kind';
import type { ResourceKind } from '../../operator/runtime/resource-kind';
import type { JsonRecord } from '../../model/json-parts';

export interface CommandKind extends ResourceKind {
  readonly workload: WorkloadKind;
  /** Short names, in addition to kind and plural. */
  readonly aliases: readonly string[];
  /** Label selectors of its pods; none if they belong to another object. */
  podSelectors(job: AnyObject): readonly string[];
}

function resourceKind({ group, kind, plural, isNamespaced = true }: WorkloadKind, version: string): ResourceKind {
  return { group, version, plural, kind, namespaced: isNamespaced };
}

/** All kinds that run something; a bare name is looked for in this order. */
export const COMMAND_KINDS: readonly CommandKind[] = WORKLOAD_KINDS.filter((kind) => !kind.isRetired && !kind.isTemplate).flatMap(commandKinds);

/** More kinds that `explain` accepts with a name. */
export const NAMED_KINDS: readonly CommandKind[] = PLATFORM_KINDS.flatMap(commandKinds);

function commandKinds(kind: WorkloadKind): readonly CommandKind[] {
  const { versions, shortNames = [], podLabels, podSelectors } = kind;
  const selectors = podSelectors ?? (({ metadata }: AnyObject) => (podLabels === undefined ? [] : [`${podLabels[0]}=${metadata?.name ?? ''}`]));
  return versions.map((version): CommandKind => ({
    ...resourceKind(kind, version), workload: kind, aliases: shortNames,
    podSelectors: (job) => selectors(job as AnyObject & JsonRecord),
  }));
}

/** Kinds that a word may mean: `mltj`, `PyTorchJob`, `jobs.batch`. @param among @default - those of jobs and services */
export function kindsNamed(word: string, among: readonly CommandKind[] = COMMAND_KINDS): readonly CommandKind[] {
  const [name, ...group] = word.toLowerCase().split('.');
  const named = among.filter((candidate) => (
    [candidate.kind.toLowerCase(), candidate.plural, ...candidate.aliases].includes(name) && (group.length === 0 || candidate.group === group.join('.'))));
  // A bare "job" is Kubernetes' own.
  return name === 'job' || name === 'jobs' ? named.filter((candidate) => group.length > 0 || candidate.group === JOB.group) : named;
}

export function kindWords(among: readonly CommandKind[] = COMMAND_KINDS): readonly string[] {
  return among.flatMap((candidate) => [candidate.kind.toLowerCase(), ...candidate.aliases]);
}
