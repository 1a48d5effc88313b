/** A CronJob that starts the launcher at the times of a schedule. */
import type { PodSpec } from '../kubernetes';
import { plainObject } from '../plain-object';
import { labelsWithoutSidecar } from '../../model/mesh';
import type { CronSpec } from '../../model/events/spec';

/** Variable with the name of the launcher's Job, behind which the CronJob puts the time. */
const JOB_NAME = { name: 'JOB_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.labels[\'batch.kubernetes.io/job-name\']' } } };

/** Longest time of a launcher. */
const LAUNCHER_DEADLINE_SECONDS = 300;

/** Variables of a launcher that a CronJob starts. */
export const CRON_ENV = [JOB_NAME];

/** `spec` of the CronJob. Its own policy is about launchers, which are quick: that about training jobs is the launcher's to keep. */
export function constructCronJobSpec(spec: CronSpec, pod: PodSpec): { readonly [field: string]: unknown } {
  return plainObject({
    schedule: spec.schedule,
    timeZone: spec.timeZone,
    concurrencyPolicy: 'Forbid',
    startingDeadlineSeconds: spec.startingDeadlineSeconds,
    suspend: spec.suspend,
    successfulJobsHistoryLimit: 1,
    failedJobsHistoryLimit: 3,
    jobTemplate: {
      spec: {
        backoffLimit: 3, activeDeadlineSeconds: LAUNCHER_DEADLINE_SECONDS, template: { metadata: { labels: labelsWithoutSidecar() }, spec: pod },
      },
    },
  });
}
