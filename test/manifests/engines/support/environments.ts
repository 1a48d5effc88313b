/** Whether what an engine says of its replicas' environments is what upstream's controllers make of its objects. */
import type { EngineEnvironment } from '../../../../src/manifests/engines/engine';
import type { EnvVar } from '../../../../src/manifests/kubernetes';
import { expandReferences } from '../../../../src/model/variable-references';
import { LOCAL_POD_IP } from '../../../../src/local/process/pod-fields';
import { environmentInside, type Variables } from '../indexed/support/container-view';
import type { UpstreamPod } from '../indexed/support/upstream-pods';

export type { Variables } from '../indexed/support/container-view';

/** What a program in the training container of a pod finds. */
export async function variablesInPod({ pod }: UpstreamPod, container: string): Promise<Variables> {
  const found = pod.spec.containers.find(({ name }) => name === container);
  if (found === undefined) {
    throw new Error(`the pod has no container ${container}, but ${pod.spec.containers.map(({ name }) => name).join(', ')}`);
  }
  return environmentInside(pod, found);
}

/** What an engine says, as a program would find it. */
export function variablesSaid({ env }: Pick<EngineEnvironment, 'env'>): Variables {
  const known: { [name: string]: string } = {};
  for (const { name, value, valueFrom } of env) {
    known[name] = valueFrom === undefined ? expandReferences(value ?? '', (other) => known[other]) : podIp(valueFrom);
  }
  return known;
}

function podIp(valueFrom: NonNullable<EnvVar['valueFrom']>): string {
  const { fieldRef } = valueFrom as { readonly fieldRef?: { readonly fieldPath: string } };
  return fieldRef?.fieldPath === 'status.podIP' ? LOCAL_POD_IP : JSON.stringify(valueFrom);
}
