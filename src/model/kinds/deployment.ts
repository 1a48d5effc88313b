/** Deployments: not workloads of users, but what operators, controllers and servers of models are run by. */
import { readyOf, standingByConditions } from './standing';
import type { KindIdentity, WorkloadKind } from './workload-kind';
import { jsonText, record } from '../json-parts';

/** Sets of pods of one version of a Deployment. */
export const REPLICA_SETS: KindIdentity = { apiVersion: 'apps/v1', kind: 'ReplicaSet', plural: 'replicasets' };

export const DEPLOYMENT: WorkloadKind = {
  group: 'apps', kind: 'Deployment', plural: 'deployments', versions: ['v1'], shortNames: ['deploy'], between: [REPLICA_SETS],
  podSelectors: ({ spec }) => [Object.entries(record(record(record(spec).selector).matchLabels)).map(([name, value]) => `${name}=${jsonText(value)}`).join(',')],
  standing: (object) => standingByConditions(object, readyOf(record(object.status).readyReplicas, record(object.spec).replicas)),
};
