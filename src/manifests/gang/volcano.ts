/** Volcano: a PodGroup, and annotations on its pods. @see https://volcano.sh/en/docs/podgroup/ */
import { constructPodGroup, gangName, type GangRenderer } from './gang-renderer';

export const VOLCANO: GangRenderer = {
  title: 'Volcano',
  schedulerName: 'volcano',
  needs: 'Install Volcano',
  resources: [{ group: 'scheduling.volcano.sh', version: 'v1beta1', plural: 'podgroups', kind: 'PodGroup' }],

  // Volcano admits the group when its queue has room for its resources.
  objects: (gang) => [constructPodGroup(gang, 'scheduling.volcano.sh/v1beta1', {
    queue: gang.spec.queue ?? 'default',
    priorityClassName: gang.job.spec.scheduling?.priorityClassName,
  })],

  pod: ({ job, spec }, { replica }) => ({
    annotations: {
      'scheduling.k8s.io/group-name': gangName(job),
      'volcano.sh/task-spec': replica.role,
      ...(spec.queue !== undefined && { 'scheduling.volcano.sh/queue-name': spec.queue }),
    },
  }),
};
