/** An object of any kind, with fields that this library has no types for. */
import type { Manifest } from '../kubernetes';

/** Complete enough to be applied. */
export interface PlatformObject extends Manifest {
  readonly [field: string]: unknown;
}
