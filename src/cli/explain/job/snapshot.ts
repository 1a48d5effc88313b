/** Everything that was read about a job. The diagnosis is a pure function of it. */
import type { AnyCondition, AnyObject, EventObject, PodObject } from '../../jobs/objects';
import type { Lease } from '../../../operator/runtime/leader-election';
import type { KubeObject } from '../../../operator/runtime/kube-object';
import type { Workload } from '../../../operator/kueue/workload';

export interface Taint {
  readonly key: string;
  readonly value?: string;
  readonly effect: string;
}

/** The fields of a node that rules use. */
export interface NodeObject extends KubeObject {
  spec?: { readonly unschedulable?: boolean; readonly taints?: readonly Taint[] };
  status?: { readonly conditions?: readonly AnyCondition[]; readonly allocatable?: { readonly [resource: string]: string } };
}

/** The installed operator. */
export interface OperatorView {
  readonly deployments: readonly AnyObject[];
  readonly pods: readonly PodObject[];
  readonly leases: readonly Lease[];
}

/** Kueue's objects for the job. */
export interface QueueView {
  /** Whether its definitions are installed. */
  readonly installed: boolean;
  readonly workload?: Workload;
  readonly localQueue?: AnyObject;
  /** Names of the LocalQueues of the namespace. */
  readonly localQueues: readonly string[];
  readonly clusterQueue?: AnyObject;
}

/** The last lines of a container that ended. */
export interface LogTail {
  readonly pod: string;
  readonly container: string;
  readonly text: string;
}

export interface JobSnapshot {
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly job: AnyObject;
  /** Objects between the job and its pods, such as the JobSet of a TrainJob. */
  readonly owned: readonly AnyObject[];
  readonly pods: readonly PodObject[];
  readonly events: readonly EventObject[];
  /** Nodes of the cluster; absent if you have no permission to read them. */
  readonly nodes?: readonly NodeObject[];
  /** Absent for jobs without a queue. */
  readonly queue?: QueueView;
  /** Pod groups of gang schedulers that the job is in. */
  readonly podGroups: readonly AnyObject[];
  /** Absent if you have no permission to read it, and for jobs of other engines. */
  readonly operator?: OperatorView;
  readonly logs: readonly LogTail[];
  /** Sentences that say what could not be read, and why. */
  readonly unread: readonly string[];
}
