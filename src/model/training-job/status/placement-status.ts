/** What the status keeps of gangs and queues. */

/** `status.gang`: a gang that was, or stays, placed in part. */
export interface GangStatus {
  /** How often the whole gang was released because it stayed below its minimum. Neither a restart nor a disruption. */
  readonly releases?: number;
  /** Since when the attempt has had some of its replicas placed, and too few. */
  readonly belowSince?: string;
  /** How many releases in a row the pause was doubled by; gone once the gang has run. */
  readonly step?: number;
}

/** `status.queue`: the job in its queue of Kueue. */
export interface QueueStatus {
  /** The LocalQueue. */
  readonly name: string;
  /** The Workload that stands for the job. Absent with queueMode PodGroup, where Kueue makes it. */
  readonly workload?: string;
  /** ClusterQueue that the quota is reserved in. */
  readonly clusterQueue?: string;
  /** Whether the job may run. */
  readonly admitted: boolean;
  /** Place in the queue, from 0; absent when the job does not wait, or where Kueue does not serve its visibility API. */
  readonly position?: number;
  /** How often Kueue has taken the quota back. These count as disruptions too. */
  readonly evictions?: number;
}
