/** What the operator makes of an MLTrainingJob, constructed as the operator does it, for the first attempt. Of all pods of a role one is here. */
import { constructArrayJob, constructTrialJob } from '../../manifests/job/child-jobs';
import { constructJobObjects } from '../../manifests/job/job-objects';
import { constructWorkload, needsWorkload, queuedSize, workloadName } from '../../manifests/kueue/workload';
import { constructReplicaPod, replicaPodSpecs } from '../../manifests/pod/replica-pod';
import { GROUP_VERSION, OPERATOR_NAME, TRAINING_JOB_KIND } from '../../model/labels';
import { arrayJobName, trialJobName } from '../../model/names';
import { isArray } from '../../model/training-job/array';
import { resolveTrainingJob } from '../../model/training-job/replicas/resolve';
import type { TrainingJobSpec } from '../../model/training-job/spec';
import { validateTrainingJob } from '../../model/training-job/validation/validation';
import { isSearch, searchOf } from '../../model/tuning/trial-spec';
import { suggest } from '../../model/tuning/suggest';
import { objectTitle, type ManifestObject } from '../../model/objects/manifest-object';

/** Objects of one kind that will be made. */
export interface MadeObject {
  readonly object: ManifestObject;
  /** What it is called, where one name does not say it. @default - its name */
  readonly name?: string;
  readonly count?: number;
}

/** What an object becomes. */
export interface Making {
  readonly made: readonly MadeObject[];
  /** Why it is not known. */
  readonly problem?: string;
}

/** What the operator makes of an object; nothing of other kinds, and of jobs that it leaves alone. */
export function madeObjects({ apiVersion, kind, metadata, spec: given }: ManifestObject): Making {
  const spec = given as TrainingJobSpec | undefined;
  if (apiVersion !== GROUP_VERSION || kind !== TRAINING_JOB_KIND || spec?.managedBy !== undefined && spec.managedBy !== OPERATOR_NAME) {
    return { made: [] };
  }
  const name = metadata?.name ?? '';
  const violations = validateTrainingJob(name, spec!);
  if (violations.length > 0) {
    const count = violations.length === 1 ? 'a mistake' : `${violations.length} mistakes`;
    return { made: [], problem: `${objectTitle({ kind, name })} has ${count}, so what the operator creates for it is not shown. Run trainyard validate for details.` };
  }
  const made = isSearch(spec!) ? trials(name, spec!) : isArray(spec!) ? copies(name, spec!) : children(name, spec!);
  // A namespace is needed to construct, and not known where the job names none.
  const inPlace = (object: ManifestObject) => ({ ...object, metadata: { ...object.metadata, namespace: metadata?.namespace } });
  return { made: made.map((entry) => ({ ...entry, object: inPlace(entry.object) })) };
}

const NAMESPACE = 'default';

function children(name: string, spec: TrainingJobSpec): MadeObject[] {
  const job = resolveTrainingJob(name, spec);
  const { services, configMaps, generatedSecrets, gangObjects, networkPolicies } = constructJobObjects({ job, namespace: NAMESPACE });
  const pods = job.roles.flatMap((role): MadeObject[] => {
    const replicas = job.replicas.filter((replica) => replica.role === role.name);
    if (replicas.length === 0) {
      return [];
    }
    return [{
      object: asObject(constructReplicaPod({ job, replica: replicas[0], attempt: 0, namespace: NAMESPACE })),
      name: range([replicas[0].podName, replicas[replicas.length - 1].podName]),
      count: replicas.length,
    }];
  });
  const workload = needsWorkload(job) ? [{
    object: asObject(constructWorkload(job, { namespace: NAMESPACE }, replicaPodSpecs(queuedSize(job), NAMESPACE), 0)),
    // The end of its name follows from the job's uid.
    name: workloadName(name, '').replace(/-[^-]*$/, '-*'),
  }] : [];
  const besides = [...gangObjects, ...services, ...networkPolicies, ...configMaps];
  return [
    ...workload, ...pods,
    ...besides.map((object) => ({ object: asObject(object) })),
    // As with the Workload.
    ...generatedSecrets.map(({ secret }) => ({ object: asObject(secret), name: `${secret.metadata.name}-*` })),
  ];
}

/** One trial represents all of them. What the operator creates for each trial is not drawn again. */
function trials(name: string, spec: TrainingJobSpec): MadeObject[] {
  const search = searchOf(spec, '');
  const trial = suggest(search, { finished: [], active: [], next: 1 });
  if (trial === undefined) {
    return [];
  }
  const object = asObject(constructTrialJob({ jobName: name, spec, search, trial, namespace: NAMESPACE }));
  return [{ object, count: search.maxTrials, name: range([trialJobName(name, 1), trialJobName(name, search.maxTrials)]) }];
}

/** As with trials. */
function copies(name: string, spec: TrainingJobSpec): MadeObject[] {
  const count = spec.array!.count;
  const object = asObject(constructArrayJob({ jobName: name, spec, index: 0, namespace: NAMESPACE }));
  return [{ object, count, name: range([arrayJobName(name, 0), arrayJobName(name, count - 1)]) }];
}

/** The first name and the last. */
function range([first, last]: readonly [string, string]): string {
  return first === last ? first : `${first} … ${last}`;
}

function asObject(object: object): ManifestObject {
  return object as ManifestObject;
}
