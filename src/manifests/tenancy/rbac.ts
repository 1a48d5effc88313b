/**
 * What people of a team may do in its namespace. Verbs are exact, and nothing is a wildcard; nobody reads secrets, gives rights or touches limits.
 */
import { WORKLOAD_KINDS } from '../../model/kinds/registry';
import { API_GROUP, TRAINING_JOB_PLURAL } from '../../model/labels';
import type { PolicyRule } from '../operator-rbac';

/** Resources of one API group. */
interface Resources {
  readonly group: string;
  readonly resources: readonly string[];
}

/** Kinds beside workloads that a team works with. */
const BESIDE_WORKLOADS: readonly Resources[] = [
  { group: 'kubeflow.org', resources: ['poddefaults', 'scheduledworkflows'] },
  { group: 'pipelines.kubeflow.org', resources: ['pipelines', 'pipelineversions'] },
  { group: 'serving.kserve.io', resources: ['inferencegraphs', 'servingruntimes'] },
  { group: 'keda.sh', resources: ['scaledobjects', 'triggerauthentications'] },
  { group: 'tensorboard.kubeflow.org', resources: ['tensorboards'] },
  { group: '', resources: ['pods', 'configmaps', 'services', 'persistentvolumeclaims'] },
];

/** Kinds that a team works with: it may create, change and delete them. */
const WORK: readonly Resources[] = byGroup([
  ...WORKLOAD_KINDS.filter(({ isNamespaced = true, isRetired = false }) => isNamespaced && !isRetired)
    .map(({ group, plural }) => ({ group, resources: [plural] })),
  ...BESIDE_WORKLOADS,
]);

/** What it looks at. */
const SEEN: readonly Resources[] = [
  { group: '', resources: ['events', 'resourcequotas', 'limitranges', 'serviceaccounts'] },
  { group: 'events.k8s.io', resources: ['events'] },
  { group: 'kueue.x-k8s.io', resources: ['localqueues', 'workloads'] },
  { group: 'networking.k8s.io', resources: ['networkpolicies'] },
  { group: 'kubeflow.org', resources: ['trials', 'suggestions'] },
  { group: 'scheduling.volcano.sh', resources: ['podgroups'] },
  { group: 'argoproj.io', resources: ['workflows'] },
];

const READ: readonly string[] = ['get', 'list', 'watch'];

/** Rules for those who only look. */
export function viewerRules(): PolicyRule[] {
  return [
    ...[...WORK, ...SEEN].map(({ group, resources }) => ({ apiGroups: [group], resources, verbs: READ })),
    { apiGroups: [''], resources: ['pods/log'], verbs: ['get'] },
  ];
}

/** Rules for those who work. */
export function memberRules(interactive: boolean): PolicyRule[] {
  return [
    ...WORK.map(({ group, resources }) => ({ apiGroups: [group], resources, verbs: [...READ, 'create', 'update', 'patch', 'delete'] })),
    ...SEEN.map(({ group, resources }) => ({ apiGroups: [group], resources, verbs: READ })),
    { apiGroups: [API_GROUP], resources: [`${TRAINING_JOB_PLURAL}/scale`], verbs: ['get', 'update', 'patch'] },
    { apiGroups: [''], resources: ['pods/log'], verbs: ['get'] },
    // Pods read secrets; people only put them there. The answer to a patch, also to one that is a mere dry run, is the object with its data, and
    // so is that to a deletion in the foreground. Who may update overwrites what others put there.
    { apiGroups: [''], resources: ['secrets'], verbs: ['create'] },
    ...(interactive ? [{ apiGroups: [''], resources: ['pods/exec', 'pods/portforward', 'pods/attach'], verbs: ['create'] }] : []),
  ];
}

/** One entry for each group, in the order of the groups. */
function byGroup(entries: readonly Resources[]): Resources[] {
  const groups = new Map<string, string[]>();
  entries.forEach(({ group, resources }) => groups.set(group, [...groups.get(group) ?? [], ...resources]));
  return [...groups].map(([group, resources]) => ({ group, resources }));
}
