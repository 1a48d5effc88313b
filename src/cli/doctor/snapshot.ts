/** The state of a cluster at one moment. The checks are pure functions of it. */
import type { Program } from './program';
import type { LogTail, NodeObject, OperatorView } from '../explain/job/snapshot';
import type { AnyObject, EventObject } from '../jobs/objects';
import { type ResourceKind } from '../../operator/runtime/resource-kind';

/** An object by its name: found, missing, or not readable. */
export type Seen<T> = { readonly found: T } | 'missing' | 'unreadable';

/** A cluster-scoped kind. */
export function clusterKind(group: string, version: string, plural: string, kind: string): ResourceKind {
  return { group, version, plural, kind, namespaced: false };
}

/** The object, if it was found. */
export function foundIn<T>(seen: Seen<T>): T | undefined {
  return typeof seen === 'object' ? seen.found : undefined;
}

/** The installed operator. */
export interface OperatorFacts extends OperatorView {
  /** Whether Deployments, pods and Leases of the operator were all readable. */
  readonly isReadable: boolean;
  /** Its ClusterRole; absent if it was not read. */
  readonly clusterRole?: Seen<AnyObject>;
  readonly clusterRoleBinding?: Seen<AnyObject>;
  /** Last lines of its containers that ended with an error. */
  readonly logs: readonly LogTail[];
  /** Events of type Warning about its objects. */
  readonly events: readonly EventObject[];
}

export interface KindFacts {
  readonly apiVersion: string;
  readonly kind: string;
  /** Plural name; absent if it is unknown. */
  readonly plural?: string;
  readonly isServed: boolean;
  /** Versions of its group that are served, the preferred one first. */
  readonly servedVersions: readonly string[];
  /** Its CustomResourceDefinition; absent for kinds of Kubernetes. */
  readonly definition?: Seen<AnyObject>;
  /** The service that converts its versions. */
  readonly conversion?: ServiceFacts;
}

/** A service that the API server calls. */
export interface ServiceFacts {
  readonly namespace: string;
  readonly name: string;
  readonly service: Seen<AnyObject>;
  /** Number of ready addresses; absent if they may not be read. */
  readonly endpoints?: number;
}

/** Why a service cannot answer; undefined if no reason is known. */
export function serviceFault({ namespace, name, service, endpoints }: ServiceFacts): string | undefined {
  if (service === 'missing') {
    return `There is no Service ${namespace}/${name}.`;
  }
  return endpoints === 0 ? `No pod of the Service ${namespace}/${name} is ready.` : undefined;
}

/** A webhook for objects of the program or for pods. */
export interface WebhookFacts {
  /** `ValidatingWebhookConfiguration NAME`. */
  readonly configuration: string;
  readonly name: string;
  readonly failurePolicy: string;
  /** Whether it is called for some objects only. */
  readonly isSelective: boolean;
  /** The resource for which it is called, such as `pods`. */
  readonly resource: string;
  readonly service: ServiceFacts;
}

export interface StorageClassObject extends AnyObject {
  readonly provisioner?: string;
  readonly volumeBindingMode?: string;
}

/** An object that the program refers to and does not contain. */
export interface ReferenceFacts {
  readonly group: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
  /** `MLTrainingJob ml/train: spec.template.spec.serviceAccountName`. */
  readonly usedBy: string;
  /** Key of a Secret or ConfigMap that is read. */
  readonly key?: string;
  readonly isPullSecret: boolean;
  readonly seen: Seen<ReferencedObject> | 'unknown-kind';
}

/** A referenced object, without the values of a Secret. */
export interface ReferencedObject extends AnyObject {
  /** Keys of a Secret or ConfigMap. */
  readonly keys?: readonly string[];
  /** Type of a Secret. */
  readonly type?: string;
  /** Registries that a pull secret has credentials for. */
  readonly registries?: readonly string[];
  readonly imagePullSecrets?: readonly { readonly name?: string }[];
}

/** A namespace that objects of the program are in. */
export interface NamespaceFacts {
  readonly name: string;
  readonly namespace: Seen<AnyObject>;
  readonly quotas: readonly AnyObject[];
  readonly limits: readonly AnyObject[];
  readonly networkPolicies: readonly AnyObject[];
  /** Its service account `default`. */
  readonly defaultAccount: Seen<ReferencedObject>;
}

/** Kueue. Lists are absent if they may not be read. */
export interface KueueFacts {
  readonly isInstalled: boolean;
  readonly localQueues?: readonly AnyObject[];
  readonly clusterQueues?: readonly AnyObject[];
  readonly cohorts?: readonly AnyObject[];
  readonly flavors?: readonly AnyObject[];
}

/** Whether the user may do something. */
export interface Right {
  readonly verb: string;
  readonly group: string;
  /** With its subresource: `pods/log`. */
  readonly resource: string;
  readonly namespace: string;
  readonly isAllowed: boolean;
}

/** Lists are absent if they may not be read. */
export interface ClusterSnapshot {
  /** Milliseconds since 1970 on this machine. */
  readonly now: number;
  /** The same on the API server; absent if it is unknown. */
  readonly serverNow?: number;
  readonly server: string;
  /** Version of Kubernetes. */
  readonly kubernetes: string;
  readonly user?: string;
  /** Version of this command. */
  readonly version: string;
  /** Hash of the operator's code in this version. @default - unknown */
  readonly operatorCode?: string;
  /** Namespace of objects that name none. */
  readonly namespace: string;
  /** Whether the cluster has an autoscaler. @default - unknown */
  readonly isAutoscaled?: boolean;
  readonly operator: OperatorFacts;
  readonly kinds: readonly KindFacts[];
  readonly webhooks?: readonly WebhookFacts[];
  readonly policies?: readonly AnyObject[];
  readonly policyBindings?: readonly AnyObject[];
  readonly nodes?: readonly NodeObject[];
  readonly daemonSets?: readonly AnyObject[];
  readonly deployments?: readonly AnyObject[];
  readonly storageClasses?: readonly StorageClassObject[];
  readonly rights: readonly Right[];
  readonly program?: Program;
  readonly namespaces: readonly NamespaceFacts[];
  readonly references: readonly ReferenceFacts[];
  /** Absent if the program uses no queue. */
  readonly kueue?: KueueFacts;
  /** Messages about what could not be read. */
  readonly unread: readonly string[];
}
