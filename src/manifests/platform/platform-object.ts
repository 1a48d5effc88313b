/** An object of any kind, with untyped fields. */
import { KEPT_ANNOTATIONS } from '../../model/argo-cd/annotations';
import type { Manifest } from '../kubernetes';

export interface PlatformObject extends Manifest {
  readonly [field: string]: unknown;
}

/** A namespace that a delivery does not delete. */
export function constructNamespace(name: string): PlatformObject {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name, annotations: { ...KEPT_ANNOTATIONS } } };
}
