/** Networks for the traffic between GPUs of different nodes: VPCs for TCPX and TCPXO, and one for RDMA. */
import * as compute from '@pulumi/gcp/compute';
import * as pulumi from '@pulumi/pulumi';
import { tryParseRange, trySplitRange } from '../cluster/cidr';
import { configuredProject, regionOf } from '../support/context';
import { PROJECT_ID, ZONE } from '../support/inputs';
import { throwErrors, validated, type ArgRules } from '../support/validated';
import { NON_EMPTY_TEXT, matching, pattern, required } from '../../model/shapes';
import { findMachine, machineNames } from '../../model/accelerators/catalogue';
import { networkOfMachine } from '../../model/accelerators/networks';
import type { GpuAccelerator } from '../../model/accelerators/types';
import { didYouMean, type Violation } from '../../model/violations';

/** Arguments of {@link GpuNetwork}. */
export interface GpuNetworkArgs {
  /** Machine type of the pool, such as `a3-ultragpu-8g`. It determines the number of networks, so it must not be an output. */
  readonly machineType: string;
  /** Zone of the pool, because the network for RDMA belongs to a zone. */
  readonly zone: pulumi.Input<string>;
  /** @default - `gcp:project` of the configuration */
  readonly project?: pulumi.Input<string>;
  /** Prefix of the names of networks and subnetworks. @default - the name in the program */
  readonly prefix?: string;
  /** Range from which each network gets a /20. It must not overlap with the ranges of the cluster. @default `192.168.0.0/16` */
  readonly range?: string;
}

const DEFAULT_RANGE = '192.168.0.0/16';

const RULES: ArgRules<GpuNetworkArgs> = {
  fields: {
    machineType: required(NON_EMPTY_TEXT, 'is required, and must be known: it sets the number of networks.'),
    zone: required(ZONE, 'is required: the zone of the pool.'),
    project: PROJECT_ID,
    prefix: pattern(/^[a-z][a-z0-9-]{0,49}$/, 'must have 1 to 50 lower-case letters, digits and \'-\', starting with a letter.'),
    range: matching((value) => typeof value === 'string' && tryParseRange(value) !== undefined, 'must be a range that begins at its first address, such as 192.168.0.0/16.'),
  },
};

/** An additional network of a pool. */
export interface AdditionalNetwork {
  readonly network: pulumi.Output<string>;
  readonly subnetwork: pulumi.Output<string>;
  readonly mtu: number;
}

/**
 * The networks of a machine type with fast GPUs, with the number, MTU and network profile that it needs.
 *
 * Pass {@link GpuNetwork.additionalNetworks} to the pool, and enable `multiNetworking` on the cluster. Pods request the interfaces by the names of
 * {@link GpuNetwork.objects}.
 * @see https://cloud.google.com/kubernetes-engine/docs/how-to/gpu-bandwidth-gpudirect-tcpx
 */
export class GpuNetwork extends pulumi.ComponentResource {
  /** For `network.additionalNetworks` of the pool. */
  public readonly additionalNetworks: readonly AdditionalNetwork[];
  /** The `Network` and `GKENetworkParamSet` of each network, to apply with a {@link ChartDeployment}. */
  public readonly objects: readonly object[];

  /**
   * @param name name in the program
   * @param args the machine type and the zone
   * @param opts Pulumi options
   * @throws InvalidArgsError with all errors
   */
  public constructor(name: string, args: GpuNetworkArgs, opts?: pulumi.ComponentResourceOptions) {
    const subject = { type: 'GpuNetwork', name };
    const checked = validated(subject, { ...args, prefix: args.prefix ?? name }, RULES);
    const { violations, networks } = planGpuNetwork(checked.machineType, checked.prefix!, checked.range ?? DEFAULT_RANGE);
    throwErrors(subject, violations);
    super('trainyard:stacks:GpuNetwork', name, {}, opts);
    const project = checked.project ?? configuredProject();
    this.additionalNetworks = networks.flatMap((network) => this.create(network, project, checked.zone));
    this.objects = gpuNetworkObjects(networks);
    this.registerOutputs({ networks: this.additionalNetworks.map(({ network }) => network) });
  }

  private create(
    { name, mtu, profile, subnetworks, isOrdinary }: PlannedNetwork, project: pulumi.Input<string> | undefined, zone: pulumi.Input<string>,
  ): AdditionalNetwork[] {
    const child: pulumi.CustomResourceOptions = { parent: this };
    const network = new compute.Network(name, {
      name,
      project,
      autoCreateSubnetworks: false,
      mtu,
      networkProfile: profile && pulumi.all([project, zone]).apply(([id, where]) => `projects/${id}/global/networkProfiles/${profile.replace('{zone}', where)}`),
    }, child);
    if (isOrdinary) {
      // Firewall rules do not apply to RDMA. Other networks would block all incoming traffic without a rule.
      new compute.Firewall(`${name}-internal`, {
        name: `${name}-internal`,
        project,
        network: network.id,
        sourceRanges: subnetworks.map(({ range }) => range),
        allows: [{ protocol: 'tcp', ports: ['0-65535'] }, { protocol: 'udp', ports: ['0-65535'] }, { protocol: 'icmp' }],
      }, child);
    }
    return subnetworks.map((subnetwork) => {
      const created = new compute.Subnetwork(subnetwork.name, {
        name: subnetwork.name, project, network: network.id, ipCidrRange: subnetwork.range, region: pulumi.output(zone).apply(regionOf),
      }, child);
      return { network: network.name, subnetwork: created.name, mtu };
    });
  }
}

/**
 * The `Network` and its parameters for each subnetwork, with the same name.
 * @see https://cloud.google.com/kubernetes-engine/docs/how-to/setup-multinetwork-support-for-pods
 */
function gpuNetworkObjects(networks: readonly PlannedNetwork[]): object[] {
  return networks.flatMap(({ name: vpc, isOrdinary, subnetworks }) => subnetworks.flatMap(({ name }) => [
    {
      apiVersion: 'networking.gke.io/v1',
      kind: 'GKENetworkParamSet',
      metadata: { name },
      spec: { vpc, vpcSubnet: name, deviceMode: isOrdinary ? 'NetDevice' : 'RDMA' },
    },
    {
      apiVersion: 'networking.gke.io/v1',
      kind: 'Network',
      metadata: { name },
      spec: { type: 'Device', parametersRef: { group: 'networking.gke.io', kind: 'GKENetworkParamSet', name } },
    },
  ]));
}

/** A VPC with its subnetworks. */
interface PlannedNetwork {
  readonly name: string;
  readonly mtu: number;
  /** Network profile, with a placeholder for the zone. */
  readonly profile?: string;
  /** Whether its interfaces are normal ones, not for RDMA. */
  readonly isOrdinary: boolean;
  readonly subnetworks: readonly { readonly name: string; readonly range: string }[];
}

/** The networks, or the errors. */
interface GpuNetworkPlan {
  readonly violations: readonly Violation[];
  readonly networks: readonly PlannedNetwork[];
}

const SUBNETWORK_PREFIX = 20;

/** Plans the networks. */
function planGpuNetwork(machineType: string, prefix: string, range: string): GpuNetworkPlan {
  const refused = (path: string, value: unknown, message: string): GpuNetworkPlan => ({ violations: [{ path, value, message }], networks: [] });
  const known = findMachine(machineType);
  if (known === undefined) {
    return refused('machineType', machineType, `is not a known machine with GPUs.${didYouMean(machineType, machineNames())}`);
  }
  const accelerator = known.accelerators[0] as GpuAccelerator;
  const { family, dataNics, extraNetworks, mtu, networkProfile } = networkOfMachine(accelerator, machineType);
  if (extraNetworks === 0 || mtu === undefined) {
    return refused('machineType', machineType, 'has no networks other than that of the cluster. GpuNetwork is for a3 and a4 machines with all of their GPUs.');
  }
  if (family === 'rdma' && (networkProfile === undefined || networkProfile.endsWith('-metal'))) {
    return refused('machineType', machineType, 'gets its networks from DRANET. Set network.acceleratorNetworkProfile: auto on the pool instead.');
  }
  const ranges = trySplitRange(tryParseRange(range)!, SUBNETWORK_PREFIX, extraNetworks);
  if (ranges === undefined) {
    return refused('range', range, `has no room for ${extraNetworks} networks of /${SUBNETWORK_PREFIX}. Use a larger one, such as 192.168.0.0/16.`);
  }
  if (family !== 'rdma') {
    return { violations: [], networks: ranges.map((each, index) => ordinary(`${prefix}-data-${index}`, mtu, each)) };
  }
  const control = extraNetworks - dataNics;
  return {
    violations: [],
    networks: [
      ...ranges.slice(0, control).map((each, index) => ordinary(`${prefix}-gvnic-${index}`, mtu, each)),
      {
        name: `${prefix}-rdma`, mtu, profile: networkProfile, isOrdinary: false,
        subnetworks: ranges.slice(control).map((each, index) => ({ name: `${prefix}-rdma-${index}`, range: each })),
      },
    ],
  };
}

function ordinary(name: string, mtu: number, range: string): PlannedNetwork {
  return { name, mtu, isOrdinary: true, subnetworks: [{ name, range }] };
}
