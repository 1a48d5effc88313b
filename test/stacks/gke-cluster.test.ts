/** The cluster, as the engine is asked for it. */
import * as pulumi from '@pulumi/pulumi';
import { GkeCluster, type GkeClusterArgs } from '../../src/stacks';
import { late, settled, startRecording, unknown, valueOf } from './support/mocks';

const CLUSTER = 'gcp:container/cluster:Cluster';
const POOL = 'gcp:container/nodePool:NodePool';
const ARGS: GkeClusterArgs = { project: 'ml-test', location: 'europe-west4' };

afterEach(() => jest.restoreAllMocks());

test('a cluster with no more than a place is private, VPC-native and has a system pool', async () => {
  const recorder = await startRecording();
  const cluster = new GkeCluster('train', ARGS);
  await settled();
  expect(recorder.one(CLUSTER).inputs).toMatchSnapshot();
  expect(recorder.one(POOL).inputs).toMatchSnapshot();
  expect(recorder.graph()).toMatchSnapshot();
  expect(await valueOf(cluster.workloadPool)).toBe('ml-test.svc.id.goog');
  expect(await valueOf(cluster.nodeServiceAccount)).toBe('train-test-nodes@ml-test.iam.gserviceaccount.com');
});

test('the network of a cluster that is given none has one subnetwork with ranges for pods and services, and a way out', async () => {
  const recorder = await startRecording();
  new GkeCluster('train', { ...ARGS, location: late('europe-west4-a'), addresses: { pods: '10.128.0.0/14' } });
  await settled();
  const where = { project: 'ml-test', region: 'europe-west4' };
  expect(recorder.one('gcp:compute/network:Network').inputs).toEqual({ project: 'ml-test', autoCreateSubnetworks: false });
  expect(recorder.one('gcp:compute/subnetwork:Subnetwork').inputs).toEqual({
    ...where, network: 'train-network-id', ipCidrRange: '10.0.0.0/20', privateIpGoogleAccess: true,
    secondaryIpRanges: [{ rangeName: 'pods', ipCidrRange: '10.128.0.0/14' }, { rangeName: 'services', ipCidrRange: '10.32.0.0/20' }],
  });
  expect(recorder.one('gcp:compute/router:Router').inputs).toEqual({ ...where, network: 'train-network-id' });
  expect(recorder.one('gcp:compute/routerNat:RouterNat').inputs).toEqual({
    ...where, router: 'train-router-made', natIpAllocateOption: 'AUTO_ONLY', sourceSubnetworkIpRangesToNat: 'ALL_SUBNETWORKS_ALL_IP_RANGES',
    logConfig: { enable: true, filter: 'ERRORS_ONLY' },
  });
  expect(recorder.one(CLUSTER).inputs).toMatchObject({
    network: 'train-network-id', subnetwork: 'train-nodes-id', ipAllocationPolicy: { clusterSecondaryRangeName: 'pods', servicesSecondaryRangeName: 'services' },
  });
  expect(recorder.one('gcp:serviceaccount/account:Account').inputs).toEqual({ project: 'ml-test', accountId: 'train-test-nodes', displayName: 'Nodes of train' });
});

test('nodes run as an account with no more than logs, metrics and images', async () => {
  const recorder = await startRecording();
  new GkeCluster('train', ARGS);
  await settled();
  expect(recorder.of('gcp:projects/iAMMember:IAMMember').map(({ inputs }) => inputs.role).sort()).toEqual([
    'roles/artifactregistry.reader', 'roles/logging.logWriter', 'roles/monitoring.metricWriter', 'roles/monitoring.viewer', 'roles/stackdriver.resourceMetadata.writer',
  ]);
});

test('the kubeconfig reaches the cluster by its name, with credentials that a plugin asks for', async () => {
  await startRecording();
  const config = JSON.parse(await valueOf(new GkeCluster('train', ARGS).kubeconfig));
  expect(config.clusters).toEqual([{ name: 'train-made', cluster: { server: 'https://gke-1.europe-west4.gke.goog' } }]);
  expect(config.users[0].user.exec.command).toBe('gke-gcloud-auth-plugin');
});

test('without the name the kubeconfig has the address and its certificate', async () => {
  await startRecording();
  const cluster = new GkeCluster('train', { ...ARGS, controlPlane: { dnsEndpoint: false, authorizedNetworks: [{ cidr: '203.0.113.0/24', name: 'office' }] } });
  const config = JSON.parse(await valueOf(cluster.kubeconfig));
  expect(config.clusters[0].cluster).toEqual({ 'server': 'https://203.0.113.7', 'certificate-authority-data': 'Q0E=' });
});

test('all options arrive where they belong', async () => {
  const recorder = await startRecording();
  new GkeCluster('train', {
    name: 'ml',
    project: 'ml-test',
    location: 'europe-west4',
    zones: ['europe-west4-a', 'europe-west4-b'],
    network: { network: 'shared', subnetwork: 'nodes', podRange: 'pods', serviceRange: 'services' },
    controlPlane: { privateEndpoint: true, authorizedNetworks: [{ cidr: '10.0.0.0/8', name: 'office' }] },
    releaseChannel: 'RAPID',
    minVersion: '1.34',
    addons: { filestore: false, gcsFuse: false, gatewayApi: false, lustre: true, ray: true, multiTierCheckpointing: true, configConnector: true },
    autoProvisioning: { limits: { 'cpu': 1000, 'memory': 4000, 'nvidia-l4': 16 }, computeClassesOnly: true, profile: 'OPTIMIZE_UTILIZATION', zones: ['europe-west4-a'] },
    systemPool: { machineType: 'n2-standard-8', minPerZone: 2, maxPerZone: 5, diskGiB: 200 },
    multiNetworking: false,
    managedPrometheus: false,
    securityPosture: 'ENTERPRISE',
    nodeServiceAccount: 'nodes@ml-test.iam.gserviceaccount.com',
    secretsKey: 'projects/ml-test/locations/europe-west4/keyRings/ml/cryptoKeys/secrets',
    maintenanceWindow: { startTime: '2026-01-03T02:00:00Z', endTime: '2026-01-03T08:00:00Z' },
    deletionProtection: false,
    maxPodsPerNode: 64,
    labels: { team: 'vision' },
  });
  await settled();
  expect(recorder.one(CLUSTER).inputs).toMatchSnapshot();
  expect(recorder.one(POOL).inputs).toMatchSnapshot();
  // Network and account are given.
  expect(recorder.resources.map(({ type }) => type)).toEqual(['trainyard:stacks:GkeCluster', CLUSTER, POOL]);
});

const WRONG: [string, Partial<Record<keyof GkeClusterArgs, unknown>>, string][] = [
  ['no place', { location: undefined }, 'location: is required: a region such as europe-west4, or a zone.'],
  ['no region', { location: 'Europe' }, 'location: "Europe": must be a region such as europe-west4 or a zone such as europe-west4-a.'],
  ['number for the project', { project: '123456789' }, 'project: "123456789": must be the id of a project, not its number'],
  ['a long name', { name: 'a'.repeat(41) }, 'must have 1 to 40 lower-case letters'],
  ['zone elsewhere', { zones: ['europe-west1-b'] }, 'zones[0]: "europe-west1-b": is not in europe-west4, where the cluster is.'],
  ['channel', { releaseChannel: 'STABEL' }, "releaseChannel: \"STABEL\": must be one of RAPID, REGULAR, STABLE, EXTENDED. Did you mean 'STABLE'?"],
  ['addon', { addons: { gcsfuse: true } }, "addons.gcsfuse: true: is not a field of addons. Did you mean 'gcsFuse'?"],
  ['range', { addresses: { nodes: '10.0.0.1/20' } }, 'addresses.nodes: "10.0.0.1/20": must be a range that begins at its first address, such as 10.0.0.0/20.'],
  ['ranges in common', { addresses: { nodes: '10.64.0.0/20' } }, 'addresses.nodes: "10.64.0.0/20": overlaps with the addresses of pods (10.64.0.0/14).'],
  ['room for no node', { addresses: { pods: '10.64.0.0/25' } }, 'addresses.pods: "10.64.0.0/25": has no room for one node with 110 pods'],
  ['network and ranges', { network: { network: 'a', subnetwork: 'b' }, addresses: {} }, 'are for a new network, but the cluster uses an existing one.'],
  ['unreachable', { controlPlane: { dnsEndpoint: false } }, 'cannot be reached'],
  ['authorized network', { controlPlane: { authorizedNetworks: [{ cidr: '203.0.113.7' }] } }, 'controlPlane.authorizedNetworks[0].cidr: "203.0.113.7"'],
  ['limits without memory', { autoProvisioning: { limits: { cpu: 10 } } }, 'do not include memory, but GKE requires both cpu and memory.'],
  ['limit of no accelerator', { autoProvisioning: { limits: { 'cpu': 10, 'memory': 10, 'nvidia.com/gpu': 8 } } }, "autoProvisioning.limits['nvidia.com/gpu']: 8: is not an auto-provisioning"],
  ['limit of a misspelt accelerator', { autoProvisioning: { limits: { 'cpu': 10, 'memory': 10, 'nvidia-l40': 8 } } }, "Did you mean 'nvidia-l4'?"],
  ['system pool', { systemPool: { machineType: 'a3-highgpu-8g' } }, 'a3-highgpu-8g'],
  ['posture', { securityPosture: 'basic' }, 'securityPosture: "basic": must be one of DISABLED, BASIC, ENTERPRISE.'],
  ['account', { nodeServiceAccount: 'nodes' }, 'must be the e-mail of a service account'],
  ['key', { secretsKey: 'secrets' }, 'must be projects/PROJECT/locations/LOCATION/keyRings/RING/cryptoKeys/KEY.'],
  ['short window', { maintenanceWindow: { startTime: '2026-01-03T02:00:00Z', endTime: '2026-01-03T04:00:00Z' } }, 'is less than four hours after the start'],
  ['pods', { maxPodsPerNode: 300 }, 'maxPodsPerNode: 300: must be a whole number from 8 to 256.'],
  ['label', { labels: { 'example.com/team': 'a' } }, 'is not a valid label'],
  ['value of a label', { labels: { team: 'Vision' } }, 'labels.team: "Vision": must have at most 63 lower-case letters'],
];

test.each(WRONG)('%s is refused before anything is registered', async (_what, args, message) => {
  const recorder = await startRecording();
  expect(() => new GkeCluster('train', { ...ARGS, ...args } as GkeClusterArgs)).toThrow(message);
  await settled();
  expect(recorder.resources).toEqual([]);
});

test('the project comes from the configuration, and without it one is asked for', async () => {
  const recorder = await startRecording();
  expect(() => new GkeCluster('train', { location: 'europe-west4' })).toThrow('project: is not known. Set it here, or globally: pulumi config set gcp:project PROJECT_ID.');
  pulumi.runtime.setConfig('gcp:project', 'ml-configured');
  try {
    new GkeCluster('train', { location: 'europe-west4' });
    await settled();
    expect(recorder.one(CLUSTER).inputs).toMatchObject({ project: 'ml-configured', workloadIdentityConfig: { workloadPool: 'ml-configured.svc.id.goog' } });
  } finally {
    pulumi.runtime.setConfig('gcp:project', undefined as unknown as string);
  }
});

test('outputs that resolve late arrive as the values that they are', async () => {
  const recorder = await startRecording();
  new GkeCluster('train', {
    project: late('ml-test'), location: late('europe-west4-a'), releaseChannel: late('STABLE'),
    network: { network: late('shared'), subnetwork: late('nodes') }, systemPool: { minPerZone: late(2) }, labels: { team: late('vision') },
  });
  await settled();
  expect(recorder.one(CLUSTER).inputs).toMatchObject({
    location: 'europe-west4-a', network: 'shared', subnetwork: 'nodes', releaseChannel: { channel: 'STABLE' }, resourceLabels: { team: 'vision' },
    workloadIdentityConfig: { workloadPool: 'ml-test.svc.id.goog' },
  });
  expect(recorder.one(POOL).inputs.autoscaling).toEqual({ minNodeCount: 2, maxNodeCount: 3 });
});

test('in a preview the unknown is left out and the known is shown', async () => {
  const recorder = await startRecording({ preview: true });
  new GkeCluster('train', { project: 'ml-test', location: 'europe-west4', network: { network: unknown(), subnetwork: unknown() } });
  await settled();
  const { inputs } = recorder.one(CLUSTER);
  expect(pulumi.isUnknown(inputs.network)).toBe(true);
  expect(inputs).toMatchObject({ location: 'europe-west4', datapathProvider: 'ADVANCED_DATAPATH', releaseChannel: { channel: 'REGULAR' } });
});
