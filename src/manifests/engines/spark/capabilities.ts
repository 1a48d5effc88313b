/** What the Spark operator supports: Spark provides identical executors, and the job's driver acts as our operator. */
import { no, partly, type EngineCapabilities } from '../capabilities';
import { KUEUE_FIELDS, sameForAll, withLimitation } from '../indexed/capabilities';
import { launchedFields, launchedFrameworks, type Members } from '../launched/capabilities';
import type { SparkBatchScheduler } from '../../../model/spark/settings';
import type { GangScheduler, SchedulingSpec } from '../../../model/training-job/scheduling';

const EXECUTORS: Members = { name: 'executors', onEach: 'in each of its executors', places: 'executors' };

/** Values of Spark's `batchScheduler`. */
export const BATCH_SCHEDULERS: { readonly [scheduler in GangScheduler]?: SparkBatchScheduler } = {
  Volcano: 'volcano', YuniKorn: 'yunikorn', Coscheduling: 'kube-scheduler',
};

/** Scheduler of driver and executors. The operator's webhook would set the gang's, but ignores pods with templates. */
export function schedulerOf(scheduling: SchedulingSpec | undefined): string | undefined {
  return scheduling?.schedulerName ?? (scheduling?.gang && BATCH_SCHEDULERS[scheduling.gang.scheduler]);
}

/** The capabilities of an installation. */
export function sparkCapabilities(settings: SparkEngineSettings): EngineCapabilities {
  const queued = partly('where Kueue\'s alpha gate for it is on', () => (settings.kueue ? undefined
    : 'is queued by Kueue only with an alpha feature gate; if yours is on, set kueue in the engine\'s options'));
  return {
    frameworks: launchedFrameworks(EXECUTORS),
    fields: {
      ...launchedFields(EXECUTORS),
      ...KUEUE_FIELDS,
      'helpers': no('creates its executors from one template, and a helper has its own image and compute'),
      'roles[].image': sameForAll('its executors', 'image', (role) => role.image),
      'roles[].resources': sameForAll('its executors', 'resources', (role) => role.resources),
      'roles[].template': sameForAll('its executors', 'template', (role) => role.templates),
      'runPolicy.activeDeadlineSeconds': withLimitation('counted from the start of the driver'),
      'runPolicy.cleanPodPolicy': partly('Running only', (value) => (value === 'Running' ? undefined : 'removes its executors and keeps its driver')),
      'scheduling.queueName': queued,
      'scheduling.queuePriorityClassName': queued,
      'scheduling.gang.scheduler': partly(Object.keys(BATCH_SCHEDULERS).join(', '), (value) => (BATCH_SCHEDULERS[value as GangScheduler] !== undefined
        ? undefined : `creates gangs only for ${Object.keys(BATCH_SCHEDULERS).join(', ')}`)),
      'scheduling.gang.minAvailable': no('requests the driver and all executors together, never only some of them'),
      'security.networkPolicy.egress': partly('not Limited', (value) => (value === 'Limited'
        ? 'has its driver create executors through the API server, whose address a policy cannot know' : undefined)),
      'managedBy': no('is managed only by the Spark operator'),
    },
  };
}

/** The driver's pod: Spark's driver, which starts the job's programs. It runs no replica. */
export interface SparkDriverSettings {
  /** Service account that may create executors. @default - one for the job, with a Role and a RoleBinding */
  readonly serviceAccountName?: string;
  /** @default 1 */
  readonly cpu?: string;
  /** @default 2Gi */
  readonly memory?: string;
  /** @default - any node whose taints the job tolerates */
  readonly nodeSelector?: { readonly [label: string]: string };
}

export interface SparkEngineSettings {
  /** Version of Spark in the images. @default 4.0.1 */
  readonly sparkVersion?: string;
  readonly driver?: SparkDriverSettings;
  /** Whether Kueue's alpha feature gate for SparkApplication is on. @default false */
  readonly kueue?: boolean;
  /** How often the operator restarts a job after its driver was lost or has failed the job. @default 0 */
  readonly applicationRetries?: number;
}

/** Service account that the operator's chart creates for drivers, in its configured namespaces. */
export const CHART_ACCOUNT = 'spark-operator-spark';

/** Resources of the driver's container. */
export const DRIVER_DEFAULTS = { cpu: '1', memory: '2Gi' } as const;

/** Heap of an executor's JVM in MiB. It only starts the job's program. */
export const EXECUTOR_HEAP_MIB = 512;

/** Smallest memory of a replica in MiB: the JVM's heap, and as much for the rest. */
export const EXECUTOR_MIN_MIB = 1024;
