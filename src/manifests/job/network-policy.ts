/**
 * The NetworkPolicy of a job. It selects the job's pods, and lets in what comes from them; where egress is limited it also lets out what a training
 * script cannot do without. Volumes need nothing: the node mounts them, not the pod.
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

/** Metadata servers of clouds: credentials of the pod's identity come from there (GKE's own on the last), else those of the node's. */
const METADATA_SERVERS: readonly string[] = ['169.254.169.254/32', '169.254.169.252/32'];

/** What pods may reach where traffic out is limited. */
export interface LimitedEgress {
  /** Pods beside which they work. */
  readonly peers: object;
  /** Namespace of the operator that they report to. @default - they report to none */
  readonly operatorNamespace?: string;
  /** Whether they have an identity of their own in a cloud. */
  readonly hasIdentity: boolean;
  readonly toCidrs: readonly string[];
}

export function networkPolicyName(jobName: string): string {
  return jobName;
}

/** Rules of egress for pods that need each other, names, HTTPS (artifacts, the API server), the operator, and credentials of their identity. */
export function limitedEgress({ peers, operatorNamespace, hasIdentity, toCidrs }: LimitedEgress): object[] {
  const cidrs = [...(hasIdentity ? METADATA_SERVERS : []), ...toCidrs];
  return [
    { to: [peers] },
    { ports: [{ port: 53, protocol: 'UDP' }, { port: 53, protocol: 'TCP' }] },
    { ports: [{ port: 443, protocol: 'TCP' }] },
    ...(operatorNamespace === undefined ? [] : [{
      // By its namespace too: whoever may create pods may give them the operator's label.
      to: [{ ...namespacesNamed([operatorNamespace]), podSelector: { matchLabels: { [OPERATOR_NAME_LABEL]: OPERATOR_NAME } } }],
      ports: [{ port: OPERATOR_PROGRESS_PORT, protocol: 'TCP' }],
    }]),
    // A rule without addresses would be one for all of them.
    ...(cidrs.length === 0 ? [] : [{ to: cidrs.map((cidr) => ({ ipBlock: { cidr } })) }]),
  ];
}

/** Pods of namespaces by their names. */
export function namespacesNamed(names: readonly string[]): object {
  return { namespaceSelector: { matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'In', values: [...names] }] } };
}

/**
 * Whether a template names a service account: its identity in a cloud is then what pods ask the metadata server for. The account `default` is that of
 * all pods of the namespace, and what a metadata server gives to pods without an identity is the node's.
 */
function hasIdentity({ roles }: ResolvedTrainingJob): boolean {
  return roles.some(({ templates }) => templates.some(({ spec }) => {
    const account = spec?.serviceAccountName ?? spec?.serviceAccount;
    return account !== undefined && account !== '' && account !== 'default';
  }));
}

/**
 * The policies of a job: one, or none.
 * @param operatorNamespace namespace of the operator that the job's pods report to; @default - they report to none
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
