/** What the operator creates for an MLTrainingJob, constructed by its own code, for the first attempt. One pod represents all pods of a role. */
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

/** Objects of one kind that the operator will create. */
interface MadeObject {
  readonly object: ManifestObject;
  /** The name to show for several objects, or for one with a generated suffix. @default - its name */
  readonly name?: string;
  readonly count?: number;
}

/** What the operator creates for an object: nothing for other kinds and for jobs of another controller. `problem` says why this is unknown. */
export function madeObjects(
  { apiVersion, kind, metadata, spec: given }: ManifestObject,
): { readonly made: readonly MadeObject[]; readonly problem?: string } {
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
  // Constructing needs a namespace, and the job may have none.
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
      name: range(replicas[0].podName, replicas[replicas.length - 1].podName),
      count: replicas.length,
    }];
  });
  const workload = needsWorkload(job) ? [{
    // The end of its name depends on the job's uid.
    name: workloadName(name, '').replace(/-[^-]*$/, '-*'),
    object: asObject(constructWorkload(job, { namespace: NAMESPACE }, replicaPodSpecs(queuedSize(job), NAMESPACE), 0)),
  }] : [];
  return [
    ...workload, ...pods,
    ...[...gangObjects, ...services, ...networkPolicies, ...configMaps].map((object) => ({ object: asObject(object) })),
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
  return [{ object, count: search.maxTrials, name: range(trialJobName(name, 1), trialJobName(name, search.maxTrials)) }];
}

/** As with trials. */
function copies(name: string, spec: TrainingJobSpec): MadeObject[] {
  const count = spec.array!.count;
  const object = asObject(constructArrayJob({ jobName: name, spec, index: 0, namespace: NAMESPACE }));
  return [{ object, count, name: range(arrayJobName(name, 0), arrayJobName(name, count - 1)) }];
}

function range(first: string, last: string): string {
  return first === last ? first : `${first} … ${last}`;
}

function asObject(object: object): ManifestObject {
  return object as ManifestObject;
}
