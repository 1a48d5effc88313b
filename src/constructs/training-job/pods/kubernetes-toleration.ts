import type { Toleration } from './toleration';
import type { Toleration as KubernetesToleration } from '../../../manifests/kubernetes';

/** A toleration of a pod. */
export function toleration({ key, value, effect, evictAfter }: Toleration): KubernetesToleration {
  return {
    key,
    operator: value === undefined ? 'Exists' : 'Equal',
    ...(value !== undefined && { value }),
    ...(effect !== undefined && { effect }),
    ...(evictAfter !== undefined && { tolerationSeconds: evictAfter.toSeconds() }),
  };
}
