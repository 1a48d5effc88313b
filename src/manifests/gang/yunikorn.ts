/**
 * YuniKorn: an application, and in it a task group for each role, all of it on the pods. YuniKorn first holds the room of the minimum by
 * placeholders, and then puts the pods in their places.
 *
 * Each attempt is an application of its own: one whose pods have all gone is completed, and its task groups are not looked at again.
 * @see https://yunikorn.apache.org/docs/user_guide/gang_scheduling
 */
import { minimumReplicas, toQuantities, type Gang, type GangRenderer } from './gang-renderer';
import { nodeSelectorOf } from '../../model/training-job/accelerator-labels';

/** One entry of the annotation with the task groups. */
interface TaskGroup {
  readonly name: string;
  readonly minMember: number;
  readonly minResource: { readonly [resource: string]: string };
  readonly nodeSelector?: { readonly [label: string]: string };
  readonly tolerations?: readonly unknown[];
}

/** See the top of this file. */
export const YUNIKORN: GangRenderer = {
  title: 'YuniKorn',
  schedulerName: 'yunikorn',
  needs: 'Install Apache YuniKorn',
  resources: [],
  objects: () => [],

  pod(gang, { replica, attempt }) {
    const { job, ownership, spec, timeoutSeconds } = gang;
    // Application ids are unique in the whole cluster, so a name that is unique in its namespace would not do.
    const application = `${ownership.owner === undefined ? job.name : `mltj-${ownership.owner.uid}`}-${attempt}`;
    const groups = taskGroups(gang);
    const isMember = groups.some((group) => group.name === replica.role);
    return {
      labels: {
        // The names without a prefix are read by releases before 1.6 only.
        'applicationId': application,
        'yunikorn.apache.org/app-id': application,
        ...(spec.queue !== undefined && { 'queue': spec.queue, 'yunikorn.apache.org/queue': spec.queue }),
      },
      annotations: {
        'yunikorn.apache.org/task-groups': JSON.stringify(groups),
        ...(isMember && { 'yunikorn.apache.org/task-group-name': replica.role }),
        // Soft: what has not found room is given back by the operator, which then starts the next attempt; Hard would make the pods fail.
        'yunikorn.apache.org/schedulingPolicyParameters': `placeholderTimeoutInSeconds=${timeoutSeconds} gangSchedulingStyle=Soft`,
      },
    };
  },
};

/** Roles with as many members as the minimum takes of each; roles that it takes none of are scheduled when all others are. */
function taskGroups(gang: Gang): TaskGroup[] {
  const members = new Map<string, number>();
  for (const { role } of minimumReplicas(gang)) {
    members.set(role, (members.get(role) ?? 0) + 1);
  }
  const { tolerations } = gang.job.spec.scheduling ?? {};
  return [...members].map(([name, minMember]) => {
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
