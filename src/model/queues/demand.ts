/** What a job asks a queue for. */
import type { FlavorTolerationSpec } from './spec';

/** One of the expressions that a node has to match. */
export interface NodeExpression {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

export interface PodSetDemand {
  readonly name: string;
  readonly count: number;
  /** Of each pod, as numbers of the base unit. */
  readonly requests: { readonly [resource: string]: number };
  readonly nodeSelector: { readonly [label: string]: string };
  /** Required node affinity: one of the terms has to match as a whole. */
  readonly affinity: readonly (readonly NodeExpression[])[];
  readonly tolerations: readonly FlavorTolerationSpec[];
  /** Level of a topology that the pods are kept within. */
  readonly topology?: { readonly key: string; readonly required: boolean };
}
