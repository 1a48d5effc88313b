/** A batch/v1 Job: pods that run together, or an array. */
import type { JsonObject } from '../fields';
import type { JobDraft, JobReader, MigrationContext, OldHosts, RoleDraft } from '../job';
import type { Notes } from '../notes';
import { readBatchJob } from './batch-job';
import { recognised } from '../framework-hints';
import { noteRestarts, readControl } from '../run-policy';
import { ARRAY_INDEX_VARIABLE } from '../../../model/training-job/array';
import { quotedPattern } from '../../../model/text/expressions';

/** Variable of the containers of an Indexed Job. */
export const COMPLETION_INDEX = 'JOB_COMPLETION_INDEX';

/** @see JobReader */
export const JOB_READER: JobReader = {
  read(object, metadata, notes, context): JobDraft {
    const spec = object.requiredObject('spec');
    const control = readControl(spec, metadata, notes);
    const job = readBatchJob(spec, { choice: { kind: 'Job' }, isAlone: true }, false, notes);
    const { subdomain, restartPolicy: _pod, ...pod } = job.pod;
    if (job.array !== undefined) {
      notes.changed(spec.at('parallelism'), job.array.parallelism, `becomes an array: ${job.array.count} copies of a job of one replica, each with its index.`);
    }
    if (subdomain !== undefined) {
      useService(subdomain, `${spec.at('template')}.spec.subdomain`, job.array !== undefined, context, notes);
    }
    const { framework, roles, successPolicy, ...found } = recognised(
      { ...pod, name: 'worker', replicas: job.replicas, path: spec.path, restartPolicy: job.restartPolicy }, notes,
    );
    const indexVariable = job.array === undefined ? found.indexVariable : ARRAY_INDEX_VARIABLE;
    const fields = {
      ...(job.array !== undefined && { array: job.array }),
      runPolicy: { ...(job.backoffLimit && { backoffLimit: job.backoffLimit }), ...(successPolicy && { successPolicy }), ...job.runPolicy },
      scheduling: metadata.scheduling,
      ...control,
    };
    noteRestarts(framework, roles, fields, undefined, notes);
    const domain = `(?:\\.${quotedPattern(subdomain ?? metadata.name)})?`;
    return {
      framework,
      roles: roles.map((role) => (job.isIndexed ? withCompletionIndex(role, indexVariable, notes) : role)),
      fields,
      indexVariable,
      // Copies of an array do not communicate.
      oldHosts: job.array === undefined ? countedHosts(roles, `${quotedPattern(metadata.name)}-`, domain) : [],
    };
  },
};

/** Hosts of pods with consecutive numbers that are now in one or two roles. */
export function countedHosts([first, second]: readonly RoleDraft[], before: string, after: string): OldHosts[] {
  return second === undefined
    ? [{ role: first.name, pattern: `${before}([0-9]+)${after}` }]
    : [{ role: first.name, pattern: `${before}0${after}` }, { role: second.name, pattern: `${before}([1-9][0-9]*)${after}`, first: 1 }];
}

/** Keeps the variable with the completion index for programs. */
export function withCompletionIndex(role: RoleDraft, variable: string, notes: Notes): RoleDraft {
  if (role.isOurs || role.env.some(({ name }) => name === COMPLETION_INDEX)) {
    return role;
  }
  notes.changed(role.containerPath, undefined, `gets the variable ${COMPLETION_INDEX}, which only Jobs set, from $(${variable}).`);
  return { ...role, env: [{ name: COMPLETION_INDEX, value: `$(${variable})` }, ...role.env] };
}

/** Marks the headless service of a Job as part of it: a training job has its own. */
function useService(name: string, path: string, isArray: boolean, context: MigrationContext, notes: Notes): void {
  const service = context.objects.find((candidate) => candidate.kind === 'Service' && (candidate.metadata as JsonObject | undefined)?.name === name);
  const what = service === undefined ? 'is left out' : 'is left out, and the Service of this name with it';
  if (isArray) {
    notes.differs(path, name, `${what}: copies of an array are separate jobs, which cannot find each other.`);
  } else {
    notes.changed(path, name, `${what}: the job has ${service === undefined ? 'a service' : 'one'} of its own, which replicas use to find each other.`);
  }
  if (service !== undefined) {
    context.use(service);
  }
}
