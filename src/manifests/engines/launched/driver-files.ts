/** The ConfigMap with an engine's driver and its plan, and where the driver's pod sees it. */
import { launchPlan, type PlannedTemplate } from './plan';
import { jobObjectMeta, type ObjectOwnership } from '../../job/job-metadata';
import type { ConfigMap, Volume, VolumeMount } from '../../kubernetes';
import { plainObject } from '../../plain-object';
import { RESERVED_VOLUME_PREFIX } from '../../../model/labels';
import type { ResolvedTrainingJob } from '../../../model/training-job/replicas/resolve';

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

/** The ConfigMap. */
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
