/** The connection between a VPC and Google's services, which databases with private addresses need. */
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
  /** Prefix length of the range for the addresses of services. @default 16 */
  readonly prefixLength?: pulumi.Input<number>;
  /** First address of the range. @default - Google chooses a free range of the VPC */
  readonly address?: pulumi.Input<string>;
  /**
   * What happens when the connection is removed from the program: `ABANDON` keeps it. `DELETE` deletes it, which Google rejects for days after a
   * database was deleted.
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
 * Private services access. A VPC has only one connection, which its databases share.
 * @see https://cloud.google.com/vpc/docs/private-services-access
 */
export class PrivateServiceAccess extends pulumi.ComponentResource {
  /** The VPC. Resolves when it is connected, so that resources that use it wait for the connection. */
  public readonly network: pulumi.Output<string>;
  /** Name of the range. */
  public readonly range: pulumi.Output<string>;
  public readonly connection: servicenetworking.Connection;

  /**
   * @param name name in the program
   * @param args the VPC
   * @param opts Pulumi options
   * @throws InvalidArgsError with all errors
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

/** `projects/PROJECT/global/networks/NAME`, the format for databases, from a self link or a name. */
function networkPath(network: pulumi.Input<string>, project: pulumi.Input<string> | undefined): pulumi.Output<string> {
  return pulumi.all([network, project]).apply(([text, id]) => (text.includes('/') ? text.replace(/^https:\/\/[^/]+\/compute\/[^/]+\//, '') : `projects/${id}/global/networks/${text}`));
}

/** The connected VPC of a database: through the given access, through a new one, or already connected. */
export function connectedNetwork(
  name: string, network: pulumi.Input<string> | PrivateServiceAccess, connect: boolean, project: pulumi.Input<string> | undefined,
  opts: pulumi.ComponentResourceOptions,
): pulumi.Output<string> {
  if (network instanceof PrivateServiceAccess) {
    return network.network;
  }
  return connect ? new PrivateServiceAccess(`${name}-services`, { project, network }, opts).network : networkPath(network, project);
}
