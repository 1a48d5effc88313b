/** What the Spark operator can do with a job: Spark gives executors of one kind, and the driver that comes with the job acts as our operator. */
import { no, partly, type EngineCapabilities, type Partly } from '../capabilities';
import { KUEUE_FIELDS } from '../indexed/capabilities';
import { isSame } from '../indexed/fold-pods';
import { launchedFields, launchedFrameworks, type Members } from '../launched/capabilities';
import type { ResolvedRole } from '../../../model/frameworks/contract';
import type { SparkBatchScheduler } from '../../../model/spark/settings';
import { resolveTrainingJob } from '../../../model/training-job/replicas/resolve';
import type { GangScheduler, SchedulingSpec } from '../../../model/training-job/scheduling';

const EXECUTORS: Members = { name: 'executors', onEach: 'in each of its executors', places: 'executors' };

/** What Spark's `batchScheduler` calls gang schedulers. */
export const BATCH_SCHEDULERS: { readonly [scheduler in GangScheduler]?: SparkBatchScheduler } = {
  Volcano: 'volcano', YuniKorn: 'yunikorn', Coscheduling: 'kube-scheduler',
};

/** Scheduler of driver and executors. The operator would name the gang's by its webhook, which passes over pods that have templates. */
export function schedulerOf(scheduling: SchedulingSpec | undefined): string | undefined {
  return scheduling?.schedulerName ?? (scheduling?.gang && BATCH_SCHEDULERS[scheduling.gang.scheduler]);
}

/** Executors are alike. */
function sameForAll(what: string, of: (role: ResolvedRole) => unknown): Partly {
  return partly('the same for all roles', (_value, spec) => {
    const [first, ...others] = resolveTrainingJob('job', spec).roles;
    return others.every((role) => isSame(of(role), of(first))) ? undefined : `creates its executors from one template, so roles cannot differ in their ${what}`;
  });
}

/** The answers for an installation. */
export function sparkCapabilities(settings: SparkEngineSettings): EngineCapabilities {
  const queued = partly('where Kueue\'s alpha gate for it is on', () => (settings.kueue ? undefined
    : 'is queued by Kueue only with an alpha feature gate; if yours is on, set kueue in the engine\'s options'));
  return {
    frameworks: launchedFrameworks(EXECUTORS),
    fields: {
      ...launchedFields(EXECUTORS),
      ...KUEUE_FIELDS,
      'helpers': no('creates its executors from one template, and a helper has its own image and compute'),
      'roles[].image': sameForAll('image', (role) => role.image),
      'roles[].resources': sameForAll('resources', (role) => role.resources),
      'roles[].template': sameForAll('template', (role) => role.templates),
      'runPolicy.activeDeadlineSeconds': partly('counted from the start of the driver', () => undefined),
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

/** The driver's pod: Spark's own, and what starts the job's programs. It runs no replica. */
export interface SparkDriverSettings {
  /** Service account that may create executors. @default - one for the job, with a Role and its binding */
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
  /** Whether Kueue's integration of SparkApplication, an alpha gate of it, is switched on. @default false */
  readonly kueue?: boolean;
  /** How often the operator starts a job anew when its driver was lost or has given the job up. @default 0 */
  readonly applicationRetries?: number;
}

/** Service account that the operator's chart creates for drivers, in the namespaces that it is told of. */
export const CHART_ACCOUNT = 'spark-operator-spark';

/** Container of the driver. */
export const DRIVER_DEFAULTS = { cpu: '1', memory: '2Gi' } as const;

/** Heap of an executor's JVM, which only carries the job's program: MiB. */
export const EXECUTOR_HEAP_MIB = 512;

/** Least memory of a replica, MiB: the JVM's heap, and as much for the rest. */
export const EXECUTOR_MIN_MIB = 1024;
