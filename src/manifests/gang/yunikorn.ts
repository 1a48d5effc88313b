/**
 * YuniKorn: an application with a task group for each role, all in labels and annotations of the pods. YuniKorn first reserves the room of the
 * minimum with placeholders, which it then replaces by the pods.
 *
 * Each attempt is a separate application: one without remaining pods is completed, and its task groups are no longer used.
 * @see https://yunikorn.apache.org/docs/user_guide/gang_scheduling
 */
import { countByRole, minimumReplicas, toQuantities, type Gang, type GangRenderer } from './gang-renderer';
import { nodeSelectorOf } from '../../model/training-job/accelerator-labels';

/** One entry of the annotation with the task groups. */
interface TaskGroup {
  readonly name: string;
  readonly minMember: number;
  readonly minResource: { readonly [resource: string]: string };
  readonly nodeSelector?: { readonly [label: string]: string };
  readonly tolerations?: readonly unknown[];
}

export const YUNIKORN: GangRenderer = {
  title: 'YuniKorn',
  schedulerName: 'yunikorn',
  needs: 'Install Apache YuniKorn',
  resources: [],
  objects: () => [],

  pod(gang, { replica, attempt }) {
    const { job, ownership, spec, timeoutSeconds } = gang;
    // Application ids must be unique in the cluster, but the job's name is unique only in its namespace.
    const application = `${ownership.owner === undefined ? job.name : `mltj-${ownership.owner.uid}`}-${attempt}`;
    const groups = taskGroups(gang);
    const isMember = groups.some((group) => group.name === replica.role);
    return {
      labels: {
        // Only releases before 1.6 read the names without a prefix.
        'applicationId': application,
        'yunikorn.apache.org/app-id': application,
        ...(spec.queue !== undefined && { 'queue': spec.queue, 'yunikorn.apache.org/queue': spec.queue }),
      },
      annotations: {
        'yunikorn.apache.org/task-groups': JSON.stringify(groups),
        ...(isMember && { 'yunikorn.apache.org/task-group-name': replica.role }),
        // Soft: if there is no room, the operator releases the gang and starts the next attempt. Hard would make the pods fail.
        'yunikorn.apache.org/schedulingPolicyParameters': `placeholderTimeoutInSeconds=${timeoutSeconds} gangSchedulingStyle=Soft`,
      },
    };
  },
};

/** A group for each role with replicas in the minimum. Other roles are scheduled after all others. */
function taskGroups(gang: Gang): TaskGroup[] {
  const { tolerations } = gang.job.spec.scheduling ?? {};
  return [...countByRole(minimumReplicas(gang))].map(([name, minMember]) => {
    const nodeSelector = nodeSelectorOf(gang.job, gang.job.roles.find((role) => role.name === name)!);
    return {
      name,
      minMember,
      minResource: toQuantities(gang.requestsOf(name)),
      ...(nodeSelector && { nodeSelector }),
      ...(tolerations && { tolerations }),
    };
  });
}
