/** An object of any kind, with fields that this library has no types for. */
import { KEPT_ANNOTATIONS } from '../../model/argo-cd/annotations';
import type { Manifest } from '../kubernetes';

/** Complete enough to be applied. */
export interface PlatformObject extends Manifest {
  readonly [field: string]: unknown;
}

/** A namespace that a delivery leaves in the cluster. */
export function constructNamespace(name: string): PlatformObject {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name, annotations: { ...KEPT_ANNOTATIONS } } };
}
