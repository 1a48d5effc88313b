/**
 * Which changes of a node pool cannot be made to the existing pool: it is deleted, with all of its nodes and the pods on them, and made again.
 * Config Connector refuses them until the object is deleted, Pulumi replaces the pool. `blueGreen` makes them safe: the pool's name carries a
 * hash of these fields, so a change makes a second pool, and the first one goes when the second one is there.
 *
 * Changes of other fields reach the pool; for some of them, such as the machine type under Pulumi, GKE still replaces its nodes, by the pool's own
 * upgrade strategy.
 */
import { createHash } from 'node:crypto';
import { POOL_NAME_MAX_LENGTH } from './rules/option-rules';
import type { NodePoolSpec } from './spec';
import { SOURCES } from '../accelerators/sources';
import { record } from '../json-parts';
import { trimmedEnd } from '../text/trim';

/** Who makes the pool. Config Connector's fields are immutable in more places. */
export type PoolProvisioner = 'configConnector' | 'pulumi';

/** A field that cannot change, as it is written before and after. */
export interface Replacement {
  /** Field of the pool, such as `gpus.count`. */
  readonly field: string;
  readonly before: unknown;
  readonly after: unknown;
  /** Where it is read that the field cannot change. */
  readonly source: string;
}

interface FixedField {
  readonly field: string;
  readonly of: (pool: NodePoolSpec) => unknown;
}

/** A field by its path, with what the pool has where nothing is said. */
function fixed(field: string, otherwise?: unknown): FixedField {
  return { field, of: (pool) => field.split('.').reduce<unknown>((value, name) => record(value)[name], pool) ?? otherwise };
}

/** Fields that neither changes on an existing pool. */
const FIXED: readonly FixedField[] = [
  ...['name', 'gpus.type', 'gpus.count', 'gpus.partition', 'gpus.sharing'].map((field) => fixed(field)),
  { field: 'gpus.driver', of: ({ gpus }) => gpus && (gpus.driver ?? 'default') },
  fixed('tpus'), fixed('capacity.spot', false), fixed('capacity.flexStart', false), fixed('capacity.queued', false),
  ...['capacity.reservation', 'capacity.reservationAffinity', 'capacity.maxRunSeconds', 'placement'].map((field) => fixed(field)),
  { field: 'network.additionalNetworks', of: ({ network }) => network?.additionalNetworks?.map(({ network: name, subnetwork }) => [name, subnetwork]) },
  ...[
    'network.acceleratorNetworkProfile', 'localSsdEphemeral', 'localSsdBlock', 'secondaryBootDisks', 'serviceAccount',
  ].map((field) => fixed(field)),
  fixed('secureBoot', false), fixed('confidentialNodeType'), fixed('maxPodsPerNode'),
];

/** Fields that Pulumi changes on the pool, and Config Connector does not. */
const FIXED_IN_CONFIG_CONNECTOR: readonly FixedField[] = [
  ...['machineType', 'bootDiskType', 'bootDiskGiB', 'imageStreaming'].map((field) => fixed(field)), fixed('network.gvnic', false),
];

function fixedFields(by: PoolProvisioner): readonly FixedField[] {
  return by === 'configConnector' ? [...FIXED, ...FIXED_IN_CONFIG_CONNECTOR] : FIXED;
}

/**
 * Fields whose change makes the pool go and come again.
 * @param before the existing pool
 * @param after what it is to become
 * @param by who makes it
 */
export function replacementsOf(before: NodePoolSpec, after: NodePoolSpec, by: PoolProvisioner): Replacement[] {
  const source = by === 'configConnector' ? SOURCES.configConnector : SOURCES.terraformNodes;
  return fixedFields(by)
    .map(({ field, of }) => ({ field, before: of(before), after: of(after), source }))
    .filter((change) => JSON.stringify(change.before) !== JSON.stringify(change.after));
}

/** What to say of a change that replaces a pool. */
export function describeReplacements(name: string, replacements: readonly Replacement[]): string {
  const changes = replacements.map(({ field, before, after }) => `${field} (${shown(before)} -> ${shown(after)})`).join(', ');
  return `pool '${name}' and all of its nodes are replaced when ${changes} change. With blueGreen: true the new pool is created first.`;
}

function shown(value: unknown): string {
  return value === undefined ? 'none' : JSON.stringify(value);
}

/** Characters of the hash in a name. */
const HASH_LENGTH = 6;

/** The name that the pool is made under: its own, or with `blueGreen` one that changes with the fields that cannot change on the pool. */
export function provisionedName(pool: NodePoolSpec, by: PoolProvisioner): string {
  if (!pool.blueGreen) {
    return pool.name;
  }
  const identity = fixedFields(by).map(({ field, of }) => [field, of(pool)]);
  const hash = createHash('sha256').update(JSON.stringify(identity)).digest('hex').slice(0, HASH_LENGTH);
  return `${trimmedEnd(pool.name.slice(0, POOL_NAME_MAX_LENGTH - HASH_LENGTH - 1), '-')}-${hash}`;
}
