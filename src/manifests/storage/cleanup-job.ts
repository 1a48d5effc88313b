/** The CronJob that deletes old checkpoints of a store, with its program. */
import { constructStorePod } from './store-pods';
import type { Manifest, PodSpec } from '../kubernetes';
import { plainObject } from '../plain-object';
import { labelsWithoutSidecar } from '../../model/mesh';
import type { RetentionSpec, StoreSpec } from '../../model/storage/store';
import { trimmedEnd } from '../../model/text/trim';
import { programText } from '../../programs/program-text';

/** Name of the program in its ConfigMap. */
export const CLEANUP_FILE = 'cleanup.py';

/** Any Python 3 will do. */
const CLEANUP_IMAGE = 'docker.io/library/python:3.13.9-alpine3.22';

/** The longest name of a CronJob is 52: the time is appended to it. */
const MAX_NAME = 52;

const SUFFIX = '-cleanup';
const PROGRAM_FOLDER = '/opt/cleanup';
const STORE_FOLDER = '/store';
const STORE_VOLUME = 'store';
const NOBODY = 65534;
const ONE_HOUR = 3600;

export interface CleanupObjects {
  readonly program: Manifest;
  readonly cronJob: Manifest;
}

/** Name of the CronJob and of its program. */
export function cleanupName(storeName: string): string {
  return `${trimmedEnd(storeName.slice(0, MAX_NAME - SUFFIX.length), '-.')}${SUFFIX}`;
}

export function constructCleanup(spec: StoreSpec, retention: RetentionSpec): CleanupObjects {
  const metadata = { name: cleanupName(spec.name), namespace: spec.namespace };
  return plainObject({
    program: { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { [CLEANUP_FILE]: programText('storage/cleanup.py') } },
    cronJob: {
      apiVersion: 'batch/v1',
      kind: 'CronJob',
      metadata,
      spec: {
        schedule: retention.schedule,
        timeZone: retention.timeZone,
        // Two at a time would each count what the other one is about to delete.
        concurrencyPolicy: 'Forbid',
        startingDeadlineSeconds: ONE_HOUR,
        successfulJobsHistoryLimit: 1,
        failedJobsHistoryLimit: 3,
        jobTemplate: {
          spec: {
            backoffLimit: 1,
            activeDeadlineSeconds: retention.deadlineSeconds ?? 6 * ONE_HOUR,
            template: { metadata: podMetadata(constructStorePod(spec, STORE_VOLUME).annotations), spec: podSpec(spec, retention) },
          },
        },
      },
    },
  });
}

function podSpec(spec: StoreSpec, retention: RetentionSpec): PodSpec {
  const { volume, furtherVolumes } = constructStorePod(spec, STORE_VOLUME);
  const user = spec.user ?? NOBODY;
  const group = spec.group ?? user;
  return {
    restartPolicy: 'Never',
    serviceAccountName: retention.serviceAccountName,
    // It uses no API; a bucket's driver requests its own token.
    automountServiceAccountToken: false,
    securityContext: {
      runAsNonRoot: user !== 0,
      runAsUser: user,
      runAsGroup: group,
      // Buckets are mounted for the group that the pod names.
      ...(spec.backend.kind === 'gcsFuse' && { fsGroup: group }),
      seccompProfile: { type: 'RuntimeDefault' },
    },
    containers: [{
      name: 'cleanup',
      image: retention.image ?? CLEANUP_IMAGE,
      command: ['python3', '-B', '-u', `${PROGRAM_FOLDER}/${CLEANUP_FILE}`],
      env: Object.entries(settings(retention)).filter(([, value]) => value !== undefined).map(([name, value]) => ({ name, value })),
      resources: { requests: { cpu: '50m', memory: '64Mi' }, limits: { memory: '256Mi' } },
      securityContext: { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } },
      volumeMounts: [{ name: STORE_VOLUME, mountPath: STORE_FOLDER }, { name: 'program', mountPath: PROGRAM_FOLDER, readOnly: true }],
    }],
    volumes: [volume, { name: 'program', configMap: { name: cleanupName(spec.name) } }, ...furtherVolumes],
  };
}

/** The program's settings. */
function settings(retention: RetentionSpec): { readonly [name: string]: string | undefined } {
  const { keepLast, maxAgeSeconds, settleSeconds, pattern, inRoot, dryRun } = retention;
  return {
    CLEANUP_ROOT: STORE_FOLDER,
    CLEANUP_KEEP_LAST: keepLast?.toString(),
    CLEANUP_MAX_AGE_SECONDS: maxAgeSeconds?.toString(),
    CLEANUP_SETTLE_SECONDS: settleSeconds.toString(),
    CLEANUP_PATTERN: pattern,
    CLEANUP_IN_ROOT: inRoot ? 'true' : undefined,
    CLEANUP_DRY_RUN: dryRun ? 'true' : undefined,
  };
}

function podMetadata(annotations: { readonly [name: string]: string }): object {
  return { labels: labelsWithoutSidecar(), ...(Object.keys(annotations).length > 0 && { annotations }) };
}
