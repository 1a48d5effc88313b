/**
 * Rules of other systems on their own objects as they stand in a manifest: the same that the constructs of these systems have, for whoever writes
 * the object by hand.
 */
import { CHECK_RULES } from './rule-list';
import { FindingCollector, type Finding } from '../findings';
import type { ManifestObject } from '../objects/manifest-object';
import { readClusterQueue, readCohort, readFlavor, readLandscape } from '../queues/read-objects';
import { cohortCycle } from '../queues/capacity';
import { validateClusterQueue, validateCohort, validateFlavor } from '../queues/rules';
import { keyOf } from '../references/relations';
import type { Violation } from '../violations';

/** Rules by kind. @param objects those of the same place */
const RULES: { readonly [kind: string]: (object: ManifestObject, objects: readonly ManifestObject[]) => readonly Violation[] } = {
  'kueue.x-k8s.io/ClusterQueue': (object, objects) => validateClusterQueue(readClusterQueue(object, objects)),
  'kueue.x-k8s.io/Cohort': (object, objects) => [...validateCohort(readCohort(object)), ...cycleAt(object, objects)],
  'kueue.x-k8s.io/ResourceFlavor': (object) => validateFlavor(readFlavor(object)),
};

/** What is wrong with an object of another system. */
export function checkForeign(object: ManifestObject, objects: readonly ManifestObject[]): Finding[] {
  const key = keyOf(object);
  if (!Object.hasOwn(RULES, key)) {
    return [];
  }
  const findings = new FindingCollector();
  for (const { path, value, message } of RULES[key](object, objects)) {
    findings.error(CHECK_RULES.foreign, path, value, message);
  }
  return findings.findings;
}

/** A cycle of cohorts is told once, at the cohort with which it begins. */
function cycleAt({ metadata }: ManifestObject, objects: readonly ManifestObject[]): Violation[] {
  const cycle = cohortCycle(readLandscape(objects).cohorts);
  return cycle.length > 0 && cycle[0] === metadata?.name
    ? [{ path: 'spec.parentName', value: cycle[1], message: `closes a cycle of cohorts, ${cycle.join(' -> ')}, in which Kueue admits nothing. Remove one parent.` }] : [];
}
