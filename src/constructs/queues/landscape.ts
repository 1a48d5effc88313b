/** All queues of an app, as the rules need them. */
import type { IConstruct } from 'constructs';
import type { IResourceFlavor } from './flavor';
import type { ResourceGroup } from './quota';
import type { ClusterQueueSpec, CohortSpec, FlavorSpec, QueueLandscape, ResourceGroupSpec } from '../../model/queues/spec';

/** Queues and cohorts. They import this file, so they are recognized by their members. */
interface HasGroups {
  readonly _groups: readonly ResourceGroup[];
}

/** The queues, cohorts and flavors of a construct's app. */
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

/** What is known about a flavor; undefined for an existing one. */
function flavorSpec(flavor: IResourceFlavor): FlavorSpec | undefined {
  return (flavor as IResourceFlavor & { _toSpec?(): FlavorSpec | undefined })._toSpec?.();
}

/** Groups as specs. */
export function resourceGroupSpecs(groups: readonly ResourceGroup[]): ResourceGroupSpec[] {
  return groups.map(({ flavors }) => ({
    flavors: flavors.map(({ flavor, quotas }) => ({ flavor: flavor.flavorName, quotas: quotas.map((quota) => quota._toSpec()) })),
  }));
}
