/** Schema of what the status keeps of gangs and queues. */
import { boolean, integer, object, time, type JsonSchema } from '../json-schema';
import type { GangStatus, QueueStatus } from '../../status/placement-status';

/** `status.gang` and `status.queue`. */
export function placementStatusFields(): { readonly gang: JsonSchema; readonly queue: JsonSchema } {
  return {
    gang: object<GangStatus>('A gang that was, or stays, placed in part.', {
      releases: integer('How often the whole gang was released because it stayed below its minimum.', { minimum: 0 }),
      belowSince: time('Since when the attempt has had only some of its replicas placed.'),
      step: integer('How many releases in a row the pause was doubled by.', { minimum: 0 }),
    }),
    queue: object<QueueStatus>('The job in its queue of Kueue.', {
      name: { type: 'string', description: 'The LocalQueue.' },
      workload: { type: 'string', description: 'The Workload that represents the job.' },
      clusterQueue: { type: 'string', description: 'ClusterQueue that the quota is reserved in.' },
      admitted: boolean('Whether the job may run.'),
      position: integer('Position in the queue, from 0.', { minimum: 0 }),
      evictions: integer('How often Kueue has reclaimed the quota.', { minimum: 0 }),
    }, { required: ['name', 'admitted'] }),
  };
}
