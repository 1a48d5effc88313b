/** Kubeflow's notebook servers. */
import { podSpec } from './pod-sets';
import { readyOf, standingByConditions, type Standing } from './standing';
import type { WorkloadKind } from './workload-kind';
import { record, type JsonRecord } from '../json-parts';

/** Its controller's own annotation stops it. */
const STOPPED = ['metadata', 'annotations', 'kubeflow-resource-stopped'] as const;

function standing(object: JsonRecord): Standing {
  const { readyReplicas } = record(object.status);
  const isStopped = record(record(object.metadata).annotations)[STOPPED[2]] !== undefined;
  const state = isStopped ? 'Suspended' : readyReplicas === 1 ? 'Running' : 'Waiting';
  return { ...standingByConditions(object, readyOf(readyReplicas, 1)), state };
}

export const NOTEBOOK: WorkloadKind = {
  group: 'kubeflow.org', kind: 'Notebook', plural: 'notebooks', versions: ['v1'], fillsPods: true, notMigrated: 'is a notebook server. Keep it.',
  podLabels: ['notebook-name'], standing,
  pods: ({ template }) => ({ sets: [{ name: 'pod', count: 1, pod: podSpec(template) }] }),
};
