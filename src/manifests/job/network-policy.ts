/**
 * The NetworkPolicy of a job. It selects the job's pods and allows ingress from them; with limited egress it also allows what every training script
 * needs. Volumes need no rule, because the node mounts them.
 * @see https://kubernetes.io/docs/concepts/services-networking/network-policies/
 */
import { jobObjectMeta, type ObjectOwnership } from './job-metadata';
import type { Manifest } from '../kubernetes';
import { OPERATOR_NAME, OPERATOR_NAME_LABEL, OPERATOR_PROGRESS_PORT } from '../operator/settings';
import { plainObject } from '../plain-object';
import { JOB_LABEL } from '../../model/labels';
import type { ResolvedTrainingJob } from '../../model/training-job/replicas/resolve';
import { hasNetworkPolicy } from '../../model/training-job/security';

export interface NetworkPolicy extends Manifest {
  readonly spec: { readonly [field: string]: unknown };
}

/** Metadata servers of clouds, with credentials of the pod's identity (on GKE, the last one) or of the node's. */
const METADATA_SERVERS: readonly string[] = ['169.254.169.254/32', '169.254.169.252/32'];

/** What pods may reach with limited egress. */
export interface LimitedEgress {
  /** Pods with which they communicate. */
  readonly peers: object;
  /** Namespace of the operator to which they report. @default - they do not report */
  readonly operatorNamespace?: string;
  /** Whether they have their own identity in a cloud. */
  readonly hasIdentity: boolean;
  readonly toCidrs: readonly string[];
}

export function networkPolicyName(jobName: string): string {
  return jobName;
}

/** Egress rules for each other, DNS, HTTPS (artifacts, the API server), the operator, and credentials of the pods' identity. */
export function limitedEgress({ peers, operatorNamespace, hasIdentity, toCidrs }: LimitedEgress): object[] {
  const cidrs = [...(hasIdentity ? METADATA_SERVERS : []), ...toCidrs];
  return [
    { to: [peers] },
    { ports: [{ port: 53, protocol: 'UDP' }, { port: 53, protocol: 'TCP' }] },
    { ports: [{ port: 443, protocol: 'TCP' }] },
    ...(operatorNamespace === undefined ? [] : [{
      // Also by namespace, because any user who may create pods can set the operator's label.
      to: [{ ...namespacesNamed([operatorNamespace]), podSelector: { matchLabels: { [OPERATOR_NAME_LABEL]: OPERATOR_NAME } } }],
      ports: [{ port: OPERATOR_PROGRESS_PORT, protocol: 'TCP' }],
    }]),
    // A rule without addresses would allow all addresses.
    ...(cidrs.length === 0 ? [] : [{ to: cidrs.map((cidr) => ({ ipBlock: { cidr } })) }]),
  ];
}

/** Pods of namespaces by their names. */
export function namespacesNamed(names: readonly string[]): object {
  return { namespaceSelector: { matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'In', values: [...names] }] } };
}

/**
 * Whether a template names a service account, for whose cloud identity pods ask the metadata server. All pods of the namespace share the account
 * `default`, and pods without an identity would get the node's.
 */
function hasIdentity({ roles }: ResolvedTrainingJob): boolean {
  return roles.some(({ templates }) => templates.some(({ spec }) => {
    const account = spec?.serviceAccountName ?? spec?.serviceAccount;
    return account !== undefined && account !== '' && account !== 'default';
  }));
}

/**
 * The policies of a job: one, or none.
 * @param operatorNamespace namespace of the operator to which the job's pods report; @default - they do not report
 */
export function constructNetworkPolicies(job: ResolvedTrainingJob, ownership: ObjectOwnership, operatorNamespace?: string): NetworkPolicy[] {
  const { networkPolicy } = job.spec.security ?? {};
  if (networkPolicy === undefined || !hasNetworkPolicy(job.spec.security)) {
    return [];
  }
  const peers = { podSelector: { matchLabels: { [JOB_LABEL]: job.name } } };
  const namespaces = networkPolicy.fromNamespaces ?? [];
  const limited = networkPolicy.egress === 'Limited';
  return [plainObject<NetworkPolicy>({
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: jobObjectMeta(job.name, networkPolicyName(job.name), ownership),
    spec: {
      podSelector: peers.podSelector,
      policyTypes: limited ? ['Ingress', 'Egress'] : ['Ingress'],
      ingress: [{
        from: [
          peers,
          ...(namespaces.length > 0 ? [namespacesNamed(namespaces)] : []),
        ],
      }],
      ...(limited && { egress: limitedEgress({ peers, operatorNamespace, hasIdentity: hasIdentity(job), toCidrs: networkPolicy.toCidrs ?? [] }) }),
    },
  })];
}
