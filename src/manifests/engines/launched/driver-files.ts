/** The ConfigMap with an engine's driver and its plan, and where the driver's pod sees it. */
import { launchPlan, type PlannedTemplate } from './plan';
import { jobObjectMeta, type ObjectOwnership } from '../../job/job-metadata';
import type { ConfigMap, Volume, VolumeMount } from '../../kubernetes';
import { plainObject } from '../../plain-object';
import { RESERVED_VOLUME_PREFIX } from '../../../model/labels';
import type { ResolvedTrainingJob } from '../../../model/training-job/replicas/resolve';
import { joinedPython } from '../../../programs/joined-python';
import { programText } from '../../../programs/program-text';

/** Where the driver's pod finds it. */
export const DRIVER_PATH = '/etc/trainyard/launch';

const DRIVER_VOLUME = `${RESERVED_VOLUME_PREFIX}driver`;

/** How the driver's container sees the files. */
export const DRIVER_MOUNT: VolumeMount = { name: DRIVER_VOLUME, mountPath: DRIVER_PATH, readOnly: true };

/** The volume behind {@link DRIVER_MOUNT}. */
export function driverVolume(configMap: string): Volume {
  return { name: DRIVER_VOLUME, configMap: { name: configMap } };
}

/** The plan as the driver reads it. */
export function planText(job: ResolvedTrainingJob, templates: readonly PlannedTemplate[]): string {
  return JSON.stringify(launchPlan(job, templates));
}

export function constructDriverConfigMap(
  job: ResolvedTrainingJob, ownership: ObjectOwnership, name: string, files: { readonly driver: string; readonly plan: string },
): ConfigMap {
  return plainObject<ConfigMap>({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: jobObjectMeta(job.name, name, ownership),
    data: { 'driver.py': files.driver, 'plan.json': files.plan },
  });
}

/**
 * The driver of a job on Ray or Spark: one module of Python, which both send to other machines by value. What the two share is in
 * `programs/launched`, with nothing but the standard library of Python 3.8 and later:
 *
 * - `plan.py` reads the plan (`plan.ts`), and says what one replica's program finds in its environment and how its command reads
 * - `policy.py` says what follows when a program ends, as `operator/training/plan/failures.ts` does
 * - `program.py` is one program of the user's. Its output is read line by line, goes to the container's own log and waits for whoever asks; its end
 *   is told after its last line
 * - `supervisor.py` has programs started, prints what they print, and decides what follows when one of them ends
 *
 * Where programs run is the cluster's matter, an object with
 *
 * - `place_all()`, which waits until each replica has a place; `address_of(member)`
 * - `start(member, attempt)`; `stop(members)`, which says in how many seconds they will have ended
 * - `watch(members, seconds)`: `News` of programs that run
 * - `leave(member)`: its place is lost or will be; `look_for(member)`: whether it has another one by now
 * @param cluster the part that knows the cluster
 */
export function driverProgram(cluster: string): string {
  return joinedPython(
    programText('launched/plan.py'), programText('launched/policy.py'), programText('launched/program.py'), programText('launched/supervisor.py'), cluster,
  );
}
