/** What `trainyard doctor` reports. */
import type { ClusterSnapshot } from './snapshot';

/** An `error` stops jobs, a `warning` may stop some of them, and what is `ok` was checked and is fine. */
export type Severity = 'error' | 'warning' | 'ok';

/** All faults that are looked for, by topic. */
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

/** What is checked together. */
export type Topic = keyof typeof FAULTS;

/** Stable name of a fault, such as `OperatorMissing`. */
export type FaultId = (typeof FAULTS)[Topic][number];

/** Something that is wrong. */
export interface Fault {
  readonly id: FaultId;
  readonly severity: 'error' | 'warning';
  /** What is the matter, as one sentence or two. */
  readonly what: string;
  /** What was seen: the words of the cluster, numbers, the last lines of a log. */
  readonly evidence: readonly string[];
  /** The command that repairs it, to be pasted into a shell. */
  readonly fix: string;
}

/** Something that was checked and is fine. */
export interface Passed {
  readonly id: Topic;
  readonly severity: 'ok';
  readonly what: string;
  readonly evidence: readonly string[];
}

export type Finding = Fault | Passed;

/** Everything that was found. */
export interface DoctorReport {
  /** Address of the API server. */
  readonly cluster: string;
  readonly namespace: string;
  /** The file whose jobs were checked. @default - none was given */
  readonly file?: string;
  readonly findings: readonly Finding[];
  /** What could not be checked, as whole sentences. */
  readonly notes: readonly string[];
}

/** What a check found. */
export interface CheckResult {
  readonly faults: readonly Fault[];
  /** What was checked, as a sentence that is true if there are no faults. @default - nothing was checked, so nothing is reported */
  readonly passed?: string;
}

/** A check: a pure function that finds one kind of faults. */
export interface Check {
  readonly topic: Topic;
  run(snapshot: ClusterSnapshot): CheckResult;
}

/** Each fault once: several workloads, or roles of one, may have the same. */
export function distinctFaults(faults: readonly Fault[]): readonly Fault[] {
  return faults.filter(({ id, what }, index) => faults.findIndex((other) => other.id === id && other.what === what) === index);
}
