/** What the shared options of a platform add to its components. */
import type { ChartValues } from '../../../model/catalogue/types';
import type { PatchSpec } from '../../../model/platform/spec';
import type { PlatformObject } from '../platform-object';

/** Additions to a part. */
export interface PartWiring {
  readonly values?: ChartValues;
  readonly patches?: readonly PatchSpec[];
  /** Objects of the program; an empty list for none, undefined for those of a construct. */
  readonly objects?: readonly PlatformObject[];
}

/** Additions to the parts of a component, by name. */
export interface ComponentWiring {
  readonly [part: string]: PartWiring;
}
