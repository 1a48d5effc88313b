/** The results of `trainyard doctor`. */
import type { ClusterSnapshot } from './snapshot';

/** An `error` stops jobs, a `warning` may stop some of them, and `ok` is a check that passed. */
export type Severity = 'error' | 'warning' | 'ok';

/** All faults by topic. */
export const FAULTS = {
  cluster: ['ClusterUnreachable', 'KubernetesTooOld', 'NoAdmissionPolicies', 'ClockSkew'],
  operator: [
    'OperatorMissing', 'OperatorNotReady', 'OperatorCrashLoop', 'OperatorPodsFail', 'SeveralOperators', 'NoLeader', 'LeaseStale', 'OperatorClockSkew',
    'OperatorOtherVersion', 'NamespaceNotWatched', 'OperatorRightsMissing', 'OperatorWarnings',
  ],
  definitions: [
    'DefinitionMissing', 'VersionNotServed', 'DefinitionNotEstablished', 'DefinitionNamesRefused', 'DefinitionOlder', 'DefinitionNewer', 'ConversionWebhookDown',
  ],
  controllers: ['ControllerMissing', 'ControllerNotReady', 'SchedulerMissing', 'KubernetesTooOldForController'],
  admission: ['WebhookServiceMissing', 'WebhookNoEndpoints', 'PolicyBindingMissing', 'PolicyMissing'],
  nodes: ['NoReadyNode', 'NodeNotReady', 'NodePressure', 'DevicePluginMissing', 'DevicePluginNotReady'],
  placement: ['NoAccelerators', 'ResourceOnNoNode', 'SelectorMatchesNoNode', 'TaintNotTolerated', 'NodeTooSmall', 'TooFewNodes'],
  queues: ['KueueMissing', 'QueueNotFound', 'ClusterQueueMissing', 'QueueStopped', 'QueueInactive', 'FlavorMissing', 'QuotaTooSmall', 'QuotaInUse'],
  storage: ['StorageClassMissing', 'NoDefaultStorageClass', 'NoSharedStorage', 'ClaimMissing', 'ClaimPending', 'ClaimSingleNode'],
  references: [
    'SecretMissing', 'ConfigMapMissing', 'KeyMissing', 'ServiceAccountMissing', 'PriorityClassMissing', 'RuntimeClassMissing', 'ReferenceMissing', 'PullSecretType',
    'PullSecretRegistry', 'WorkloadIdentityMissing',
  ],
  namespace: ['NamespaceMissing', 'NamespaceTerminating', 'NamespaceQuotaTooSmall', 'NamespaceQuotaInUse', 'LimitRangeExceeded', 'PodSecurityRejects', 'NetworkPolicyBlocks'],
  rights: ['NoRightToCreate', 'NoRightToManage', 'NoRightToLogs', 'NoRightToExec'],
  program: ['ProgramInvalid'],
} as const;

export type Topic = keyof typeof FAULTS;

/** Stable name of a fault, such as `OperatorMissing`. */
export type FaultId = (typeof FAULTS)[Topic][number];

export interface Fault {
  readonly id: FaultId;
  readonly severity: 'error' | 'warning';
  /** The problem, as one or two sentences. */
  readonly what: string;
  /** Messages of the cluster, numbers, the last lines of a log. */
  readonly evidence: readonly string[];
  /** A shell command that repairs it. */
  readonly fix: string;
}

/** A topic without faults. */
export interface Passed {
  readonly id: Topic;
  readonly severity: 'ok';
  readonly what: string;
  readonly evidence: readonly string[];
}

export type Finding = Fault | Passed;

export interface DoctorReport {
  /** Address of the API server. */
  readonly cluster: string;
  readonly namespace: string;
  /** The file whose jobs were checked. @default - none was given */
  readonly file?: string;
  readonly findings: readonly Finding[];
  /** Messages about what could not be checked. */
  readonly notes: readonly string[];
}

export interface CheckResult {
  readonly faults: readonly Fault[];
  /** A sentence that is true if there are no faults. @default - nothing was checked, so nothing is reported */
  readonly passed?: string;
}

/** A check: a pure function that finds one kind of faults. */
export interface Check {
  readonly topic: Topic;
  run(snapshot: ClusterSnapshot): CheckResult;
}

/** Removes repetitions: several workloads or roles may have the same fault. */
export function distinctFaults(faults: readonly Fault[]): readonly Fault[] {
  return faults.filter(({ id, what }, index) => faults.findIndex((other) => other.id === id && other.what === what) === index);
}
