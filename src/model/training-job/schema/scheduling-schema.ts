/** Schema of `spec.scheduling`. */
import { integer, list, map, object, objectName, openObject, text, word, type JsonSchema } from './json-schema';
import { GANG_SCHEDULERS, QUEUE_MODES, type GangSpec, type SchedulingSpec, type TopologySpec } from '../scheduling';

/** Longest key of a label: a DNS subdomain, a slash and a name. */
const LABEL_KEY_MAX_LENGTH = 253 + 1 + 63;

/** Schema of SchedulingSpec. */
export function schedulingSchema(): JsonSchema {
  return object<SchedulingSpec>('Queue, gang, priority and placement.', {
    queueName: objectName('LocalQueue of Kueue. Not queued by default.'),
    queuePriorityClassName: objectName('WorkloadPriorityClass of Kueue.'),
    queueMode: word('How Kueue sees the queued job: as a Workload that the operator makes (the default), or as a plain pod group.', QUEUE_MODES),
    priorityClassName: objectName('PriorityClass of the pods.'),
    schedulerName: objectName('Scheduler of the pods.'),
    gang: object<GangSpec>('All-or-nothing start.', {
      scheduler: word('Who schedules the gang.', GANG_SCHEDULERS),
      queue: text('Queue of the gang scheduler (Volcano, Kai, YuniKorn). Its default queue by default.', { minLength: 1, maxLength: 253 }),
      minAvailable: integer('Replicas that must be placed together. All by default.', { minimum: 1 }),
      scheduleTimeoutSeconds: integer('Seconds that the gang may take to be placed.', { minimum: 1, default: 60 }),
    }, {
      required: ['scheduler'],
      rules: [{
        rule: '!has(self.queue) || self.scheduler in [\'Volcano\', \'Kai\', \'YuniKorn\']',
        message: 'is for Volcano, Kai and YuniKorn; the other schedulers have no queues',
        fieldPath: '.queue',
      }],
    }),
    topology: object<TopologySpec>('Topology level that the replicas are kept within.', {
      key: text('Node label that names the level, such as cloud.google.com/gce-topology-block.', { minLength: 1, maxLength: LABEL_KEY_MAX_LENGTH }),
      mode: word('Whether replicas may be placed apart if they do not fit together.', ['Required', 'Preferred'], { default: 'Required' }),
    }, { required: ['key'] }),
    nodeSelector: map('Node labels that every pod selects.', text('Value of the label.', { maxLength: 63 }), 64),
    tolerations: list('Tolerations of every pod, as Kubernetes writes them.', openObject('A toleration.', {
      key: text('Key of the taint.', { maxLength: LABEL_KEY_MAX_LENGTH }),
      operator: text('How the value is compared: Equal or Exists.', { maxLength: 16 }),
      value: text('Value of the taint.', { maxLength: 63 }),
      effect: text('Effect of the taint: NoSchedule, PreferNoSchedule or NoExecute.', { maxLength: 32 }),
    }), 64),
  }, {
    rules: (['queuePriorityClassName', 'queueMode'] as const).map((field) => ({
      rule: `!has(self.${field}) || has(self.queueName)`,
      message: 'is for jobs in a queue of Kueue. Set queueName',
      fieldPath: `.${field}`,
    })),
  });
}
