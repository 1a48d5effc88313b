/**
 * How an engine with pod templates sees a job: as cohorts. Replicas of a cohort come from one template and differ only by a number. A cohort can be
 * a role, a part of one, or several roles that run the same program.
 */
import type { EngineEnvironment } from './engine';
import { podAddresses } from './indexed/engine-pods';
import {
  environmentOfReplica, fieldValues, templateEnvironment, type NumberFields, type TemplateEnvironment, type TemplateReplicas,
} from './template-environment';
import type { EnvVar } from '../kubernetes';
import type { AddressBook } from '../../model/frameworks/address-book';
import type { Replica } from '../../model/frameworks/contract';
import type { ResolvedRole, ResolvedTrainingJob } from '../../model/training-job/replicas/resolve';

/** Replicas that come from one template. */
export interface Cohort {
  /** The engine's name for them: a replica type, a replicated job. */
  readonly name: string;
  /** Their role, or one of their roles. */
  readonly role: ResolvedRole;
  /** In the order in which the engine numbers them. */
  readonly replicas: readonly Replica[];
  /** Whether the framework's contract allows only one replica. */
  readonly singleton: boolean;
  /** Fields of the pods that distinguish them. */
  readonly fields: NumberFields;
  /** Name of a pod, or a name pattern. */
  readonly podOf: (position: number) => string;
  /** Host name at which others reach the replica. */
  readonly hostOf: (position: number) => string;
}

export interface CohortJob {
  readonly job: ResolvedTrainingJob;
  readonly cohorts: readonly Cohort[];
  readonly addresses: AddressBook;
}

export function cohortJob(job: ResolvedTrainingJob, cohorts: readonly Cohort[]): CohortJob {
  const hosts = new Map(cohorts.flatMap(({ replicas, hostOf }) => replicas.map((replica, position) => [replica.podName, hostOf(position)] as const)));
  return {
    job,
    cohorts,
    addresses: podAddresses(({ podName }) => hosts.get(podName) ?? podName),
  };
}

/** A cohort as input for its template's environment. */
export function templateReplicas({ job, addresses }: CohortJob, { replicas, fields, singleton }: Cohort): TemplateReplicas {
  return { job, replicas, addresses, fields, singleton };
}

/**
 * Environments of the templates of a job. A variable that one template cannot express is left out of all: a script that reads it should fail on all
 * replicas, not only on some.
 * @param without names of a cohort's variables that the engine's controller sets
 */
export function templateEnvironments(
  layout: CohortJob, without: (cohort: Cohort) => ReadonlySet<string>,
): Map<Cohort, TemplateEnvironment> {
  const environments = layout.cohorts.map((cohort) => {
    const { env, omitted } = templateEnvironment(templateReplicas(layout, cohort));
    const others = without(cohort);
    return { cohort, env: env.filter(({ name }) => !others.has(name)), omitted: omitted.filter((name) => !others.has(name)) };
  });
  const omitted = [...new Set(environments.flatMap((template) => template.omitted))];
  return new Map(environments.map(({ cohort, env }) => [cohort, { env: env.filter(({ name }) => !omitted.includes(name)), omitted }]));
}

/**
 * The environments of a job's replicas, in the model's order.
 * @param rendered environments of the templates
 * @param injected variables that the engine's controller appends for one replica
 */
export function cohortEnvironments(
  { job, cohorts }: CohortJob, rendered: ReadonlyMap<Cohort, TemplateEnvironment>, injected: (cohort: Cohort, position: number) => readonly EnvVar[],
): EngineEnvironment[] {
  const byOrdinal = new Map<number, EngineEnvironment>();
  for (const cohort of cohorts) {
    const template = rendered.get(cohort)?.env ?? [];
    cohort.replicas.forEach((replica, position) => {
      const added = injected(cohort, position);
      const names = new Set(added.map(({ name }) => name));
      byOrdinal.set(replica.ordinal, {
        role: replica.role,
        index: replica.index,
        pod: cohort.podOf(position),
        // If a name occurs twice, the last one wins.
        env: [...environmentOfReplica(template, fieldValues(cohort.fields, position)).filter(({ name }) => !names.has(name)), ...added],
      });
    });
  }
  return job.replicas.flatMap(({ ordinal }) => byOrdinal.get(ordinal) ?? []);
}
