/**
 * Jobs of one namespace and framework share their series; this keeps the groups. Their number is bounded: the first namespaces have groups of
 * their own, further ones share one, and a namespace that has had no job for long is forgotten.
 */
import type { Labels } from './registry';
import type { TrainingJobObject } from '../resources';

/** Namespaces with series of their own; the jobs of further ones are counted together. */
export const MAX_NAMESPACES = 250;

/** `job_namespace` of the rest. */
export const OTHER_NAMESPACES = 'other';

/** How long the series of a namespace stay after its last job, milliseconds: longer than any sensible scrape interval. */
const KEEP_NAMESPACE_MS = 3_600_000;

/** Jobs that are counted together. */
export interface JobGroup {
  readonly labels: Labels;
  /** Jobs by phase, while they are counted. */
  readonly phases: Map<string, number>;
  /** Age of the oldest checkpoint in seconds, while it is looked for. */
  oldestCheckpoint?: number;
  /** Longest wait for pods in seconds, while it is looked for. */
  longestWait?: number;
  /** Replicas that are missing, while they are counted. */
  replicasDown: number;
}

interface Namespace {
  readonly groups: Map<string, JobGroup>;
  /** Monotonic time at which it last had a job. */
  seenAt: number;
}

/** See the top of this file. */
export class JobGroups {
  private readonly namespaces = new Map<string, Namespace>();

  /** @param onNew told of each group when it is made */
  public constructor(private readonly onNew: (labels: Labels) => void) {}

  /** The group of a job. @param now monotonic milliseconds */
  public of({ metadata, spec }: TrainingJobObject, now: number): JobGroup {
    const namespace = this.namespaceOf(metadata?.namespace ?? '', now);
    namespace.known.seenAt = now;
    let group = namespace.known.groups.get(spec.framework);
    if (group === undefined) {
      group = { labels: { job_namespace: namespace.name, framework: spec.framework }, phases: new Map(), replicasDown: 0 };
      namespace.known.groups.set(spec.framework, group);
      this.onNew(group.labels);
    }
    return group;
  }

  /** All groups. */
  public all(): JobGroup[] {
    return [...this.namespaces.values()].flatMap(({ groups }) => [...groups.values()]);
  }

  /** Forgets namespaces without jobs. @returns their names */
  public forgetOld(now: number): ReadonlySet<string> {
    const gone = [...this.namespaces].filter(([, { seenAt }]) => now - seenAt > KEEP_NAMESPACE_MS).map(([name]) => name);
    gone.forEach((name) => this.namespaces.delete(name));
    return new Set(gone);
  }

  private namespaceOf(given: string, now: number): { name: string; known: Namespace } {
    const known = this.namespaces.get(given);
    if (known !== undefined) {
      return { name: given, known };
    }
    const name = this.namespaces.size < MAX_NAMESPACES ? given : OTHER_NAMESPACES;
    const found = this.namespaces.get(name) ?? { groups: new Map(), seenAt: now };
    this.namespaces.set(name, found);
    return { name, known: found };
  }
}
