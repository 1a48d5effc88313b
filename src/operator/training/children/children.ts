/** The kinds of objects that a job owns. */
import { TRAINING_JOBS } from '../resources';
import { keyOf, type KubeObject } from '../../runtime/kube-object';
import { CONFIG_MAPS, NETWORK_POLICIES, PODS, SECRETS, SERVICES, type ResourceKind } from '../../runtime/resource-kind';

/** Kinds of children by the `kind` of their manifests. */
export const CHILD_KINDS: { readonly [kind: string]: ResourceKind } = {
  Pod: PODS, Service: SERVICES, ConfigMap: CONFIG_MAPS, Secret: SECRETS, MLTrainingJob: TRAINING_JOBS, NetworkPolicy: NETWORK_POLICIES,
};

/** An object as messages name it. */
export function describeChild(object: KubeObject, kind: ResourceKind): string {
  return `${kind.kind} ${keyOf(object.metadata?.namespace, object.metadata?.name ?? '')}`;
}
