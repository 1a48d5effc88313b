/** `spec.scheduling`: queue, gang, priority and placement. */
import * as field from './schema/field';
import { openObject, text } from './schema/json-schema';
import { LABEL_KEY_MAX_LENGTH, LABEL_KEY_PATTERN } from '../names';
import { TEXT, openRecord } from '../shapes';
import type { ResolvedTrainingJob } from './replicas/resolve';

const NODE_LABEL = {
  minLength: 1, maxLength: LABEL_KEY_MAX_LENGTH, pattern: LABEL_KEY_PATTERN, required: true,
  says: 'must be the key of a node label, such as cloud.google.com/gce-topology-block: an optional domain and \'/\', then letters, digits, \'-\', \'_\' and \'.\'.',
} as const;

/** Gang schedulers that a job can choose. */
export const GANG_SCHEDULERS = ['Coscheduling', 'Volcano', 'Kai', 'YuniKorn', 'Native'] as const;

/** One of {@link GANG_SCHEDULERS}. */
export type GangScheduler = (typeof GANG_SCHEDULERS)[number];

const QUEUE_MODE = field.words('QueueMode', 'How Kueue sees a queued job.', {
  Workload: 'As a Workload that the operator creates: the job waits without pods. Kueue must be configured for MLTrainingJobs.',
  PodGroup: 'As a plain group of pods, which Kueue gates. It needs Kueue\'s pod integration.',
});

export type QueueMode = (typeof QUEUE_MODE.list)[number];

/** `spec.scheduling.gang`. */
export const GANG = field.block('the gang', 'All-or-nothing start of the replicas.', {
  scheduler: field.word('Who schedules the gang.', GANG_SCHEDULERS, { required: true }),
  queue: field.text('Queue of the gang scheduler (Volcano, Kai, YuniKorn); Kueue\'s queues are set by queueName.', { minLength: 1, maxLength: 253, otherwise: 'the scheduler\'s default queue' }),
  minAvailable: field.integer('Replicas that must be placed together.', { minimum: 1, otherwise: 'all; of an elastic job its minReplicas' }),
  scheduleTimeoutSeconds: field.seconds('How long a gang may stay placed in part before all of it is released.', { minimum: 1, default: 60 }),
}, {
  type: 'Gang',
  otherwise: 'replicas are placed one by one',
  rules: [{
    rule: '!has(self.queue) || self.scheduler in [\'Volcano\', \'Kai\', \'YuniKorn\']',
    message: 'is for Volcano, Kai and YuniKorn; the other schedulers have no queues',
    fieldPath: '.queue',
  }],
});

const TOPOLOGY_MODE = field.words('TopologyMode', 'Whether replicas may be placed in another way if they do not fit as they should.', {
  Required: 'They wait until they fit.',
  Preferred: 'They are placed wherever there is room.',
});

const TOPOLOGY = field.block('the topology', 'Topology level that the replicas are kept within.', {
  key: field.text('Node label that names the level, such as cloud.google.com/gce-topology-block.', NODE_LABEL),
  mode: field.word('Whether replicas may be placed apart if they do not fit together.', TOPOLOGY_MODE, { default: 'Required' }),
}, { struct: 'Topology', otherwise: 'anywhere' });

const SPREAD = field.block('the spread', 'Domains that the replicas are spread over evenly, so that the loss of one domain hits few of them. '
  + 'A topologySpreadConstraint of the template on the same label is used instead.', {
  key: field.text('Node label that names the domains, such as topology.kubernetes.io/zone, or kubernetes.io/hostname for nodes.', NODE_LABEL),
  maxSkew: field.integer('By how many replicas the fullest domain may differ from the emptiest.', { minimum: 1, default: 1 }),
  mode: field.word('Whether replicas may be placed unevenly if they do not fit otherwise.', TOPOLOGY_MODE, { default: 'Required' }),
}, { struct: 'TopologySpread', otherwise: 'wherever there is room' });

/** `spec.scheduling`. */
export const SCHEDULING = field.block('scheduling', 'Queue, gang, priority and placement.', {
  queueName: field.objectName('LocalQueue of Kueue that the job waits in.', { otherwise: 'the job is in no queue' }),
  queuePriorityClassName: field.objectName('WorkloadPriorityClass of Kueue, which determines the order in the queue and which jobs are preempted.', { otherwise: 'the priority of the pods' }),
  queueMode: field.word('How Kueue sees the job.', QUEUE_MODE, { otherwise: 'Workload' }),
  gang: GANG,
  topology: TOPOLOGY,
  spread: SPREAD,
  priorityClassName: field.objectName('PriorityClass of the pods.', { otherwise: 'the cluster\'s' }),
  schedulerName: field.objectName('Scheduler of the pods.', { otherwise: 'the cluster\'s, or the gang\'s' }),
  nodeSelector: field.map('Node labels that every pod selects.', field.text('Value of the label.', { maxLength: 63 }), { maxProperties: 64, otherwise: 'any node' }),
  tolerations: field.list('Taints that every pod tolerates, as Kubernetes writes them.', field.custom<{ readonly [field: string]: unknown }>(openObject('A toleration.', {
    key: text('Key of the taint.', { maxLength: LABEL_KEY_MAX_LENGTH }),
    operator: text('How the value is compared: Equal or Exists.', { maxLength: 16 }),
    value: text('Value of the taint.', { maxLength: 63 }),
    effect: text('Effect of the taint: NoSchedule, PreferNoSchedule or NoExecute.', { maxLength: 32 }),
  }), { shape: openRecord({ key: TEXT, operator: TEXT, value: TEXT, effect: TEXT }) }), { maxItems: 64, type: 'Toleration[]', otherwise: 'none' }),
}, {
  struct: 'Scheduling',
  fixed: true,
  otherwise: 'not queued, placed one by one',
  rules: [
    ...(['queuePriorityClassName', 'queueMode'] as const).map((mode) => ({
      rule: `!has(self.${mode}) || has(self.queueName)`,
      message: 'is for jobs in a queue of Kueue. Set queueName',
      fieldPath: `.${mode}`,
    })),
    {
      rule: '!has(self.spread) || !has(self.topology) || self.spread.key != self.topology.key',
      message: 'is the level that topology keeps all replicas within. Spread them over a level below it, or remove one of the two',
      fieldPath: '.spread.key',
    },
  ],
});

/** `spec.scheduling` and its parts, as users write them. */
export type SchedulingSpec = field.ValueOf<typeof SCHEDULING>;
export type SpreadSpec = field.ValueOf<typeof SPREAD>;
export type GangSpec = field.ValueOf<typeof GANG>;

/** Seconds that a gang may stay in part before it is released, unless the job says otherwise. */
const DEFAULT_SCHEDULE_TIMEOUT_SECONDS = 60;

/**
 * How many replicas have to be placed together; undefined when the job is not a gang. Only pods that exist together count: all replicas of an
 * attempt do, init steps are containers of theirs, and of an elastic job those that it cannot do without: the fewest that train, and with
 * Horovod the launcher.
 */
export function gangMinimum(job: ResolvedTrainingJob): number | undefined {
  const { scheduling, elastic } = job.spec;
  if (scheduling?.gang === undefined) {
    return undefined;
  }
  const needed = elastic === undefined ? job.replicas.length : elastic.minReplicas + job.replicas.length - job.trainers;
  return Math.min(scheduling.gang.minAvailable ?? needed, job.replicas.length);
}

/** Seconds after which a gang that is placed in part is released. */
export function scheduleTimeoutSeconds(job: ResolvedTrainingJob): number {
  return job.spec.scheduling?.gang?.scheduleTimeoutSeconds ?? DEFAULT_SCHEDULE_TIMEOUT_SECONDS;
}
