/** JobSet: one job, whose roles are its replicated jobs. */
import { countedHosts, withCompletionIndex } from './indexed-job';
import type { Fields } from '../fields';
import { recognised, recognisedRoles, type Recognised } from '../framework-hints';
import type { JobDraft, JobFields, JobMetadata, JobReader, OldHosts, RoleDraft } from '../job';
import { hooksOf, waitsForAll } from './job-set-hooks';
import { readJobSetSpec, roleOfJob, type ReadJobSet, type ReadReplicatedJob } from './job-set-spec';
import type { Notes } from '../notes';
import { noteSubdomain } from '../pod';
import { totalReplicas } from '../roles';
import { noteRestarts, readControl } from '../run-policy';
import type { RestartPolicy, SuccessPolicy } from '../../../model/training-job/run-policy';
import { quotedPattern } from '../../../model/text/expressions';

/** Keeps each job of a set exclusively on one topology domain. It can be on the set and on its jobs. */
const EXCLUSIVE_TOPOLOGY = 'alpha.jobset.sigs.k8s.io/exclusive-topology';

/** @see JobReader */
export const JOB_SET_READER: JobReader = {
  read(object, metadata, notes): JobDraft {
    const spec = object.requiredObject('spec');
    const control = readControl(spec, metadata, notes);
    const set = readJobSetSpec(spec, () => ({ choice: { kind: 'JobSet' } }), notes);
    const drafts = set.jobs.map((job, index) => roleOf(job, set.restartPolicies[index], notes));
    const { framework, roles, successPolicy, indexVariable }: Recognised = drafts.length === 1
      ? recognised(drafts[0], notes, true)
      : recognisedRoles(drafts, notes);
    const success = readSuccess(set, roles, spec, notes) ?? successPolicy;
    const topology = readTopology(set, metadata, notes);
    const fields: JobFields = {
      runPolicy: { ...(success && { successPolicy: success }), ...set.runPolicy },
      scheduling: { ...metadata.scheduling, ...(topology && { topology }) },
      ...control,
      hooks: hooksOf(set.hooks, drafts),
    };
    noteRestarts(framework, roles, fields, undefined, notes);
    noteScope(spec, framework, notes);
    noteCoordinator(spec, roles, notes);
    const hasIndexes = set.jobs.some((job) => job.isIndexed && job.replicas > 1) && !roles.some(({ isOurs }) => isOurs);
    return {
      framework,
      roles: hasIndexes ? roles.map((role) => withCompletionIndex(role, indexVariable, notes)) : roles,
      fields,
      indexVariable,
      oldHosts: hostsOf(metadata.name, set, roles),
      usedAnnotations: [EXCLUSIVE_TOPOLOGY],
    };
  },
};

function roleOf(job: ReadReplicatedJob, restartPolicy: RestartPolicy, notes: Notes): RoleDraft {
  noteSubdomain(job.pod, notes);
  if (job.jobs > 1 && job.replicas > 1) {
    notes.differs(`${job.path}.replicas`, job.jobs,
      `${job.jobs} jobs of ${job.replicas} pods are ${job.jobs * job.replicas} replicas of one role here: TRAINYARD_REPLICA_INDEX counts across all of them.`);
  }
  return roleOfJob(job, restartPolicy);
}

/** Success of some of the jobs equals that of the coordinator if it is only the first job, with one replica. */
function readSuccess({ success, jobs, hooks }: ReadJobSet, roles: readonly RoleDraft[], spec: Fields, notes: Notes): SuccessPolicy | undefined {
  if (success === undefined) {
    return undefined;
  }
  if (waitsForAll(hooks)) {
    return 'AllReplicas';
  }
  const names = jobs.map(({ name }) => name);
  const isAll = names.every((name) => success.targets.includes(name));
  if (isAll) {
    return success.any && totalReplicas(roles) > 1 ? 'AnyWorker' : undefined;
  }
  const [first] = jobs;
  if (success.targets.length === 1 && success.targets[0] === first.name && first.jobs * first.replicas === 1) {
    return 'Coordinator';
  }
  notes.lost(spec.at('successPolicy'), spec.peek('successPolicy'),
    'has no equivalent: a job succeeds with its first replica, all replicas or any one. Put the role that decides first, with one replica, and set successPolicy Coordinator.');
  return undefined;
}

function readTopology({ jobs }: ReadJobSet, { annotations }: JobMetadata, notes: Notes): NonNullable<JobFields['scheduling']>['topology'] {
  const key = annotations[EXCLUSIVE_TOPOLOGY] as string | undefined;
  if (key === undefined) {
    return undefined;
  }
  const path = `metadata.annotations['${EXCLUSIVE_TOPOLOGY}']`;
  if (jobs.length > 1 || jobs[0].jobs > 1) {
    notes.lost(path, key, 'has no equivalent: it keeps each job on its own domain, but a training job can only keep all its replicas on one. Set scheduling.topology for that.');
    return undefined;
  }
  notes.differs(path, key, 'is scheduling.topology: the replicas are kept on one domain, and other jobs may use it too.');
  return { key };
}

function noteScope(spec: Fields, framework: string, notes: Notes): void {
  const restarts = (spec.peek('failurePolicy') as { readonly maxRestarts?: number } | undefined)?.maxRestarts ?? 0;
  if (restarts > 0 && framework === 'plain') {
    notes.differs(spec.at('failurePolicy'), undefined,
      'a failed replica restarts alone: plain containers are independent of each other. There, all jobs of the set were recreated.');
  }
}

function noteCoordinator(spec: Fields, roles: readonly RoleDraft[], notes: Notes): void {
  const coordinator = spec.object('coordinator');
  if (coordinator === undefined) {
    return;
  }
  const name = coordinator.text('replicatedJob');
  const isFirst = name === roles[0].name && ['jobIndex', 'podIndex'].every((field) => (coordinator.count(field) ?? 0) === 0);
  notes[isFirst ? 'changed' : 'lost'](spec.at('coordinator'), coordinator.value, isFirst
    ? 'is left out: the first replica of the first role is the coordinator, and $(MASTER_ADDR) its host.'
    : 'has no equivalent: the first replica of the first role is the coordinator, and $(MASTER_ADDR) its host. Put the role first.');
}

/** Pods of a JobSet: `SET-JOB-JOBINDEX-PODINDEX.SUBDOMAIN`. */
function hostsOf(name: string, { jobs, subdomain }: ReadJobSet, roles: readonly RoleDraft[]): OldHosts[] {
  const after = `(?:\\.${quotedPattern(subdomain ?? name)})?`;
  return jobs.flatMap((job) => {
    const before = `${quotedPattern(name)}-${quotedPattern(job.name)}-`;
    const own = jobs.length === 1 ? roles : roles.filter((role) => role.name === job.name);
    if (job.jobs === 1) {
      return countedHosts(own, `${before}0-`, after);
    }
    return job.replicas === 1 ? countedHosts(own, before, `-0${after}`) : [{ role: own[0].name, pattern: `${before}0-0${after}` }];
  });
}
