/** Kubeflow's notebook servers. */
import { podSpec } from './pod-sets';
import type { WorkloadKind } from './workload-kind';

export const NOTEBOOK: WorkloadKind = {
  group: 'kubeflow.org', kind: 'Notebook', plural: 'notebooks', versions: ['v1'], fillsPods: true, notMigrated: 'is a notebook server. Keep it.',
  pods: ({ template }) => ({ sets: [{ name: 'pod', count: 1, pod: podSpec(template) }] }),
};
