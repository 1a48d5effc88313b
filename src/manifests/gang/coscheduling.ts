/**
 * The Coscheduling plugin of scheduler-plugins: a PodGroup, and a label on its pods.
 * @see https://github.com/kubernetes-sigs/scheduler-plugins/tree/master/pkg/coscheduling
 */
import { constructPodGroup, gangName, type GangRenderer } from './gang-renderer';

export const COSCHEDULING: GangRenderer = {
  title: 'the Coscheduling plugin of scheduler-plugins',
  // The second scheduler that the project's Helm chart installs.
  schedulerName: 'scheduler-plugins-scheduler',
  needs: 'Install the CRDs and the scheduler of kubernetes-sigs/scheduler-plugins',
  resources: [{ group: 'scheduling.x-k8s.io', version: 'v1alpha1', plural: 'podgroups', kind: 'PodGroup' }],

  // With the resources, the plugin checks once whether the cluster has room for all, instead of trying pod by pod.
  objects: (gang) => [constructPodGroup(gang, 'scheduling.x-k8s.io/v1alpha1', { scheduleTimeoutSeconds: gang.timeoutSeconds })],

  pod: ({ job }) => ({ labels: { 'scheduling.x-k8s.io/pod-group': gangName(job) } }),
};
