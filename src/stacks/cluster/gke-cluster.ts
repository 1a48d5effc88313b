/** A cluster of GKE for training: private, with Workload Identity and Dataplane V2, and with a pool for what needs no accelerator. */
import * as container from '@pulumi/gcp/container';
import * as pulumi from '@pulumi/pulumi';
import { accessInputs, addonsInputs, autoProvisioningInputs, gatewayInputs, maintenanceInputs, monitoringInputs } from './cluster-inputs';
import { createClusterNetwork } from './cluster-network';
import type { GkeClusterArgs } from './gke-cluster-args';
import { DEFAULT_MAX_PODS, GKE_CLUSTER_RULES } from './gke-cluster-rules';
import { kubeconfigOf } from './kubeconfig';
import { createNodeServiceAccount } from './node-identity';
import { systemPoolSpec } from './system-pool';
import type { ClusterFacts } from '../../model/node-pools/spec';
import { pulumiNodePool } from '../../manifests/node-pools/pulumi-node-pool';
import { commonLabels, configuredProject, isRegion, regionOf } from '../support/context';
import { isPending, validated } from '../support/validated';

/**
 * A GKE cluster with a system pool. Pools with accelerators are {@link GpuNodePool}s of it.
 *
 * Always on: nodes without addresses on the internet, VPC-native addresses, Dataplane V2, Workload Identity, shielded nodes.
 * @see https://cloud.google.com/kubernetes-engine/docs/how-to/hardening-your-cluster
 */
export class GkeCluster extends pulumi.ComponentResource {
  /** Name in Google Cloud. */
  public readonly name: pulumi.Output<string>;
  public readonly location: pulumi.Output<string>;
  /** Id of the project. */
  public readonly project: pulumi.Output<string>;
  public readonly endpoint: pulumi.Output<string>;
  /** Kubeconfig without secrets: it asks `gke-gcloud-auth-plugin` for credentials. */
  public readonly kubeconfig: pulumi.Output<string>;
  /** `PROJECT.svc.id.goog`. */
  public readonly workloadPool: pulumi.Output<string>;
  /** E-mail of the account that nodes run as. */
  public readonly nodeServiceAccount: pulumi.Output<string>;
  public readonly network: pulumi.Output<string>;
  public readonly subnetwork: pulumi.Output<string>;
  /** The pool that pods without accelerators run on. Pools with accelerators come after it. */
  public readonly systemPool: container.NodePool;
  /** The cluster itself. */
  public readonly cluster: container.Cluster;
  /** What rules on node pools want to know; fields that are outputs are left out. */
  public readonly facts: ClusterFacts;

  /**
   * @param name name in the program
   * @param args what the cluster is like
   * @param opts options of Pulumi
   * @throws InvalidArgsError with everything that is wrong
   */
  public constructor(name: string, args: GkeClusterArgs, opts?: pulumi.ComponentResourceOptions) {
    const checked = validated({ type: 'GkeCluster', name }, args, GKE_CLUSTER_RULES);
    super('trainyard:stacks:GkeCluster', name, {}, opts);
    const child: pulumi.CustomResourceOptions = { parent: this };
    const project = pulumi.output(checked.project ?? configuredProject()!);
    const location = pulumi.output(checked.location);
    const region = location.apply(regionOf);
    const serviceAccount = checked.nodeServiceAccount ?? createNodeServiceAccount(name, project, child);
    const network = checked.network ?? createClusterNetwork(name, { project, region, addresses: checked.addresses }, child);
    const labels = commonLabels(checked.labels);

    this.workloadPool = pulumi.interpolate`${project}.svc.id.goog`;
    this.cluster = new container.Cluster(name, {
      name: checked.name,
      project,
      location,
      nodeLocations: checked.zones as pulumi.Input<pulumi.Input<string>[]> | undefined,
      network: network.network,
      subnetwork: network.subnetwork,
      networkingMode: 'VPC_NATIVE',
      ipAllocationPolicy: { clusterSecondaryRangeName: network.podRange, servicesSecondaryRangeName: network.serviceRange },
      datapathProvider: 'ADVANCED_DATAPATH',
      enableMultiNetworking: checked.multiNetworking ?? true,
      ...accessInputs(checked.controlPlane),
      releaseChannel: { channel: checked.releaseChannel ?? 'REGULAR' },
      minMasterVersion: checked.minVersion,
      workloadIdentityConfig: { workloadPool: this.workloadPool },
      enableShieldedNodes: true,
      securityPostureConfig: { mode: checked.securityPosture ?? 'BASIC' },
      databaseEncryption: checked.secretsKey === undefined ? undefined : { state: 'ENCRYPTED', keyName: checked.secretsKey },
      addonsConfig: addonsInputs(checked.addons),
      gatewayApiConfig: gatewayInputs(checked.addons),
      clusterAutoscaling: autoProvisioningInputs(checked.autoProvisioning, serviceAccount),
      ...monitoringInputs(checked.managedPrometheus, checked.managedGpuMetrics),
      costManagementConfig: { enabled: true },
      maintenancePolicy: maintenanceInputs(checked.maintenanceWindow),
      defaultMaxPodsPerNode: checked.maxPodsPerNode ?? DEFAULT_MAX_PODS,
      deletionProtection: checked.deletionProtection ?? true,
      resourceLabels: labels,
      // GKE makes a pool with each cluster. It goes again at once, and until then runs as the same account.
      removeDefaultNodePool: true,
      initialNodeCount: 1,
      nodeConfig: { serviceAccount },
    }, { ...child, ignoreChanges: ['nodeConfig'] });

    const spec = pulumi.all([checked.systemPool ?? {}, checked.zones]).apply(([pool, zones]) => pulumiNodePool(systemPoolSpec({ ...pool, zones })));
    this.systemPool = new container.NodePool(`${name}-system`, {
      name: 'system',
      project,
      location,
      cluster: this.cluster.name,
      autoscaling: spec.autoscaling as container.NodePoolArgs['autoscaling'],
      management: { autoRepair: true, autoUpgrade: true },
      nodeLocations: spec.nodeLocations as pulumi.Output<string[]>,
      networkConfig: { enablePrivateNodes: true },
      upgradeSettings: { strategy: 'SURGE', maxSurge: 1, maxUnavailable: 0 },
      nodeConfig: pulumi.all([spec.nodeConfig, serviceAccount, labels]).apply(([nodeConfig, email, resourceLabels]) => ({
        ...nodeConfig, serviceAccount: email, oauthScopes: ['https://www.googleapis.com/auth/cloud-platform'], resourceLabels,
      })),
    }, { ...child, deleteBeforeReplace: true });

    this.name = this.cluster.name;
    this.location = location;
    this.project = project;
    this.endpoint = this.cluster.endpoint;
    this.network = pulumi.output(network.network);
    this.subnetwork = pulumi.output(network.subnetwork);
    this.nodeServiceAccount = pulumi.output(serviceAccount);
    this.kubeconfig = this.access(checked.controlPlane?.dnsEndpoint ?? true);
    this.facts = factsOf(checked);
    this.registerOutputs({
      name: this.name, location, endpoint: this.endpoint, kubeconfig: this.kubeconfig, workloadPool: this.workloadPool,
      nodeServiceAccount: this.nodeServiceAccount, network: this.network, subnetwork: this.subnetwork,
    });
  }

  private access(byName: pulumi.Input<boolean>): pulumi.Output<string> {
    const { name, endpoint, masterAuth, controlPlaneEndpointsConfig } = this.cluster;
    const parts = pulumi.all([name, endpoint, masterAuth, controlPlaneEndpointsConfig, byName]);
    return parts.apply(([clusterName, address, auth, endpoints, isByName]) => kubeconfigOf({
      name: clusterName,
      endpoint: address,
      certificateAuthority: auth?.clusterCaCertificate,
      dnsEndpoint: isByName ? endpoints?.dnsEndpointConfig?.endpoint : undefined,
    }));
  }
}

/** What is known of the cluster when the program runs. */
function factsOf({ location, multiNetworking = true, zones, systemPool = {} }: GkeClusterArgs): ClusterFacts {
  return {
    regional: typeof location === 'string' ? isRegion(location) : undefined,
    multiNetworking: typeof multiNetworking === 'boolean' ? multiNetworking : undefined,
    dataplaneV2: true,
    vpcNative: true,
    shieldedNodes: true,
    pools: [isPending([systemPool, zones]) ? systemPoolSpec({}) : systemPoolSpec({ ...systemPool, zones } as Parameters<typeof systemPoolSpec>[0])],
  };
}
