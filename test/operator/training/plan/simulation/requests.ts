/** What the simulated operator sends: pods with what matters here, and statuses as they come back. */
import { NAMESPACE } from './api-server';
import { resolvedOnce } from './specs';
import { ATTEMPT_LABEL, AVOIDED_NODES_ANNOTATION, HOOK_LABEL, JOB_LABEL, REPLICA_INDEX_LABEL, ROLE_LABEL } from '../../../../../src/model/labels';
import { HOOK_ROLE, hookPodName } from '../../../../../src/model/training-job/hooks';
import { restartsInPlace } from '../../../../../src/model/training-job/restart-in-place';
import { runFactsOf } from '../../../../../src/model/training-job/run-facts';
import { controllerReference } from '../../../../../src/operator/runtime/kube-object';
import type { Action } from '../../../../../src/operator/training/plan/types';
import type { PodObject, TrainingJobObject } from '../../../../../src/operator/training/resources';

/** The pod of an action. */
export function podOf(job: TrainingJobObject, { replica, attempt }: Extract<Action, { type: 'createPod' }>): PodObject {
  const resolved = resolvedOnce(job.metadata!.name!, job.spec);
  const role = resolved.roles.find((candidate) => candidate.name === replica.role)!;
  const { avoidNodes } = runFactsOf(job.status ?? {});
  return {
    metadata: {
      ...(avoidNodes && { annotations: { [AVOIDED_NODES_ANNOTATION]: avoidNodes.join() } }),
      name: replica.podName,
      namespace: NAMESPACE,
      labels: {
        [JOB_LABEL]: job.metadata!.name!, [ROLE_LABEL]: replica.role, [REPLICA_INDEX_LABEL]: String(replica.index), [ATTEMPT_LABEL]: String(attempt),
      },
      ownerReferences: [controllerReference(job)],
    },
    spec: { containers: [], restartPolicy: restartsInPlace(resolved, role) ? role.restartPolicy as 'OnFailure' : 'Never' },
  };
}

/** The pod of a hook. */
export function hookPodOf(job: TrainingJobObject, { hook, tries }: Extract<Action, { type: 'createHookPod' }>): PodObject {
  const name = job.metadata!.name!;
  return {
    metadata: {
      name: hookPodName({ name }, hook, tries),
      namespace: NAMESPACE,
      labels: { [JOB_LABEL]: name, [ROLE_LABEL]: HOOK_ROLE, [HOOK_LABEL]: hook },
      ownerReferences: [controllerReference(job)],
    },
    spec: { containers: [], restartPolicy: 'Never' },
  };
}

/** As it comes back from the server: a copy, without the fields that have no value. */
export function compact<T>(value: T): T {
  if (typeof value !== 'object' || value === null) {
    return value;
  }
  if (Array.isArray(value)) {
    return value.map(compact) as T;
  }
  const copy: { [field: string]: unknown } = {};
  for (const field of Object.keys(value)) {
    const item = value[field as keyof T];
    if (item !== undefined) {
      copy[field] = compact(item);
    }
  }
  return copy as T;
}
