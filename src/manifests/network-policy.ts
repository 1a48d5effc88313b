/**
 * The NetworkPolicy of a job. It selects the job's pods, and lets in what comes from them; where egress is limited it also lets out what a training
 * script cannot do without. Volumes need nothing: the node mounts them, not the pod.
 * @see https://kubernetes.io/docs/concepts/services-networking/network-policies/
 */
import { jobObjectMeta, type ObjectOwnership } from './job-metadata';
import type { Manifest } from './kubernetes';
import { OPERATOR_NAME, OPERATOR_NAME_LABEL, OPERATOR_PROGRESS_PORT } from './operator/settings';
import { plainObject } from './plain-object';
import { JOB_LABEL } from '../model/labels';
import type { ResolvedTrainingJob } from '../model/training-job/resolve';
import { hasNetworkPolicy } from '../model/training-job/security';

/** A NetworkPolicy. */
export interface NetworkPolicy extends Manifest {
  readonly spec: { readonly [field: string]: unknown };
}

/** Metadata servers of clouds: credentials of the pod's identity come from there (GKE's own on the last). */
export const METADATA_SERVERS: readonly string[] = ['169.254.169.254/32', '169.254.169.252/32'];

/** Name of a job's policy. */
export function networkPolicyName(jobName: string): string {
  return jobName;
}

/** The policies of a job: one, or none. */
export function constructNetworkPolicies(job: ResolvedTrainingJob, ownership: ObjectOwnership): NetworkPolicy[] {
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
          ...(namespaces.length > 0
            ? [{ namespaceSelector: { matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'In', values: [...namespaces] }] } }]
            : []),
        ],
      }],
      ...(limited && {
        egress: [
          { to: [peers] },
          { ports: [{ port: 53, protocol: 'UDP' }, { port: 53, protocol: 'TCP' }] },
          { ports: [{ port: 443, protocol: 'TCP' }] },
          {
            to: [{ namespaceSelector: {}, podSelector: { matchLabels: { [OPERATOR_NAME_LABEL]: OPERATOR_NAME } } }],
            ports: [{ port: OPERATOR_PROGRESS_PORT, protocol: 'TCP' }],
          },
          { to: [...METADATA_SERVERS, ...networkPolicy.toCidrs ?? []].map((cidr) => ({ ipBlock: { cidr } })) },
        ],
      }),
    },
  })];
}
