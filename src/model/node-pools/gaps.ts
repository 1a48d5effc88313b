/**
 * What a rendering of a node pool has no field for. Nothing is dropped in silence: what would be missing is an error, or a warning where nodes are
 * the same without it.
 */
import { POOL_RULES } from './rules/rule-list';
import type { NodePoolSpec } from './spec';
import { FindingCollector, type Finding } from '../findings';

type Gap = readonly [field: string, value: unknown];

/**
 * What Config Connector's ContainerNodePool has no field or value for. Pulumi and ComputeClass have.
 * @param path where the pool stands
 */
export function configConnectorGaps(pool: NodePoolSpec, path = 'pool'): Finding[] {
  const findings = new FindingCollector();
  const gaps: readonly Gap[] = [
    ['capacity.flexStart', pool.capacity?.flexStart || undefined],
    ['capacity.maxRunSeconds', pool.capacity?.maxRunSeconds],
    ['capacity.reservationAffinity', pool.capacity?.reservationAffinity === 'any-then-fail' ? pool.capacity.reservationAffinity : undefined],
    ['network.acceleratorNetworkProfile', pool.network?.acceleratorNetworkProfile],
    ['network.gpuDirect', pool.network?.gpuDirect],
    ['secondaryBootDisks', pool.secondaryBootDisks?.map(({ image }) => image)],
  ];
  for (const [field, value] of given(gaps)) {
    findings.error(POOL_RULES.configConnector, `${path}.${field}`, value, 'is not available in Config Connector\'s ContainerNodePool. Render the pool for Pulumi or as a ComputeClass, or remove the field.');
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
    ['size.nodes', size.nodes, 'Use totals or limits per zone: nodes are added when pods wait.'],
    ['capacity.queued', capacity.queued || undefined, 'Use flexStart, or a separate pool.'],
    ['placement.compact', placement.compact || undefined, 'Name a resource policy with placement.policyName.'],
    ['network.additionalNetworks', network.additionalNetworks?.length || undefined, "Use acceleratorNetworkProfile: 'auto', or a separate pool."],
    ['network.fastSocket', network.fastSocket || undefined, 'Remove it, or create a separate pool.'],
    ['localSsdBlock', pool.localSsdBlock, 'Use localSsdEphemeral.'],
    ['tags', pool.tags?.length ? pool.tags : undefined, 'Remove them, or create a separate pool.'],
    ['resourceLabels', nonEmpty(pool.resourceLabels), 'Remove them, or create a separate pool.'],
    ['blueGreen', pool.blueGreen || undefined, 'Remove it: pools of a class are created and deleted automatically.'],
  ];
  for (const [field, value, fix] of gaps.filter(([, value]) => value !== undefined)) {
    findings.error(POOL_RULES.computeClass, `${path}.${field}`, value, `has no field in a ComputeClass. ${fix}`);
  }
  const most = size.maxPerZone ?? size.totalMax;
  if (most !== undefined) {
    findings.warn(POOL_RULES.computeClass, `${path}.size.${size.maxPerZone !== undefined ? 'maxPerZone' : 'totalMax'}`, most,
      'has no field in a ComputeClass: the number of nodes is limited by the cluster\'s auto-provisioning or by a Kueue quota.');
  }
  if ((size.minPerZone ?? 0) > 0 && (pool.zones ?? []).length === 0) {
    findings.error(POOL_RULES.computeClass, `${path}.size.minPerZone`, size.minPerZone, 'is counted over all zones in a ComputeClass, and no zones are named. Name zones, or use totalMin.');
  }
  if (upgrade !== undefined) {
    findings.warn(POOL_RULES.computeClass, `${path}.upgrade`, upgrade.strategy, 'has no field in a ComputeClass: GKE chooses how to upgrade the nodes of its own pools.');
  }
  return findings.findings;
}

function nonEmpty(labels: { readonly [name: string]: string } | undefined): object | undefined {
  return labels !== undefined && Object.keys(labels).length > 0 ? labels : undefined;
}

function given(gaps: readonly Gap[]): readonly Gap[] {
  return gaps.filter(([, value]) => value !== undefined);
}
