/** All queues of an app, as the rules want them. */
import type { IConstruct } from 'constructs';
import type { IResourceFlavor } from './flavor';
import type { ResourceGroup } from './quota';
import type { ClusterQueueSpec, CohortSpec, FlavorSpec, QueueLandscape, ResourceGroupSpec } from '../../model/queues/spec';

/** What has queues' quotas. The constructs import this file, so that they are known here by what they have. */
interface HasGroups {
  readonly _groups: readonly ResourceGroup[];
}

/** The queues, cohorts and flavors of the app that a construct is in. */
export function landscapeOf(construct: IConstruct): QueueLandscape {
  const all = construct.node.root.node.findAll();
  const queues = all.filter((other): other is IConstruct & HasGroups & { _toSpec(): ClusterQueueSpec } => has(other, 'clusterQueueName'));
  const cohorts = all.filter((other): other is IConstruct & HasGroups & { _toSpec(): CohortSpec } => has(other, 'cohortName'));
  const used = [...queues, ...cohorts].flatMap(({ _groups }) => _groups.flatMap(({ flavors }) => flavors.map(({ flavor }) => flavor)));
  const flavors = new Map<string, FlavorSpec>();
  for (const flavor of used) {
    const spec = flavorSpec(flavor);
    if (spec !== undefined) {
      flavors.set(spec.name, spec);
    }
  }
  return {
    clusterQueues: queues.map((queue) => queue._toSpec()), cohorts: cohorts.map((cohort) => cohort._toSpec()), flavors: [...flavors.values()],
  };
}

function has(construct: IConstruct, name: 'clusterQueueName' | 'cohortName'): boolean {
  return name in construct && '_groups' in construct;
}

/** What is known of a flavor: constructs and references that know something can tell. */
function flavorSpec(flavor: IResourceFlavor): FlavorSpec | undefined {
  return (flavor as IResourceFlavor & { _toSpec?(): FlavorSpec | undefined })._toSpec?.();
}

/** Groups in the model's terms. */
export function resourceGroupSpecs(groups: readonly ResourceGroup[]): ResourceGroupSpec[] {
  return groups.map(({ flavors }) => ({
    flavors: flavors.map(({ flavor, quotas }) => ({ flavor: flavor.flavorName, quotas: quotas.map((quota) => quota._toSpec()) })),
  }));
}
