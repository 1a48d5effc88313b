/**
 * A GKE cluster for training: private, with Workload Identity and Dataplane V2, and with a pool for pods without accelerators.
 *
 * Programs access the cluster with the credentials of the user who runs them, which `gke-gcloud-auth-plugin` gets from Google. The kubeconfig
 * contains no secret.
 */
import * as container from '@pulumi/gcp/container';
import * as projects from '@pulumi/gcp/projects';
import * as serviceaccount from '@pulumi/gcp/serviceaccount';
import * as pulumi from '@pulumi/pulumi';
import type { CustomResourceOptions, Input, Output } from '@pulumi/pulumi';
import {
  accessInputs, addonsInputs, autoProvisioningInputs, gatewayInputs, maintenanceInputs, monitoringInputs, createClusterNetwork,
} from './cluster-inputs';
import type { GkeClusterArgs } from './gke-cluster-args';
import { DEFAULT_MAX_PODS, GKE_CLUSTER_RULES, systemPoolSpec } from './gke-cluster-rules';
import { commonLabels, configuredProject, isRegion, regionOf } from '../support/context';
import { isPending, validated } from '../support/validated';
import { pulumiNodePool } from '../../manifests/node-pools/pulumi-node-pool';
import type { ClusterFacts } from '../../model/node-pools/spec';
import { trimmedEnd } from '../../model/text/trim';

/**
 * A GKE cluster with a system pool. Add pools with accelerators with {@link GpuNodePool}.
 *
 * Always on: nodes without public addresses, VPC-native addresses, Dataplane V2, Workload Identity, shielded nodes.
 * @see https://cloud.google.com/kubernetes-engine/docs/how-to/hardening-your-cluster
 */
export class GkeCluster extends pulumi.ComponentResource {
  /** Name in Google Cloud. */
  public readonly name: pulumi.Output<string>;
  public readonly location: pulumi.Output<string>;
  /** Id of the project. */
  public readonly project: pulumi.Output<string>;
  public readonly endpoint: pulumi.Output<string>;
  /** Kubeconfig without secrets: it gets credentials from `gke-gcloud-auth-plugin`. */
  public readonly kubeconfig: pulumi.Output<string>;
  /** `PROJECT.svc.id.goog`. */
  public readonly workloadPool: pulumi.Output<string>;
  /** E-mail of the account that nodes run as. */
  public readonly nodeServiceAccount: pulumi.Output<string>;
  public readonly network: pulumi.Output<string>;
  public readonly subnetwork: pulumi.Output<string>;
  /** The pool for pods without accelerators. Pools with accelerators are created after it. */
  public readonly systemPool: container.NodePool;
  /** The cluster itself. */
  public readonly cluster: container.Cluster;
  /** The facts about the cluster that the rules for node pools use; without fields that are outputs. */
  public readonly facts: ClusterFacts;

  /**
   * @param name name in the program
   * @param args the options of the cluster
   * @param opts Pulumi options
   * @throws InvalidArgsError with all errors
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
      // GKE creates a default pool with each cluster. It is removed immediately, and until then uses the same account.
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

/** The facts about the cluster that are known while the program runs. */
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

/**
 * The roles that nodes need: for logs, metrics, and images.
 * @see https://cloud.google.com/kubernetes-engine/docs/how-to/hardening-your-cluster#use_least_privilege_sa
 */
const NODE_ROLES = [
  'roles/logging.logWriter',
  'roles/monitoring.metricWriter',
  'roles/monitoring.viewer',
  'roles/stackdriver.resourceMetadata.writer',
  'roles/artifactregistry.reader',
] as const;

/**
 * Creates the service account of the nodes, with only the roles that they need: the default account can edit the whole project.
 * @returns its e-mail, which resolves after the roles are granted
 */
function createNodeServiceAccount(name: string, project: Input<string>, opts: CustomResourceOptions): Output<string> {
  const account = new serviceaccount.Account(`${name}-nodes`, {
    project,
    accountId: accountId(name),
    displayName: `Nodes of ${name}`,
  }, opts);
  const member = pulumi.interpolate`serviceAccount:${account.email}`;
  const grants = NODE_ROLES.map((role) => (
    new projects.IAMMember(`${name}-nodes-${role.slice('roles/'.length)}`, { project, role, member }, opts)
  ));
  return pulumi.all([account.email, ...grants.map(({ id }) => id)]).apply(([email]) => email);
}

/** An account id of 6 to 30 characters from a name. It includes the stack, because each stack of a project needs its own account. */
function accountId(name: string): string {
  const text = `${name}-${pulumi.getStack()}`.toLowerCase().replace(/[^a-z0-9-]/g, '-').replace(/^[^a-z]+/, '');
  return `${trimmedEnd(text.slice(0, 24), '-')}-nodes`;
}

/** The values of a kubeconfig. */
interface ClusterAccess {
  readonly name: string;
  /** Address of the control plane. */
  readonly endpoint: string;
  /** Base64. */
  readonly certificateAuthority?: string;
  /** DNS name of the control plane, which has a publicly trusted certificate. */
  readonly dnsEndpoint?: string;
}

/** The kubeconfig, as JSON, which is YAML. */
function kubeconfigOf({ name, endpoint, certificateAuthority, dnsEndpoint }: ClusterAccess): string {
  const cluster = dnsEndpoint !== undefined
    ? { server: `https://${dnsEndpoint}` }
    : { 'server': `https://${endpoint}`, 'certificate-authority-data': certificateAuthority };
  return JSON.stringify({
    'apiVersion': 'v1',
    'kind': 'Config',
    'clusters': [{ name, cluster }],
    'contexts': [{ name, context: { cluster: name, user: name } }],
    'current-context': name,
    'users': [{
      name,
      user: {
        exec: {
          apiVersion: 'client.authentication.k8s.io/v1beta1',
          command: 'gke-gcloud-auth-plugin',
          installHint: 'gcloud components install gke-gcloud-auth-plugin',
          provideClusterInfo: true,
        },
      },
    }],
  });
}
