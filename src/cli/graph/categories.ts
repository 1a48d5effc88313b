/** What kinds of resources are about, and the colours that tell it. */
import { workloadGroups } from '../../model/kinds/registry';
import { kindKey } from '../../model/references/targets';
import type { GraphNode } from './resource-graph';

/** Colours of a node. All have enough contrast with black text. */
export interface CategoryColours {
  readonly title: string;
  readonly fill: string;
  readonly stroke: string;
}

/** What resources are about. */
export const CATEGORIES = {
  workload: { title: 'workloads', fill: '#ddf4ff', stroke: '#0969da' },
  queue: { title: 'queues and gangs', fill: '#fff1e5', stroke: '#bc4c00' },
  network: { title: 'network', fill: '#dafbe1', stroke: '#1a7f37' },
  config: { title: 'configuration and storage', fill: '#fff8c5', stroke: '#9a6700' },
  access: { title: 'rights', fill: '#fbefff', stroke: '#8250df' },
  other: { title: 'other', fill: '#f6f8fa', stroke: '#57606a' },
} as const satisfies { readonly [name: string]: CategoryColours };

/** One of {@link CATEGORIES}. */
export type Category = keyof typeof CATEGORIES;

/** Groups whose kinds are all of one sort. */
const BY_GROUP: { readonly [group: string]: Category } = {
  ...Object.fromEntries(['apps', 'autoscaling', ...workloadGroups()].map((group) => [group, 'workload' as const])),
  'kueue.x-k8s.io': 'queue', 'scheduling.x-k8s.io': 'queue', 'scheduling.k8s.io': 'queue', 'scheduling.volcano.sh': 'queue', 'scheduling.run.ai': 'queue',
  'networking.k8s.io': 'network', 'gateway.networking.k8s.io': 'network', 'discovery.k8s.io': 'network',
  'storage.k8s.io': 'config', 'external-secrets.io': 'config', 'cert-manager.io': 'config',
  'rbac.authorization.k8s.io': 'access',
};

/** Kinds of groups that have all sorts. */
const BY_KIND: { readonly [kind: string]: Category } = {
  Pod: 'workload', ReplicationController: 'workload', Service: 'network', Endpoints: 'network',
  ConfigMap: 'config', Secret: 'config', PersistentVolumeClaim: 'config', PersistentVolume: 'config', ServiceAccount: 'access',
};

/** What a node is about. */
export function categoryOf({ group, kind }: Pick<GraphNode, 'group' | 'kind'>): Category {
  return own(BY_KIND, kindKey(group, kind)) ?? own(BY_GROUP, group) ?? 'other';
}

/** Kinds and groups are any text, also `constructor`. */
function own(table: { readonly [key: string]: Category }, key: string): Category | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}
