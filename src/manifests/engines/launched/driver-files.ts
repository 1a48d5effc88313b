/** The ConfigMap with an engine's driver and its plan, and its mount in the driver's pod. */
import { launchPlan, type PlannedTemplate } from './plan';
import { jobObjectMeta, type ObjectOwnership } from '../../job/job-metadata';
import type { ConfigMap, Volume, VolumeMount } from '../../kubernetes';
import { plainObject } from '../../plain-object';
import { RESERVED_VOLUME_PREFIX } from '../../../model/labels';
import type { ResolvedTrainingJob } from '../../../model/training-job/replicas/resolve';
import { joinedPython } from '../../../programs/joined-python';
import { programText } from '../../../programs/program-text';

/** Mount path in the driver's pod. */
export const DRIVER_PATH = '/etc/trainyard/launch';

const DRIVER_VOLUME = `${RESERVED_VOLUME_PREFIX}driver`;

/** Mount of the files in the driver's container. */
export const DRIVER_MOUNT: VolumeMount = { name: DRIVER_VOLUME, mountPath: DRIVER_PATH, readOnly: true };

/** The volume of {@link DRIVER_MOUNT}. */
export function driverVolume(configMap: string): Volume {
  return { name: DRIVER_VOLUME, configMap: { name: configMap } };
}

/** The plan as JSON, for the driver. */
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
 * The driver of a job on Ray or Spark: one Python module, which both send to other machines by value. Their shared part is in `programs/launched` and
 * uses only the standard library of Python 3.8 and later:
 *
 * - `plan.py` reads the plan (`plan.ts`) and computes the environment and the command of one replica's program
 * - `policy.py` decides what happens after a program ends, as `operator/training/plan/failures.ts` does
 * - `program.py` is one program of the user. Its output is read line by line, copied to the container's log and kept until it is fetched; its end is
 *   reported after its last line
 * - `supervisor.py` starts programs, prints their output, and decides what happens after one of them ends
 *
 * A cluster decides where programs run. It is an object with
 *
 * - `place_all()`, which waits until each replica has a place; `address_of(member)`
 * - `start(member, attempt)`; `stop(members)`, which returns in how many seconds they will have ended
 * - `watch(members, seconds)`: `News` of running programs
 * - `leave(member)`: its place is or will be lost; `look_for(member)`: whether it has another one
 * @param cluster program of the cluster
 */
export function driverProgram(cluster: string): string {
  return joinedPython(
    programText('launched/plan.py'), programText('launched/policy.py'), programText('launched/program.py'), programText('launched/supervisor.py'), cluster,
  );
}
