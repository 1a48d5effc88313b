/**
 * What a rendering of a node pool has no field for. Nothing is dropped in silence: what would be missing is an error, or a warning where nodes are
 * the same without it.
 */
import { POOL_RULES } from './rules/rule-list';
import type { NodePoolSpec } from './spec';
import { FindingCollector, type Finding } from '../findings';

type Gap = readonly [field: string, value: unknown];

/**
 * What Config Connector's ContainerNodePool has no field for. Pulumi and ComputeClass have.
 * @param path where the pool stands
 */
export function configConnectorGaps(pool: NodePoolSpec, path = 'pool'): Finding[] {
  const findings = new FindingCollector();
  const gaps: readonly Gap[] = [
    ['capacity.flexStart', pool.capacity?.flexStart || undefined],
    ['capacity.maxRunSeconds', pool.capacity?.maxRunSeconds],
    ['network.acceleratorNetworkProfile', pool.network?.acceleratorNetworkProfile],
    ['network.gpuDirect', pool.network?.gpuDirect],
    ['secondaryBootDisks', pool.secondaryBootDisks?.map(({ image }) => image)],
  ];
  for (const [field, value] of given(gaps)) {
    findings.error(POOL_RULES.configConnector, `${path}.${field}`, value, 'has no field in Config Connector\'s ContainerNodePool. Render the pool for Pulumi or as a ComputeClass, or remove it.');
  }
  return findings.findings;
}

/**
 * What a ComputeClass that makes its pools itself has no field for. A class of pools by their names has no gaps: they say it.
 * @param path where the pool stands
 */
export function computeClassGaps(pool: NodePoolSpec, path = 'pool'): Finding[] {
  const findings = new FindingCollector();
  const { capacity = {}, size = {}, placement = {}, network = {}, upgrade } = pool;
  const gaps: readonly (readonly [...Gap, fix: string])[] = [
    ['size.nodes', size.nodes, 'Use a total, or per zone: nodes come when pods wait.'],
    ['capacity.queued', capacity.queued || undefined, 'Use flexStart, or a pool of its own.'],
    ['placement.compact', placement.compact || undefined, 'Name a resource policy with placement.policyName.'],
    ['network.additionalNetworks', network.additionalNetworks?.length || undefined, "Use acceleratorNetworkProfile: 'auto', or a pool of its own."],
    ['network.fastSocket', network.fastSocket || undefined, 'Remove it, or make a pool of its own.'],
    ['localSsdBlock', pool.localSsdBlock, 'Use localSsdEphemeral.'],
    ['tags', pool.tags?.length ? pool.tags : undefined, 'Remove them, or make a pool of its own.'],
    ['resourceLabels', nonEmpty(pool.resourceLabels), 'Remove them, or make a pool of its own.'],
    ['blueGreen', pool.blueGreen || undefined, 'Remove it: pools of a class come and go by themselves.'],
  ];
  for (const [field, value, fix] of gaps.filter(([, value]) => value !== undefined)) {
    findings.error(POOL_RULES.computeClass, `${path}.${field}`, value, `has no field in a ComputeClass. ${fix}`);
  }
  const most = size.maxPerZone ?? size.totalMax;
  if (most !== undefined) {
    findings.warn(POOL_RULES.computeClass, `${path}.size.${size.maxPerZone !== undefined ? 'maxPerZone' : 'totalMax'}`, most,
      'has no field in a ComputeClass: how many nodes there can be is a limit of the cluster\'s auto-provisioning, or a quota of Kueue.');
  }
  if ((size.minPerZone ?? 0) > 0 && (pool.zones ?? []).length === 0) {
    findings.error(POOL_RULES.computeClass, `${path}.size.minPerZone`, size.minPerZone, 'is counted over all zones in a ComputeClass, and they are not named. Name zones, or use totalMin.');
  }
  if (upgrade !== undefined) {
    findings.warn(POOL_RULES.computeClass, `${path}.upgrade`, upgrade.strategy, 'has no field in a ComputeClass: GKE chooses how nodes of its own pools are upgraded.');
  }
  return findings.findings;
}

function nonEmpty(labels: { readonly [name: string]: string } | undefined): object | undefined {
  return labels !== undefined && Object.keys(labels).length > 0 ? labels : undefined;
}

function given(gaps: readonly Gap[]): readonly Gap[] {
  return gaps.filter(([, value]) => value !== undefined);
}
