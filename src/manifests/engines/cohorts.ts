/**
 * How an engine with pod templates sees a job: as cohorts, replicas that are made from one template and are told apart by a number alone. A cohort
 * can be a role, a part of one, or several roles that run the same.
 */
import type { EngineEnvironment } from './engine';
import {
  environmentOfReplica, fieldValues, templateEnvironment, type NumberFields, type TemplateEnvironment, type TemplateReplicas,
} from './template-environment';
import type { EnvVar } from '../kubernetes';
import type { AddressBook } from '../../model/frameworks/address-book';
import type { Replica } from '../../model/frameworks/contract';
import type { ResolvedRole, ResolvedTrainingJob } from '../../model/training-job/replicas/resolve';

/** Replicas that are made from one template. */
export interface Cohort {
  /** How the engine calls them: a replica type, a replicated job. */
  readonly name: string;
  /** Their role; one of them where they have several. */
  readonly role: ResolvedRole;
  /** In the order in which the engine numbers them. */
  readonly replicas: readonly Replica[];
  /** Whether there is one replica by contract and not by chance. */
  readonly singleton: boolean;
  /** Fields of the pods that tell them apart. */
  readonly fields: NumberFields;
  /** Name of a pod, or a pattern. */
  readonly podOf: (position: number) => string;
  /** Host name that others dial. */
  readonly hostOf: (position: number) => string;
}

export interface CohortJob {
  readonly job: ResolvedTrainingJob;
  readonly cohorts: readonly Cohort[];
  readonly addresses: AddressBook;
}

/** Puts a job and its cohorts together. */
export function cohortJob(job: ResolvedTrainingJob, cohorts: readonly Cohort[]): CohortJob {
  const hosts = new Map(cohorts.flatMap(({ replicas, hostOf }) => replicas.map((replica, position) => [replica.podName, hostOf(position)] as const)));
  return {
    job,
    cohorts,
    addresses: { host: ({ podName }) => hosts.get(podName) ?? podName, port: (_replica, _portName, standard) => standard },
  };
}

/** A cohort for those who ask about its template. */
export function templateReplicas({ job, addresses }: CohortJob, { replicas, fields, singleton }: Cohort): TemplateReplicas {
  return { job, replicas, addresses, fields, singleton };
}

/**
 * Environments of the templates of a job. A variable that one of them cannot say is in none: a script that asks for it should fail on all replicas,
 * and not on the last hundred.
 * @param without names of variables that are somebody else's in a cohort
 */
export function templateEnvironments(
  layout: CohortJob, without: (cohort: Cohort) => ReadonlySet<string>,
): Map<Cohort, TemplateEnvironment> {
  const said = layout.cohorts.map((cohort) => {
    const { env, left } = templateEnvironment(templateReplicas(layout, cohort));
    const others = without(cohort);
    return { cohort, env: env.filter(({ name }) => !others.has(name)), left: left.filter((name) => !others.has(name)) };
  });
  const left = [...new Set(said.flatMap((template) => template.left))];
  return new Map(said.map(({ cohort, env }) => [cohort, { env: env.filter(({ name }) => !left.includes(name)), left }]));
}

/**
 * What the replicas of a job see, in the model's order.
 * @param rendered what the templates say
 * @param injected what the engine's controller adds behind them for one replica
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
        // Of two variables of the same name a container sees the later one.
        env: [...environmentOfReplica(template, fieldValues(cohort.fields, position)).filter(({ name }) => !names.has(name)), ...added],
      });
    });
  }
  return job.replicas.flatMap(({ ordinal }) => byOrdinal.get(ordinal) ?? []);
}
