/**
 * The Coscheduling plugin of scheduler-plugins: a PodGroup, and a label on its pods.
 * @see https://github.com/kubernetes-sigs/scheduler-plugins/tree/master/pkg/coscheduling
 */
import { gangName, minimumReplicas, sumOf, toQuantities, type GangRenderer } from './gang-renderer';
import { jobObjectMeta } from '../job/job-metadata';

/** See the top of this file. */
export const COSCHEDULING: GangRenderer = {
  title: 'the Coscheduling plugin of scheduler-plugins',
  // Of the second scheduler that the project's Helm chart installs.
  schedulerName: 'scheduler-plugins-scheduler',
  needs: 'Install the CRDs and the scheduler of kubernetes-sigs/scheduler-plugins',
  resources: [{ group: 'scheduling.x-k8s.io', version: 'v1alpha1', plural: 'podgroups', kind: 'PodGroup' }],

  objects(gang) {
    const requests = sumOf(minimumReplicas(gang).map((replica) => gang.requestsOf(replica.role)));
    return [{
      apiVersion: 'scheduling.x-k8s.io/v1alpha1',
      kind: 'PodGroup',
      metadata: jobObjectMeta(gang.job.name, gangName(gang.job), gang.ownership),
      spec: {
        minMember: gang.minimum,
        scheduleTimeoutSeconds: gang.timeoutSeconds,
        // The plugin looks once whether the cluster has room for all, instead of trying pod by pod.
        ...(Object.keys(requests).length > 0 && { minResources: toQuantities(requests) }),
      },
    }];
  },

  pod: ({ job }) => ({ labels: { 'scheduling.x-k8s.io/pod-group': gangName(job) } }),
};
