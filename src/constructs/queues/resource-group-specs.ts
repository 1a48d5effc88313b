import type { ResourceGroup } from './quota';
import type { ResourceGroupSpec } from '../../model/queues/spec';

/** Groups in the model's terms. */
export function resourceGroupSpecs(groups: readonly ResourceGroup[]): ResourceGroupSpec[] {
  return groups.map(({ flavors }) => ({
    flavors: flavors.map(({ flavor, quotas }) => ({ flavor: flavor.flavorName, quotas: quotas.map((quota) => quota._toSpec()) })),
  }));
}
