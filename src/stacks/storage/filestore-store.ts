/** A file share that many nodes can write to, as a Filestore instance. */
import * as filestore from '@pulumi/gcp/filestore';
import * as pulumi from '@pulumi/pulumi';
import { BOOLEAN, NON_EMPTY_TEXT, integer, oneOf, pattern, required } from '../../model/shapes';
import { checkFilestore, type FilestoreClaim } from '../../model/storage/check-backends';
import { commonLabels, configuredProject } from '../support/context';
import { CLOUD_LABELS, KMS_KEY, LOCATION, PROJECT_ID, type InputsOf } from '../support/inputs';
import { validated, type ArgRules, type Found } from '../support/validated';

/** Arguments of {@link FilestoreStore}. */
export interface FilestoreStoreArgs {
  /** @default - `gcp:project` of the configuration */
  readonly project?: pulumi.Input<string>;
  /** A region for the tiers `regional` and `enterprise`, otherwise a zone. */
  readonly location: pulumi.Input<string>;
  /** `standard`, `premium`, `zonal`, `regional`, `enterprise`, `basic_hdd`, `basic_ssd` or `high_scale_ssd`. @default `zonal` */
  readonly tier?: pulumi.Input<string>;
  /** Size in GiB, which is billed. */
  readonly capacityGiB: pulumi.Input<number>;
  /** The cluster's VPC. */
  readonly network: pulumi.Input<string>;
  /** Name of the share. @default `share1` */
  readonly share?: pulumi.Input<string>;
  /** `DIRECT_PEERING`, or `PRIVATE_SERVICE_ACCESS` for a network of another project. @default `DIRECT_PEERING` */
  readonly connectMode?: pulumi.Input<string>;
  /** `NFS_V3` or `NFS_V4_1`. @default `NFS_V3` */
  readonly protocol?: pulumi.Input<string>;
  readonly kmsKey?: pulumi.Input<string>;
  /** Whether Google refuses to delete the instance. @default true */
  readonly deletionProtection?: pulumi.Input<boolean>;
  readonly labels?: InputsOf<{ readonly [name: string]: string }>;
}

const RULES: ArgRules<FilestoreStoreArgs> = {
  fields: {
    project: PROJECT_ID,
    location: required(LOCATION, 'is required: a zone of the cluster, or its region for the tiers regional and enterprise.'),
    tier: NON_EMPTY_TEXT,
    capacityGiB: required(integer(1), 'is required, in GiB.'),
    network: required(NON_EMPTY_TEXT, 'is required: the VPC of the cluster, such as cluster.network.'),
    share: pattern(/^[a-z][a-z0-9_]{0,15}$/, 'must have 1 to 16 lower-case letters, digits and \'_\', starting with a letter.'),
    connectMode: oneOf(['DIRECT_PEERING', 'PRIVATE_SERVICE_ACCESS']),
    protocol: oneOf(['NFS_V3', 'NFS_V4_1']),
    kmsKey: KMS_KEY,
    deletionProtection: BOOLEAN,
    labels: CLOUD_LABELS,
  },
  across: [{ fields: ['tier', 'capacityGiB', 'protocol', 'connectMode', 'location'], check: checkInstance }],
};

/** The model's rules, which also apply to claims. The network is not checked, because it belongs to the user. */
function checkInstance({ tier = 'zonal', capacityGiB, protocol, connectMode, location }: { readonly [field: string]: unknown }): Found[] {
  const network = 'given';
  return checkFilestore({ tier, sizeGiB: capacityGiB, protocol, connectMode, location, network, clusterNetwork: network } as FilestoreClaim, '')
    .map((finding) => ({ ...finding, path: finding.path.replace(/^\./, '').replace(/^sizeGiB$/, 'capacityGiB') }));
}

/** The fields of a PersistentVolume of the share in `spec.csi`. */
export interface FilestoreVolume {
  readonly driver: string;
  readonly volumeHandle: string;
  readonly volumeAttributes: { readonly ip: string; readonly volume: string };
}

/** An instance of Filestore with one share. @see https://cloud.google.com/filestore/docs/service-tiers */
export class FilestoreStore extends pulumi.ComponentResource {
  public readonly instance: filestore.Instance;
  /** Address of the server. */
  public readonly ip: pulumi.Output<string>;
  /** For `spec.csi` of a PersistentVolume. */
  public readonly volume: pulumi.Output<FilestoreVolume>;

  /**
   * @param name name in the program
   * @param args the options of the instance
   * @param opts Pulumi options
   * @throws InvalidArgsError with all errors
   */
  public constructor(name: string, args: FilestoreStoreArgs, opts?: pulumi.ComponentResourceOptions) {
    const checked = validated({ type: 'FilestoreStore', name }, args, RULES);
    super('trainyard:stacks:FilestoreStore', name, {}, opts);
    const share = checked.share ?? 'share1';
    this.instance = new filestore.Instance(name, {
      project: checked.project ?? configuredProject(),
      location: checked.location,
      tier: pulumi.output(checked.tier ?? 'zonal').apply((tier) => tier.toUpperCase()),
      protocol: checked.protocol ?? 'NFS_V3',
      fileShares: { name: share, capacityGb: checked.capacityGiB },
      networks: [{ network: checked.network, modes: ['MODE_IPV4'], connectMode: checked.connectMode ?? 'DIRECT_PEERING' }],
      kmsKeyName: checked.kmsKey,
      deletionProtectionEnabled: checked.deletionProtection ?? true,
      labels: commonLabels(checked.labels),
    }, { parent: this });
    this.ip = this.instance.networks.apply((networks) => networks[0].ipAddresses?.[0] ?? '');
    this.volume = pulumi.all([this.instance.location, this.instance.name, share, this.ip]).apply(([location, instance, volume, ip]) => ({
      driver: 'filestore.csi.storage.gke.io', volumeHandle: `modeInstance/${location}/${instance}/${volume}`, volumeAttributes: { ip, volume },
    }));
    this.registerOutputs({ ip: this.ip, volume: this.volume });
  }
}
