/** The connection of a VPC with Google's own services: databases with private addresses are on the other side of it. */
import * as compute from '@pulumi/gcp/compute';
import * as servicenetworking from '@pulumi/gcp/servicenetworking';
import * as pulumi from '@pulumi/pulumi';
import { DEFAULT_PREFIX_LENGTH, checkPrivateServices, type PrivateServicesSpec } from '../../model/databases/private-services';
import { NON_EMPTY_TEXT, integer, oneOf, required } from '../../model/shapes';
import { configuredProject } from '../support/context';
import { PROJECT_ID } from '../support/inputs';
import { validated, type ArgRules, type Found } from '../support/validated';

/** Arguments of {@link PrivateServiceAccess}. */
export interface PrivateServiceAccessArgs {
  /** @default - `gcp:project` of the configuration */
  readonly project?: pulumi.Input<string>;
  /** The cluster's VPC. */
  readonly network: pulumi.Input<string>;
  /** Size of the range that services have addresses from. @default 16 */
  readonly prefixLength?: pulumi.Input<number>;
  /** First address of the range, where it must not be just any. @default - one that is free in the VPC */
  readonly address?: pulumi.Input<string>;
  /**
   * What becomes of the connection when it is removed from the program: `ABANDON`, or `DELETE`, which Google refuses for days after a database was
   * deleted.
   * @default `ABANDON`
   */
  readonly deletionPolicy?: pulumi.Input<string>;
}

const RULES: ArgRules<PrivateServiceAccessArgs> = {
  fields: {
    project: PROJECT_ID,
    network: required(NON_EMPTY_TEXT, 'is required: the VPC of the cluster, such as cluster.network.'),
    prefixLength: integer(1, 32),
    address: NON_EMPTY_TEXT,
    deletionPolicy: oneOf(['ABANDON', 'DELETE']),
  },
  across: [{ fields: ['prefixLength', 'address'], check: checkRange }],
};

function checkRange({ prefixLength = DEFAULT_PREFIX_LENGTH, address }: { readonly [field: string]: unknown }): Found[] {
  return checkPrivateServices({ prefixLength, address } as PrivateServicesSpec, '');
}

/**
 * Private services access. A VPC has one connection, so that databases of one VPC share it.
 * @see https://cloud.google.com/vpc/docs/private-services-access
 */
export class PrivateServiceAccess extends pulumi.ComponentResource {
  /** The VPC, once it is connected: what comes later waits for that. */
  public readonly network: pulumi.Output<string>;
  /** Name of the range. */
  public readonly range: pulumi.Output<string>;
  public readonly connection: servicenetworking.Connection;

  /**
   * @param name name in the program
   * @param args which VPC
   * @param opts options of Pulumi
   * @throws InvalidArgsError with everything that is wrong
   */
  public constructor(name: string, args: PrivateServiceAccessArgs, opts?: pulumi.ComponentResourceOptions) {
    const checked = validated({ type: 'PrivateServiceAccess', name }, args, RULES);
    super('trainyard:stacks:PrivateServiceAccess', name, {}, opts);
    const child: pulumi.CustomResourceOptions = { parent: this };
    const network = networkPath(checked.network, checked.project ?? configuredProject());
    const range = new compute.GlobalAddress(name, {
      project: checked.project ?? configuredProject(),
      network,
      purpose: 'VPC_PEERING',
      addressType: 'INTERNAL',
      prefixLength: checked.prefixLength ?? DEFAULT_PREFIX_LENGTH,
      address: checked.address,
    }, child);
    this.connection = new servicenetworking.Connection(name, {
      network,
      service: 'servicenetworking.googleapis.com',
      reservedPeeringRanges: [range.name],
      deletionPolicy: checked.deletionPolicy ?? 'ABANDON',
    }, child);
    this.range = range.name;
    this.network = pulumi.all([network, this.connection.id]).apply(([path]) => path);
    this.registerOutputs({ network: this.network, range: this.range });
  }
}

/** `projects/PROJECT/global/networks/NAME`, as databases want it, of a self link or a name. */
function networkPath(network: pulumi.Input<string>, project: pulumi.Input<string> | undefined): pulumi.Output<string> {
  return pulumi.all([network, project]).apply(([text, id]) => (text.includes('/') ? text.replace(/^https:\/\/[^/]+\/compute\/[^/]+\//, '') : `projects/${id}/global/networks/${text}`));
}

/** VPC of a database, connected: by the access that is given, by one of its own, or already. */
export function connectedNetwork(
  name: string, network: pulumi.Input<string> | PrivateServiceAccess, connect: boolean, project: pulumi.Input<string> | undefined,
  opts: pulumi.ComponentResourceOptions,
): pulumi.Output<string> {
  if (network instanceof PrivateServiceAccess) {
    return network.network;
  }
  return connect ? new PrivateServiceAccess(`${name}-services`, { project, network }, opts).network : networkPath(network, project);
}
