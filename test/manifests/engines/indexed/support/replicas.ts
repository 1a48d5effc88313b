/** Finds a job's replicas among the pods that an upstream controller makes of it. */
import type { UpstreamPod } from './upstream-pods';
import type { AddressBook } from '../../../../../src/model/frameworks/address-book';
import { ROLE_LABEL } from '../../../../../src/model/labels';
import { replicasOfRole } from '../../../../../src/model/training-job/replicas/replicas';
import type { ResolvedTrainingJob } from '../../../../../src/model/training-job/replicas/resolve';

/** Pods by the ordinal of their replica: those of a role by its label in their order, those of a template for all roles in the order of ranks. */
export function podsByOrdinal(job: ResolvedTrainingJob, pods: readonly UpstreamPod[]): ReadonlyMap<number, UpstreamPod> {
  const found = new Map<number, UpstreamPod>();
  for (const role of [...job.roles.map(({ name }) => name), undefined]) {
    const members = pods.filter(({ pod }) => pod.metadata?.labels?.[ROLE_LABEL] === role);
    const replicas = role === undefined ? job.replicas : replicasOfRole(job, role);
    members.forEach((member, index) => found.set(replicas[index].ordinal, member));
  }
  return found;
}

/** Addresses by which Kubernetes' DNS leads to those pods: `HOSTNAME.SUBDOMAIN`. */
export function addressesOfPods(pods: ReadonlyMap<number, UpstreamPod>): AddressBook {
  return {
    host: ({ ordinal }) => {
      const { hostname, subdomain } = pods.get(ordinal)!.pod.spec;
      return `${hostname}.${subdomain}`;
    },
    port: (_replica, _name, standard) => standard,
  };
}
