/** Rules for the arguments of a cluster. */
import { nodesOfPodRange, overlap, tryParseRange, type Ipv4Range } from './cidr';
import type {
  AutoProvisioning, AuthorizedNetwork, ClusterAddons, ClusterAddresses, ControlPlaneAccess, ExistingNetwork, GkeClusterArgs, MaintenanceWindow,
  SystemPool,
} from './gke-cluster-args';
import type { NodePoolSpec } from '../../model/node-pools/spec';
import { checkNodePools } from '../../model/node-pools/validate-node-pool';
import { BOOLEAN, NON_EMPTY_TEXT, integer, listOf, mapOf, matching, oneOf, pattern, record, required } from '../../model/shapes';
import { isRegion, missingProject } from '../support/context';
import { CLOUD_LABELS, GKE_NAME, KMS_KEY, LOCATION, PROJECT_ID, ZONE } from '../support/inputs';
import type { ArgRules, Found } from '../support/validated';

const RELEASE_CHANNELS = ['RAPID', 'REGULAR', 'STABLE', 'EXTENDED'];

/** Default ranges of a new network. */
const DEFAULT_ADDRESSES = { nodes: '10.0.0.0/20', pods: '10.64.0.0/14', services: '10.32.0.0/20' } as const;

export const DEFAULT_MAX_PODS = 110;

const RANGE = matching((value) => typeof value === 'string' && tryParseRange(value) !== undefined,
  'must be a range that begins at its first address, such as 10.0.0.0/20.');

const EMAIL = pattern(/^[^@\s]+@[^@\s]+\.gserviceaccount\.com$/, 'must be the e-mail of a service account: NAME@PROJECT.iam.gserviceaccount.com.');

const TIME = pattern(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:Z|[+-]\d\d:\d\d)$/, 'must be a time such as 2026-01-03T02:00:00Z.');

interface KnownArgs {
  readonly location?: string;
  readonly zones?: readonly string[];
  readonly network?: object;
  readonly addresses?: { readonly [name in keyof ClusterAddresses]?: string };
  readonly controlPlane?: { readonly dnsEndpoint?: boolean; readonly privateEndpoint?: boolean; readonly authorizedNetworks?: readonly object[] };
  readonly autoProvisioning?: { readonly limits: { readonly [resource: string]: number }; readonly computeClassesOnly?: boolean };
  readonly systemPool?: { readonly minPerZone?: number; readonly maxPerZone?: number; readonly machineType?: string };
  readonly maxPodsPerNode?: number;
}

export const GKE_CLUSTER_RULES: ArgRules<GkeClusterArgs> = {
  fields: {
    name: GKE_NAME,
    project: PROJECT_ID,
    location: required(LOCATION, 'is required: a region such as europe-west4, or a zone.'),
    zones: listOf(ZONE, 1),
    network: record<keyof ExistingNetwork>('a network', {
      network: required(NON_EMPTY_TEXT), subnetwork: required(NON_EMPTY_TEXT), podRange: NON_EMPTY_TEXT, serviceRange: NON_EMPTY_TEXT,
    }),
    addresses: record<keyof ClusterAddresses>('addresses', { nodes: RANGE, pods: RANGE, services: RANGE }),
    controlPlane: record<keyof ControlPlaneAccess>('the control plane', {
      dnsEndpoint: BOOLEAN,
      privateEndpoint: BOOLEAN,
      authorizedNetworks: listOf(record<keyof AuthorizedNetwork>('an authorized network', { cidr: required(RANGE), name: NON_EMPTY_TEXT })),
    }),
    releaseChannel: oneOf(RELEASE_CHANNELS),
    minVersion: pattern(/^\d+\.\d+(\.\d+(-gke\.\d+)?)?$/, 'must be a GKE version, such as 1.34 or 1.34.1-gke.1829001.'),
    addons: record<keyof ClusterAddons>('addons', {
      filestore: BOOLEAN, gcsFuse: BOOLEAN, gatewayApi: BOOLEAN,
      lustre: BOOLEAN, ray: BOOLEAN, multiTierCheckpointing: BOOLEAN, configConnector: BOOLEAN,
    }),
    autoProvisioning: record<keyof AutoProvisioning>('auto-provisioning', {
      limits: required(mapOf(integer(1))), computeClassesOnly: BOOLEAN, profile: oneOf(['BALANCED', 'OPTIMIZE_UTILIZATION']), zones: listOf(ZONE, 1),
    }),
    systemPool: record<keyof SystemPool>('the system pool', {
      machineType: NON_EMPTY_TEXT, minPerZone: integer(0), maxPerZone: integer(1), diskGiB: integer(10),
    }),
    multiNetworking: BOOLEAN,
    managedPrometheus: BOOLEAN,
    managedGpuMetrics: BOOLEAN,
    securityPosture: oneOf(['DISABLED', 'BASIC', 'ENTERPRISE']),
    nodeServiceAccount: EMAIL,
    secretsKey: KMS_KEY,
    maintenanceWindow: record<keyof MaintenanceWindow>('a maintenance window', {
      startTime: required(TIME), endTime: required(TIME), recurrence: pattern(/^FREQ=/, 'must be an RFC 5545 rule, such as FREQ=WEEKLY;BYDAY=SA,SU.'),
    }),
    deletionProtection: BOOLEAN,
    maxPodsPerNode: integer(8, 256),
    labels: CLOUD_LABELS,
  },
  across: [
    { fields: ['project'], check: ({ project }) => missingProject(project) },
    { fields: ['network', 'addresses', 'maxPodsPerNode'], check: checkAddresses },
    { fields: ['controlPlane'], check: checkControlPlane },
    { fields: ['location', 'zones'], check: checkZones },
    { fields: ['location', 'zones', 'systemPool', 'autoProvisioning'], check: checkPools },
    { fields: ['maintenanceWindow'], check: checkWindow },
  ],
};

/** The ranges of a new network, with defaults. */
export function addressesOf(addresses: KnownArgs['addresses'] = {}): { readonly nodes: string; readonly pods: string; readonly services: string } {
  const { nodes, pods, services } = DEFAULT_ADDRESSES;
  return { nodes: addresses.nodes ?? nodes, pods: addresses.pods ?? pods, services: addresses.services ?? services };
}

function checkAddresses({ network, addresses, maxPodsPerNode = DEFAULT_MAX_PODS }: KnownArgs): Found[] {
  if (network !== undefined) {
    return addresses === undefined ? [] : [{ path: 'addresses', value: addresses, message: 'are for a new network, but the cluster uses an existing one. Remove one of the two.' }];
  }
  const ranges = Object.entries(addressesOf(addresses)).map(([name, text]) => ({ name, text, range: tryParseRange(text) as Ipv4Range }));
  const found: Found[] = ranges.flatMap(({ name, text, range }, index) => ranges.slice(index + 1)
    .filter((other) => overlap(range, other.range))
    .map((other) => ({ path: `addresses.${name}`, value: text, message: `overlaps with the addresses of ${other.name} (${other.text}). Choose another range.` })));
  const pods = ranges.find(({ name }) => name === 'pods')!;
  if (nodesOfPodRange(pods.range, maxPodsPerNode) < 1) {
    found.push({ path: 'addresses.pods', value: pods.text, message: `has no room for one node with ${maxPodsPerNode} pods, which needs twice as many addresses. Use a larger range.` });
  }
  return found;
}

function checkControlPlane({ controlPlane = {} }: KnownArgs): Found[] {
  const { dnsEndpoint = true, privateEndpoint, authorizedNetworks = [] } = controlPlane;
  return dnsEndpoint || privateEndpoint || authorizedNetworks.length > 0 ? [] : [{
    path: 'controlPlane', value: controlPlane,
    message: 'cannot be reached: the address has no authorized networks, and the DNS endpoint is off. Add authorizedNetworks, or enable dnsEndpoint.',
  }];
}

function checkZones({ location, zones = [] }: KnownArgs): Found[] {
  const region = location?.replace(/-[a-z]$/, '');
  return region === undefined ? [] : zones.map((zone, index) => ({ path: `zones[${index}]`, value: zone, message: `is not in ${region}, where the cluster is.` }))
    .filter(({ value }) => !value.startsWith(`${region}-`));
}

/** The model's rules for the system pool and for auto-provisioned pools. */
function checkPools({ location, zones, systemPool = {}, autoProvisioning }: KnownArgs): Found[] {
  const limits = autoProvisioning?.limits;
  const missing = limits === undefined ? [] : ['cpu', 'memory'].filter((resource) => limits[resource] === undefined);
  const pool: NodePoolSpec = systemPoolSpec({ ...systemPool, zones });
  const found = checkNodePools({
    regional: location === undefined ? undefined : isRegion(location), pools: [pool],
    autoprovisioningLimits: limits, autoprovisionedByClass: autoProvisioning?.computeClassesOnly,
  }, 'pools');
  return [
    ...missing.map((resource) => ({ path: 'autoProvisioning.limits', value: limits, message: `do not include ${resource}, but GKE requires both cpu and memory.` })),
    ...found.map((finding) => ({ ...finding, path: finding.path.replace('pools[0]', 'systemPool').replace('autoprovisioningLimits', 'autoProvisioning.limits') })),
  ];
}

function checkWindow({ maintenanceWindow }: { readonly maintenanceWindow?: { readonly startTime: string; readonly endTime: string } }): Found[] {
  const { startTime, endTime } = maintenanceWindow ?? {};
  const hours = startTime === undefined || endTime === undefined ? 4 : (Date.parse(endTime) - Date.parse(startTime)) / 3_600_000;
  return hours >= 4 ? [] : [{ path: 'maintenanceWindow.endTime', value: endTime, message: 'is less than four hours after the start, which is the shortest window that GKE accepts.' }];
}

/** Options of the system pool, with the zones of the cluster. */
interface SystemPoolOptions {
  readonly machineType?: string;
  readonly minPerZone?: number;
  readonly maxPerZone?: number;
  readonly diskGiB?: number;
  readonly zones?: readonly string[];
}

/** The system pool in the model's terms. */
export function systemPoolSpec({ machineType = 'e2-standard-4', minPerZone = 1, maxPerZone, diskGiB = 100, zones }: SystemPoolOptions): NodePoolSpec {
  return {
    name: 'system',
    machineType,
    size: { minPerZone, maxPerZone: maxPerZone ?? Math.max(3, minPerZone) },
    ...(zones !== undefined && { zones }),
    bootDiskType: 'pd-balanced',
    bootDiskGiB: diskGiB,
    autoRepair: true,
    autoUpgrade: true,
    upgrade: { strategy: 'SURGE', maxSurge: 1, maxUnavailable: 0 },
    network: { privateNodes: true },
    secureBoot: true,
    workloadMetadata: 'GKE_METADATA',
  };
}
