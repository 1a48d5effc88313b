/** LeaderWorkerSets. @see https://github.com/kubernetes-sigs/lws/blob/v0.8.0/api/leaderworkerset/v1/leaderworkerset_types.go */
import { SPEC, TEMPLATE_OF_SET, WITH_DEVICES, variablesOfSets } from './cel';
import { numberOf, podSpec } from './pod-sets';
import { readyOf, standingByConditions } from './standing';
import type { WorkloadKind } from './workload-kind';
import { numberIn, record } from '../json-parts';

export const LEADER_WORKER_SET: WorkloadKind = {
  group: 'leaderworkerset.x-k8s.io', kind: 'LeaderWorkerSet', plural: 'leaderworkersets', versions: ['v1'], shortNames: ['lws'],
  podLabels: ['leaderworkerset.sigs.k8s.io/name'], logStream: 'leader_worker_set', isQueued: true, notMigrated: 'is a group of pods without an end. Keep it.',
  roleLabel: 'leaderworkerset.sigs.k8s.io/group-index', indexLabel: 'leaderworkerset.sigs.k8s.io/worker-index',
  standing: (object) => standingByConditions(object, readyOf(record(object.status).readyReplicas, numberOf(record(object.spec).replicas, 1))),
  scales: ({ replicas }) => [{ field: ['replicas'], replicas: numberIn(replicas) }],
  pods: ({ replicas, leaderWorkerTemplate }) => {
    const { workerTemplate, leaderTemplate = workerTemplate, size } = record(leaderWorkerTemplate);
    const groups = numberOf(replicas, 1);
    return {
      sets: [
        { name: 'leader', count: groups, pod: podSpec(leaderTemplate) },
        { name: 'worker', count: groups * (numberOf(size, 1) - 1), pod: podSpec(workerTemplate) },
      ],
      queued: 'WithDevices',
    };
  },
  policy: {
    target: 'leader-worker-sets',
    cel: variablesOfSets({
      before: [{ name: 'groups', expression: `int(${SPEC}.?replicas.orValue(1))` }, { name: 'group', expression: `${SPEC}.leaderWorkerTemplate` }],
      list: '[{"count": dyn(variables.groups), "template": dyn(variables.group.?leaderTemplate.orValue(variables.group.workerTemplate))}, '
        + '{"count": dyn(variables.groups * (int(variables.group.?size.orValue(1)) - 1)), "template": dyn(variables.group.workerTemplate)}]',
      count: 'int(r.count)',
      pod: TEMPLATE_OF_SET,
      mustQueue: WITH_DEVICES,
    }),
  },
};
