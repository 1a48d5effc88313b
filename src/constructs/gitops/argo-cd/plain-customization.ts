/** What a program tells Argo CD about kinds, in plain data, and what Argo CD could not read of it. */
import type { ArgoCdCustomization } from './argo-cd-customization';
import type { KindCustomization } from '../../../manifests/argo-cd/kinds';
import { validateCustomization } from '../../../model/argo-cd/customization-rules';
import type { Violation } from '../../../model/violations';

/** In plain data. */
export function toKindCustomization(given: ArgoCdCustomization): KindCustomization {
  const { group, kind, health, actionDiscovery, actions = [], ignoreDifferences, useOpenLibs } = given;
  return {
    group, kind, health, useOpenLibs,
    ...(actionDiscovery !== undefined && { actions: { discovery: actionDiscovery, actions } }),
    ...(ignoreDifferences !== undefined && { ignoreDifferences: { ...ignoreDifferences } }),
  };
}

/** What Argo CD could not read. */
export function customizationProblems(given: ArgoCdCustomization, path: string): Violation[] {
  const { actionDiscovery, ignoreDifferences, ...rest } = given;
  return validateCustomization({ ...rest, ...ignoreDifferences, discovery: actionDiscovery }, path);
}
