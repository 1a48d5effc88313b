/** Volcano: a PodGroup, and annotations on its pods. @see https://volcano.sh/en/docs/podgroup/ */
import { gangName, minimumReplicas, sumOf, toQuantities, type GangRenderer } from './gang-renderer';
import { jobObjectMeta } from '../job/job-metadata';

/** See the top of this file. */
export const VOLCANO: GangRenderer = {
  title: 'Volcano',
  schedulerName: 'volcano',
  needs: 'Install Volcano',
  resources: [{ group: 'scheduling.volcano.sh', version: 'v1beta1', plural: 'podgroups', kind: 'PodGroup' }],

  objects(gang) {
    const requests = sumOf(minimumReplicas(gang).map((replica) => gang.requestsOf(replica.role)));
    return [{
      apiVersion: 'scheduling.volcano.sh/v1beta1',
      kind: 'PodGroup',
      metadata: jobObjectMeta(gang.job.name, gangName(gang.job), gang.ownership),
      spec: {
        minMember: gang.minimum,
        // The group is Inqueue only when its queue has room for that much.
        ...(Object.keys(requests).length > 0 && { minResources: toQuantities(requests) }),
        queue: gang.spec.queue ?? 'default',
        priorityClassName: gang.job.spec.scheduling?.priorityClassName,
      },
    }];
  },

  pod: ({ job, spec }, { replica }) => ({
    annotations: {
      'scheduling.k8s.io/group-name': gangName(job),
      'volcano.sh/task-spec': replica.role,
      ...(spec.queue !== undefined && { 'scheduling.volcano.sh/queue-name': spec.queue }),
    },
  }),
};
