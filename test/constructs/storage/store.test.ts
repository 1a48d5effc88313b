/** The objects of stores, by backend. */
import { App, Chart, Duration, Size, Testing } from 'cdk8s';
import * as kplus from 'cdk8s-plus-28';
import { FilestoreTier, RwxBackend, RwxCheckpointStore, type RwxCheckpointStoreProps } from '../../../src';
import { errorsOf } from '../../support/synth-errors';

const SECRET = (name: string) => ({ name, namespace: 'storage' });

interface Manifest {
  readonly kind: string;
  readonly metadata: {
    readonly name: string; readonly namespace?: string; readonly labels?: object; readonly annotations?: { readonly [name: string]: string };
  };
  readonly [field: string]: unknown;
}

function render(props: RwxCheckpointStoreProps, more: (store: RwxCheckpointStore) => void = () => undefined): Manifest[] {
  const chart = new Chart(Testing.app(), 'chart', { namespace: 'ml' });
  more(new RwxCheckpointStore(chart, 'Store', { metadata: { name: 'runs' }, ...props }));
  return Testing.synth(chart);
}

const kinds = (manifests: readonly Manifest[]) => manifests.map(({ kind }) => kind);
const one = (manifests: readonly Manifest[], kind: string): Manifest & { readonly spec: { readonly [field: string]: unknown } } => (
  manifests.find((object) => object.kind === kind) as never);

/** What has no annotation of hints, which is text. */
function plain({ metadata: { annotations: _annotations, ...metadata }, ...rest }: Manifest): object {
  return { ...rest, metadata };
}

describe('a store by default', () => {
  test('is a class and a claim of the smallest instance, which keep what was written', () => {
    const [storageClass, claim, ...others] = render({ backend: RwxBackend.filestore() });
    expect(others).toEqual([]);
    expect(storageClass).toEqual({
      apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', metadata: { name: 'ml-runs' }, provisioner: 'filestore.csi.storage.gke.io', parameters: { tier: 'standard' },
      reclaimPolicy: 'Retain', volumeBindingMode: 'WaitForFirstConsumer', allowVolumeExpansion: true,
    });
    expect(plain(claim)).toEqual({
      apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'runs', namespace: 'ml' },
      spec: { accessModes: ['ReadWriteMany'], storageClassName: 'ml-runs', resources: { requests: { storage: '1Ti' } } },
    });
    expect(claim.metadata.annotations).toEqual({ 'ml.collabnix.io/store': expect.stringContaining('reads up to 100 MiB/s') });
  });

  test('has a name that follows from its place', () => {
    const chart = new Chart(new App(), 'chart');
    const store = new RwxCheckpointStore(chart, 'Store', { backend: RwxBackend.nfs('nfs.example', '/runs') });
    expect(store.name).toMatch(/^chart-store-[0-9a-f]+$/);
    expect([store.claim?.name, store.accessMode, store.cleanupName, store.warnings]).toEqual([store.name, 'ReadWriteMany', undefined, []]);
    expect(store.hints).toEqual(['NFS: grows with the data written; the size of the claim (1024 GiB) is not enforced.', 'Throughput: no source is known.']);
  });
});

describe('volumes that are made', () => {
  const parametersOf = (props: RwxCheckpointStoreProps) => one(render(props), 'StorageClass').parameters;

  test('with every option of Filestore', () => {
    const backend = RwxBackend.filestore({
      tier: FilestoreTier.ZONAL, network: 'ml', clusterNetwork: 'ml', sharedVpc: true, privateServiceAccess: true, nfsV41: true, reservedIpRange: 'range', kmsKey: 'projects/p/k',
      labels: { team: 'a', bill: 'b' },
    });
    const manifests = render({
      backend, size: Size.tebibytes(2), zones: ['us-central1-a'], mountOptions: ['nconnect=7'], deleteWithClaim: true, pricePerGibibyteMonth: 0.25,
      metadata: { name: 'runs', namespace: 'other', labels: { team: 'a' }, annotations: { note: 'b' } },
    });
    expect(plain(manifests[0])).toEqual({
      apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', metadata: { name: 'other-runs', labels: { team: 'a' } }, provisioner: 'filestore.csi.storage.gke.io',
      parameters: {
        'tier': 'zonal', 'network': 'ml', 'connect-mode': 'PRIVATE_SERVICE_ACCESS', 'protocol': 'NFS_V4_1', 'reserved-ip-range': 'range', 'instance-encryption-kms-key': 'projects/p/k',
        'labels': 'team=a,bill=b',
      },
      reclaimPolicy: 'Delete', volumeBindingMode: 'Immediate', allowVolumeExpansion: true, mountOptions: ['nconnect=7'],
      allowedTopologies: [{ matchLabelExpressions: [{ key: 'topology.gke.io/zone', values: ['us-central1-a'] }] }],
    });
    expect(manifests[1].metadata).toEqual({
      name: 'runs', namespace: 'other', labels: { team: 'a' },
      annotations: { 'note': 'b', 'ml.collabnix.io/store': 'Filestore zonal: 2048 GiB. Throughput: reads up to 520 MiB/s, writes up to 176 MiB/s, of all pods together (https://cloud.google.com/filestore/docs/performance). Price: 512 a month, at 0.25 a GiB.' },
    });
  });

  test('as a share of an instance', () => {
    const manifests = render({ backend: RwxBackend.filestore({ tier: FilestoreTier.ENTERPRISE, maxShareSize: Size.gibibytes(256), reservedIpv4Cidr: '10.0.0.0/26', location: 'us-central1' }), size: Size.gibibytes(200) });
    expect(manifests[0].parameters).toEqual({
      'tier': 'enterprise', 'multishare': 'true', 'max-volume-size': '256Gi', 'instance-storageclass-label': 'ml-runs', 'reserved-ipv4-cidr': '10.0.0.0/26', 'location': 'us-central1',
    });
    expect(one(manifests, 'PersistentVolumeClaim').spec.resources).toEqual({ requests: { storage: '200Gi' } });
  });

  test('by a class that is there', () => {
    const manifests = render({ backend: RwxBackend.filestore({ tier: FilestoreTier.BASIC_SSD }), storageClassName: 'ours' });
    expect(kinds(manifests)).toEqual(['PersistentVolumeClaim']);
    expect(manifests[0].spec).toMatchObject({ storageClassName: 'ours', resources: { requests: { storage: '2560Gi' } } });
  });

  test('of Managed Lustre', () => {
    const manifests = render({ backend: RwxBackend.lustre({ throughputPerTebibyte: 500, filesystem: 'runs', network: 'ml', description: 'd', labels: { a: 'b' } }), zones: ['us-central1-a'] });
    expect(manifests[0]).toMatchObject({ provisioner: 'lustre.csi.storage.gke.io', volumeBindingMode: 'Immediate', parameters: { perUnitStorageThroughput: '500', filesystem: 'runs', network: 'ml', description: 'd', labels: 'a=b' } });
    expect(one(manifests, 'PersistentVolumeClaim').spec.resources).toEqual({ requests: { storage: '9000Gi' } });
  });

  test('of Hyperdisk ML, which many read', () => {
    const manifests = render({ backend: RwxBackend.hyperdiskMl({ snapshot: 'weights', throughputMebibytes: 2400, kmsKey: 'k' }), size: Size.gibibytes(300), zones: ['us-central1-a', 'us-central1-c'] });
    expect(manifests[0]).toMatchObject({
      provisioner: 'pd.csi.storage.gke.io', parameters: { 'type': 'hyperdisk-ml', 'provisioned-throughput-on-create': '2400Mi', 'enable-multi-zone-provisioning': 'true', 'disk-encryption-kms-key': 'k' },
    });
    expect(manifests[0]).not.toHaveProperty('allowVolumeExpansion');
    expect(manifests[1].spec).toMatchObject({ accessModes: ['ReadOnlyMany'], dataSource: { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: 'weights' } });
  });

  test.each<[string, RwxBackend, string, object]>([
    ['NFS', RwxBackend.nfs('nfs.example', '/runs', { folderPerClaim: true }), 'nfs.csi.k8s.io', { server: 'nfs.example', share: '/runs' }],
    ['CephFS of Rook', RwxBackend.cephFs({ clusterId: 'rook', fsName: 'fs', pool: 'p', driver: 'rook-ceph.cephfs.csi.ceph.com', nodeSecret: SECRET('node'), provisionerSecret: SECRET('make') }), 'rook-ceph.cephfs.csi.ceph.com', {
      'clusterID': 'rook', 'fsName': 'fs', 'pool': 'p', 'csi.storage.k8s.io/provisioner-secret-name': 'make', 'csi.storage.k8s.io/provisioner-secret-namespace': 'storage',
      'csi.storage.k8s.io/controller-expand-secret-name': 'make', 'csi.storage.k8s.io/controller-expand-secret-namespace': 'storage',
      'csi.storage.k8s.io/node-stage-secret-name': 'node', 'csi.storage.k8s.io/node-stage-secret-namespace': 'storage',
    }],
    ['EFS', RwxBackend.efs('fs-0123456789abcdef0', { accessPointPerClaim: true, basePath: '/runs', directoryPermissions: '770' }), 'efs.csi.aws.com', { provisioningMode: 'efs-ap', fileSystemId: 'fs-0123456789abcdef0', basePath: '/runs', directoryPerms: '770' }],
    ['Azure Files', RwxBackend.azureFiles(), 'file.csi.azure.com', { skuName: 'Premium_LRS', protocol: 'nfs' }],
    ['Azure Files by SMB', RwxBackend.azureFiles({ smb: true, sku: 'Standard_LRS' }), 'file.csi.azure.com', { skuName: 'Standard_LRS', protocol: 'smb' }],
  ])('of %s', (_what, backend, provisioner, parameters) => {
    const props = { backend, size: Size.gibibytes(200) };
    expect(one(render(props), 'StorageClass')).toMatchObject({ provisioner, volumeBindingMode: 'Immediate' });
    expect(parametersOf(props)).toEqual(parameters);
  });
});

describe('volumes that are there', () => {
  test.each<[string, RwxBackend, object, Partial<RwxCheckpointStoreProps>?]>([
    ['Filestore', RwxBackend.filestore({ instance: { location: 'us-central1-a', name: 'i', share: 's', ip: '10.0.0.2' } }), { csi: { driver: 'filestore.csi.storage.gke.io', volumeHandle: 'modeInstance/us-central1-a/i/s', volumeAttributes: { ip: '10.0.0.2', volume: 's' } } }, { size: Size.tebibytes(1) }],
    ['Lustre', RwxBackend.lustre({ instance: { project: 'p', location: 'z', name: 'n', ip: '10.0.0.3', gkeSupportEnabled: true }, filesystem: 'runs' }), { csi: { driver: 'lustre.csi.storage.gke.io', volumeHandle: 'p/z/n/default-pool/default-container', volumeAttributes: { ip: '10.0.0.3', filesystem: 'runs' } } }],
    ['Hyperdisk ML', RwxBackend.hyperdiskMl({ disk: 'projects/p/zones/z/disks/d' }), { csi: { driver: 'pd.csi.storage.gke.io', volumeHandle: 'projects/p/zones/z/disks/d', readOnly: true } }, { size: Size.gibibytes(1) }],
    ['NFS', RwxBackend.nfs('nfs.example', '/runs'), { nfs: { server: 'nfs.example', path: '/runs' } }],
    ['NFS that is only read', RwxBackend.nfs('nfs.example', '/runs'), { nfs: { server: 'nfs.example', path: '/runs', readOnly: true } }, { accessMode: kplus.PersistentVolumeAccessMode.READ_ONLY_MANY }],
    ['CephFS', RwxBackend.cephFs({ clusterId: 'c', fsName: 'f', nodeSecret: SECRET('node'), rootPath: '/runs' }), { csi: { driver: 'cephfs.csi.ceph.com', volumeHandle: 'ml-runs', volumeAttributes: { clusterID: 'c', fsName: 'f', staticVolume: 'true', rootPath: '/runs' }, nodeStageSecretRef: { name: 'node', namespace: 'storage' } } }, { size: Size.gibibytes(1) }],
    ['EFS', RwxBackend.efs('fs-0123456789abcdef0'), { csi: { driver: 'efs.csi.aws.com', volumeHandle: 'fs-0123456789abcdef0' } }],
    ['an access point', RwxBackend.efs('fs-0123456789abcdef0', { accessPoint: 'fsap-0123456789abcdef0' }), { csi: { driver: 'efs.csi.aws.com', volumeHandle: 'fs-0123456789abcdef0::fsap-0123456789abcdef0' } }],
    ['Azure Files', RwxBackend.azureFiles({ smb: true, share: { resourceGroup: 'r', storageAccount: 'a', shareName: 's', secret: SECRET('key') } }), { csi: { driver: 'file.csi.azure.com', volumeHandle: 'r#a#s', volumeAttributes: { resourceGroup: 'r', storageAccount: 'a', shareName: 's', protocol: 'smb' }, nodeStageSecretRef: { name: 'key', namespace: 'storage' } } }, { size: Size.gibibytes(1) }],
    ['a bucket', RwxBackend.gcsFuse('checkpoints', { hierarchicalNamespace: true }), { csi: { driver: 'gcsfuse.csi.storage.gke.io', volumeHandle: 'checkpoints' }, mountOptions: ['implicit-dirs'] }],
  ])('%s', (_what, backend, source, props = {}) => {
    const manifests = render({ backend, ...props });
    expect(kinds(manifests)).toEqual(['PersistentVolume', 'PersistentVolumeClaim']);
    interface Stored extends Manifest { readonly spec: { readonly accessModes: string[]; readonly capacity: { readonly storage: string } } }
    const [volume, claim] = manifests as unknown as readonly Stored[];
    expect(volume).toEqual({
      apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name: 'ml-runs' },
      spec: {
        accessModes: claim.spec.accessModes, capacity: volume.spec.capacity, persistentVolumeReclaimPolicy: 'Retain', storageClassName: '', volumeMode: 'Filesystem',
        claimRef: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace: 'ml', name: 'runs' }, ...source,
      },
    });
    expect(claim.spec).toEqual({ accessModes: volume.spec.accessModes, storageClassName: '', volumeName: 'ml-runs', resources: { requests: volume.spec.capacity } });
  });

  test('a bucket with every option', () => {
    const backend = RwxBackend.gcsFuse('checkpoints', {
      folder: 'vision', uniformBucketAccess: true, cache: { size: Size.gibibytes(100), volumeSize: Size.gibibytes(120), inMemory: true, rangeReads: true }, bufferSize: Size.gibibytes(20),
      sidecar: { cpu: kplus.Cpu.units(2), memory: Size.gibibytes(150), ephemeralStorage: Size.gibibytes(0) }, mountOptions: ['metadata-cache:ttl-secs:-1', 'file-mode=600'], attributes: { gcsfuseLoggingSeverity: 'warning' },
      profile: 'gcsfusecsi-checkpointing',
    });
    const manifests = render({ backend, user: 1000, group: 2000, mountOptions: ['debug_fuse'] }, (store) => {
      expect(store.podAnnotations).toEqual({ 'gke-gcsfuse/volumes': 'true', 'gke-gcsfuse/cpu-limit': '2', 'gke-gcsfuse/memory-limit': '150Gi', 'gke-gcsfuse/ephemeral-storage-limit': '0' });
      expect(store.forPods().podSpec).toEqual({ volumes: [{ name: 'gke-gcsfuse-cache', emptyDir: { medium: 'Memory', sizeLimit: '120Gi' } }, { name: 'gke-gcsfuse-buffer', emptyDir: { sizeLimit: '20Gi' } }] });
    });
    expect(manifests[0].spec).toMatchObject({
      storageClassName: 'gcsfusecsi-checkpointing',
      mountOptions: ['implicit-dirs', 'only-dir=vision', 'rename-dir-limit=200000', 'uid=1000', 'gid=2000', 'dir-mode=775', 'metadata-cache:ttl-secs:-1', 'file-mode=600', 'debug_fuse'],
      csi: { volumeAttributes: { fileCacheCapacity: '100Gi', fileCacheForRangeRead: 'true', gcsfuseLoggingSeverity: 'warning' } },
    });
    expect(manifests[1].spec).toMatchObject({ storageClassName: 'gcsfusecsi-checkpointing' });
  });

  test('a cache on disk has a volume with room to spare, and a sidecar without a limit', () => {
    render({ backend: RwxBackend.gcsFuse('checkpoints', { cache: { size: Size.gibibytes(100) } }) }, (store) => {
      expect(store.podAnnotations).toEqual({ 'gke-gcsfuse/volumes': 'true', 'gke-gcsfuse/ephemeral-storage-limit': '0' });
      expect(store.forPods().podSpec).toEqual({ volumes: [{ name: 'gke-gcsfuse-cache', emptyDir: { sizeLimit: '111Gi' } }] });
    });
  });

  test('an existing claim, of which nothing is made', () => {
    expect(render({ backend: RwxBackend.claim({ name: 'old' } as kplus.IPersistentVolumeClaim) }, (store) => expect(store.name).toBe('old'))).toEqual([]);
  });

  test('a chart without a namespace leaves the claim of a volume open', () => {
    const chart = Testing.chart();
    new RwxCheckpointStore(chart, 'Store', { metadata: { name: 'runs' }, backend: RwxBackend.nfs('nfs.example', '/runs') });
    expect(Testing.synth(chart)).toMatchObject([{ metadata: { name: 'runs' } }, { metadata: { name: 'runs' } }]);
    expect(Testing.synth(chart)[0].spec).not.toHaveProperty('claimRef');
  });
});

test('tiers are a configuration of the cluster', () => {
  const backend = RwxBackend.multiTier('checkpoints', { ramDisk: Size.gibibytes(200), machineType: 'a3-highgpu-8g' });
  expect(render({ backend }, (store) => expect(store.claim).toBeUndefined()).map(plain)).toEqual([{
    apiVersion: 'checkpointing.gke.io/v1', kind: 'CheckpointConfiguration', metadata: { name: 'ml-runs' },
    spec: {
      cloudStorageBucketName: 'checkpoints', inMemoryVolumeSize: '200Gi', nodeSelector: { 'node.kubernetes.io/instance-type': 'a3-highgpu-8g' },
      tolerations: [{ key: 'nvidia.com/gpu', operator: 'Exists', effect: 'NoSchedule' }, { key: 'google.com/tpu', operator: 'Exists', effect: 'NoSchedule' }],
    },
  }]);
  const all = RwxBackend.multiTier('checkpoints', {
    ramDisk: Size.mebibytes(1536), nodeSelector: { pool: 'a' }, tolerations: [{ key: 'pool', value: 'a' }], mountOptions: ['implicit-dirs'], sidecarDisk: Size.gibibytes(5), hierarchicalNamespace: true,
    autopilot: false, gkeVersion: '1.33.1-gke.1',
  });
  expect(render({ backend: all })[0].spec).toEqual({
    cloudStorageBucketName: 'checkpoints', inMemoryVolumeSize: '1536Mi', nodeSelector: { pool: 'a' }, tolerations: [{ key: 'pool', operator: 'Equal', value: 'a' }],
    gcsFuseMountOptions: ['implicit-dirs'], csiEphemeralLimit: '5Gi',
  });
});

describe('the cleanup', () => {
  const backend = RwxBackend.nfs('nfs.example', '/runs');

  test('is a CronJob of a pod that may do nothing but delete', () => {
    const manifests = render({ backend, user: 1000, retention: { keepLast: 3 } }, (store) => expect(store.cleanupName).toBe('runs-cleanup'));
    // The program has tests of its own.
    expect(manifests.map(({ data: _program, ...rest }) => rest)).toMatchSnapshot();
  });

  test('with every option', () => {
    const manifests = render({
      backend, user: 1000, group: 2000,
      retention: {
        keepLast: 3, maxAge: Duration.days(7), schedule: '@daily', timeZone: 'Europe/Berlin', pattern: 'run-(?P<step>[0-9]+)', settle: Duration.minutes(30), inRoot: true, dryRun: true,
        image: 'registry.example/python:3', serviceAccount: kplus.ServiceAccount.fromServiceAccountName(Testing.chart(), 'Account', 'cleaner'), deadline: Duration.hours(1),
      },
    });
    const { schedule, timeZone, jobTemplate } = one(manifests, 'CronJob').spec as { schedule: string; timeZone: string; jobTemplate: { spec: { activeDeadlineSeconds: number; template: { spec: { serviceAccountName: string; securityContext: object; containers: { image: string; env: object[] }[] } } } } };
    const { containers: [container], serviceAccountName, securityContext } = jobTemplate.spec.template.spec;
    expect([schedule, timeZone, jobTemplate.spec.activeDeadlineSeconds, serviceAccountName, container.image]).toEqual(['@daily', 'Europe/Berlin', 3600, 'cleaner', 'registry.example/python:3']);
    expect(securityContext).toMatchObject({ runAsUser: 1000, runAsGroup: 2000, runAsNonRoot: true });
    expect(container.env).toEqual([
      { name: 'CLEANUP_ROOT', value: '/store' }, { name: 'CLEANUP_KEEP_LAST', value: '3' }, { name: 'CLEANUP_MAX_AGE_SECONDS', value: '604800' }, { name: 'CLEANUP_SETTLE_SECONDS', value: '1800' },
      { name: 'CLEANUP_PATTERN', value: 'run-(?P<step>[0-9]+)' }, { name: 'CLEANUP_IN_ROOT', value: 'true' }, { name: 'CLEANUP_DRY_RUN', value: 'true' },
    ]);
  });

  test('can be added, once', () => {
    const added = render({ backend, user: 1000 }, (store) => {
      store.addRetention({ keepLast: 3 });
      expect(() => store.addRetention({ keepLast: 3 })).toThrow('has a retention');
    });
    expect(added).toEqual(render({ backend, user: 1000, retention: { keepLast: 3 } }));
  });

  test('of a bucket has the annotations of pods with one, and a group that may write', () => {
    const manifests = render({ backend: RwxBackend.gcsFuse('checkpoints', { inline: true, hierarchicalNamespace: true }), retention: { keepLast: 3 } });
    expect(kinds(manifests)).toEqual(['ConfigMap', 'CronJob']);
    expect(one(manifests, 'CronJob').spec).toMatchObject({
      jobTemplate: { spec: { template: {
        metadata: { annotations: { 'gke-gcsfuse/volumes': 'true' } },
        spec: { securityContext: { runAsUser: 65534, fsGroup: 65534 }, volumes: [{ name: 'store', csi: { driver: 'gcsfuse.csi.storage.gke.io', volumeAttributes: { bucketName: 'checkpoints', mountOptions: 'implicit-dirs' } } }, { name: 'program' }] },
      } } },
    });
  });

  test('has a name that a CronJob can have, however the store is called', () => {
    const manifests = render({ metadata: { name: `${'x'.repeat(43)}-${'y'.repeat(60)}` }, backend, user: 1, retention: { keepLast: 1 } });
    expect(one(manifests, 'CronJob').metadata.name).toBe(`${'x'.repeat(43)}-cleanup`);
  });
});

test('what is wrong is reported at synth, with its source, and what may be is a warning', () => {
  const app = new App();
  const chart = new Chart(app, 'chart', { namespace: 'ml' });
  const store = new RwxCheckpointStore(chart, 'Store', {
    metadata: { name: 'runs' }, backend: RwxBackend.filestore({ tier: FilestoreTier.ZONAL }), size: Size.gibibytes(512), retention: { keepLast: 0 },
  });
  expect(errorsOf(app).filter((line) => line.startsWith('['))).toEqual([
    expect.stringMatching(/^\[chart\/Store\] RwxCheckpointStore 'runs': backend\.sizeGiB: 512: is less than the smallest instance of zonal: 1024 GiB.*\(https:\/\/github\.com\/kubernetes-sigs\/gcp-filestore-csi-driver\/issues\/1119\)$/),
    expect.stringContaining('retention.keepLast: 0: must be a whole number, 1 or more'),
  ]);
  expect(store.warnings).toEqual([expect.stringContaining('user: is not set')]);
});
