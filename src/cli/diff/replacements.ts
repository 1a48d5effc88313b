/** Changes that cannot be made to what an object stands for: it goes, with all that runs on it, and comes again. */
import { isContainerNodePool, readContainerNodePool } from '../../manifests/node-pools/read-container-node-pool';
import { describeReplacements, replacementsOf } from '../../model/node-pools/replacement';
import type { ManifestObject } from '../../model/objects/manifest-object';

/** A sentence for each thing that is replaced, with the fix; empty where the change reaches everything as it is. */
export function replacementsBy(before: ManifestObject, after: ManifestObject): string[] {
  if (!isContainerNodePool(before) || !isContainerNodePool(after)) {
    return [];
  }
  const name = after.metadata?.name ?? '';
  const replacements = replacementsOf(readContainerNodePool(name, before.spec), readContainerNodePool(name, after.spec), 'configConnector');
  return replacements.length === 0
    ? [] : [`${describeReplacements(name, replacements)} Without it Config Connector refuses the change until the object is deleted.`];
}
