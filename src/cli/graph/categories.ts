/** Categories of resources, and their colours. */
import { workloadGroups } from '../../model/kinds/registry';
import { kindKey } from '../../model/references/targets';
import { entryOf } from '../../model/lists';
import type { GraphNode } from './resource-graph';

/** Categories, with the colours of their nodes. All have enough contrast with black text. */
export const CATEGORIES = {
  workload: { title: 'workloads', fill: '#ddf4ff', stroke: '#0969da' },
  queue: { title: 'queues and gangs', fill: '#fff1e5', stroke: '#bc4c00' },
  network: { title: 'network', fill: '#dafbe1', stroke: '#1a7f37' },
  config: { title: 'configuration and storage', fill: '#fff8c5', stroke: '#9a6700' },
  access: { title: 'rights', fill: '#fbefff', stroke: '#8250df' },
  other: { title: 'other', fill: '#f6f8fa', stroke: '#57606a' },
} as const;

/** One of {@link CATEGORIES}. */
export type Category = keyof typeof CATEGORIES;

/** API groups whose kinds all have one category. */
const BY_GROUP: { readonly [group: string]: Category } = {
  ...Object.fromEntries(['apps', 'autoscaling', ...workloadGroups()].map((group) => [group, 'workload' as const])),
  'kueue.x-k8s.io': 'queue', 'scheduling.x-k8s.io': 'queue', 'scheduling.k8s.io': 'queue', 'scheduling.volcano.sh': 'queue', 'scheduling.run.ai': 'queue',
  'networking.k8s.io': 'network', 'gateway.networking.k8s.io': 'network', 'discovery.k8s.io': 'network',
  'storage.k8s.io': 'config', 'external-secrets.io': 'config', 'cert-manager.io': 'config',
  'rbac.authorization.k8s.io': 'access',
};

/** Kinds of groups with several categories. */
const BY_KIND: { readonly [kind: string]: Category } = {
  Pod: 'workload', ReplicationController: 'workload', Service: 'network', Endpoints: 'network',
  ConfigMap: 'config', Secret: 'config', PersistentVolumeClaim: 'config', PersistentVolume: 'config', ServiceAccount: 'access',
};

export function categoryOf({ group, kind }: Pick<GraphNode, 'group' | 'kind'>): Category {
  return entryOf(BY_KIND, kindKey(group, kind)) ?? entryOf(BY_GROUP, group) ?? 'other';
}
