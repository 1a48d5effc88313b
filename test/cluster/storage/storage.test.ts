/**
 * Stores of every backend, with their cleanups and the jobs that use them, accepted by the real API server, strictly and without a warning. The
 * cleanup's pod is let in by a namespace of the restricted Pod Security Standard.
 */
import { Chart, Duration, Size, Testing } from 'cdk8s';
import * as kplus from 'cdk8s-plus-28';
import {
  Engine, FilestoreTier, Framework, RwxBackend, RwxCheckpointStore, TrainingJob, type RwxCheckpointStoreProps,
} from '../../../src';
import { mustRequest, type TestObject } from '../support/cluster';
import { createNamespace, deleteNamespace } from '../support/namespace';
import { judge, objectionsTo } from '../support/submit';

const COLLECTIONS: { readonly [kind: string]: string } = {
  StorageClass: '/apis/storage.k8s.io/v1/storageclasses',
  PersistentVolume: '/api/v1/persistentvolumes',
  PersistentVolumeClaim: '/api/v1/namespaces/NAMESPACE/persistentvolumeclaims',
  ConfigMap: '/api/v1/namespaces/NAMESPACE/configmaps',
  CronJob: '/apis/batch/v1/namespaces/NAMESPACE/cronjobs',
  Job: '/apis/batch/v1/namespaces/NAMESPACE/jobs',
  Service: '/api/v1/namespaces/NAMESPACE/services',
};

let namespace: string;
beforeAll(async () => {
  namespace = await createNamespace('storage');
});
afterAll(async () => deleteNamespace(namespace));

const SECRET = { name: 'ceph', namespace: 'storage' };
const SHARE = { resourceGroup: 'r', storageAccount: 'a', shareName: 's' };

const STORES: readonly (readonly [string, RwxCheckpointStoreProps])[] = [
  ...Object.values(FilestoreTier).map((tier) => [`Filestore ${tier}`, { backend: RwxBackend.filestore({ tier }) }] as const),
  ['Filestore with everything', {
    backend: RwxBackend.filestore({ tier: FilestoreTier.ZONAL, network: 'ml', privateServiceAccess: true, nfsV41: true, reservedIpRange: 'r', kmsKey: 'k', labels: { a: 'b' } }),
    size: Size.tebibytes(2), zones: ['us-central1-a'], mountOptions: ['nconnect=7'], deleteWithClaim: true, pricePerGibibyteMonth: 1,
  }],
  ['a share of Filestore', { backend: RwxBackend.filestore({ tier: FilestoreTier.ENTERPRISE, maxShareSize: Size.gibibytes(128) }), size: Size.gibibytes(100) }],
  ['Filestore that is there', { backend: RwxBackend.filestore({ instance: { location: 'z', name: 'i', share: 's', ip: '10.0.0.2' } }) }],
  ['a bucket', { backend: RwxBackend.gcsFuse('checkpoints', { cache: { size: Size.gibibytes(10), inMemory: true }, attributes: { gcsfuseLoggingSeverity: 'warning' } }), user: 1000 }],
  ['a bucket with a profile', { backend: RwxBackend.gcsFuse('checkpoints', { profile: 'gcsfusecsi-checkpointing' }) }],
  ['Lustre', { backend: RwxBackend.lustre({ throughputPerTebibyte: 125 }), zones: ['us-central1-a'] }],
  ['Lustre that is there', { backend: RwxBackend.lustre({ instance: { project: 'p', location: 'z', name: 'n', ip: '10.0.0.3', gkeSupportEnabled: true }, filesystem: 'fs' }) }],
  ['Hyperdisk ML of a snapshot', { backend: RwxBackend.hyperdiskMl({ snapshot: 'weights', throughputMebibytes: 2400 }), size: Size.gibibytes(300), zones: ['us-central1-a', 'us-central1-b'] }],
  ['Hyperdisk ML that is there', { backend: RwxBackend.hyperdiskMl({ disk: 'projects/p/zones/z/disks/d' }), size: Size.gibibytes(300) }],
  ['NFS', { backend: RwxBackend.nfs('nfs.example', '/runs') }],
  ['NFS that is only read', { backend: RwxBackend.nfs('nfs.example', '/runs'), accessMode: kplus.PersistentVolumeAccessMode.READ_ONLY_MANY }],
  ['a folder of NFS', { backend: RwxBackend.nfs('nfs.example', '/runs', { folderPerClaim: true }) }],
  ['CephFS', { backend: RwxBackend.cephFs({ clusterId: 'c', fsName: 'f', nodeSecret: SECRET, provisionerSecret: SECRET }), size: Size.mebibytes(1536) }],
  ['CephFS that is there', { backend: RwxBackend.cephFs({ clusterId: 'c', fsName: 'f', nodeSecret: SECRET, rootPath: '/runs' }), size: Size.gibibytes(10) }],
  ['EFS', { backend: RwxBackend.efs('fs-0123456789abcdef0') }],
  ['an access point of EFS', { backend: RwxBackend.efs('fs-0123456789abcdef0', { accessPointPerClaim: true, basePath: '/runs' }) }],
  ['Azure Files', { backend: RwxBackend.azureFiles(), size: Size.gibibytes(100) }],
  ['Azure Files that is there', { backend: RwxBackend.azureFiles({ smb: true, share: { ...SHARE, secret: SECRET } }), size: Size.gibibytes(100) }],
];

function synthesize(program: (chart: Chart) => void): TestObject[] {
  const chart = new Chart(Testing.app(), 'stores', { namespace });
  program(chart);
  return Testing.synth(chart) as TestObject[];
}

const objections = (objects: readonly TestObject[]) => objectionsTo(objects, ({ kind }) => COLLECTIONS[kind!].replace('NAMESPACE', namespace));

describe('the API server accepts', () => {
  test.each(STORES)('a store on %s', async (_title, props) => {
    const objects = synthesize((chart) => {
      const store = new RwxCheckpointStore(chart, 'Store', { metadata: { name: 'runs', labels: { team: 'a' } }, ...props });
      if (store.accessMode !== kplus.PersistentVolumeAccessMode.READ_ONLY_MANY) {
        store.addRetention({ keepLast: 3, maxAge: Duration.days(7), timeZone: 'Etc/UTC' });
      }
    });
    expect(objects.length).toBeGreaterThan(0);
    expect(await objections(objects)).toEqual([]);
  });

  test.each([true, false])('a plain Job with a bucket (in the pods themselves: %s)', async (inline) => {
    const objects = synthesize((chart) => {
      const backend = RwxBackend.gcsFuse('checkpoints', { inline, hierarchicalNamespace: true, cache: { size: Size.gibibytes(10) }, bufferSize: Size.gibibytes(5) });
      const store = new RwxCheckpointStore(chart, 'Store', { metadata: { name: 'runs' }, backend });
      new TrainingJob(chart, 'Train', { metadata: { name: 'train' }, framework: Framework.jax(), image: 'i', replicas: 2, command: ['python', 'train.py'], engine: Engine.job(), checkpoint: store.forJob() });
    });
    expect(objects.map(({ kind }) => kind)).toContain('Job');
    expect(await objections(objects)).toEqual([]);
  });
});

test('a claim and its volume find each other, and a class that is there is not made anew', async () => {
  const [volume, claim] = synthesize((chart) => void new RwxCheckpointStore(chart, 'Store', { metadata: { name: 'bound' }, backend: RwxBackend.nfs('nfs.example', '/runs') }));
  const created = await mustRequest('POST', COLLECTIONS.PersistentVolume, volume);
  try {
    const { body } = await mustRequest<TestObject & { readonly spec: object }>('POST', COLLECTIONS.PersistentVolumeClaim.replace('NAMESPACE', namespace), claim);
    expect(body.spec).toMatchObject({ volumeName: created.body.metadata.name, storageClassName: '' });
  } finally {
    await mustRequest('DELETE', `${COLLECTIONS.PersistentVolume}/${volume.metadata.name}`);
  }
});

test('the cleanup\'s pod keeps the restricted Pod Security Standard', async () => {
  const restricted = await createNamespace('storage-restricted');
  try {
    const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' };
    await mustRequest('PATCH', `/api/v1/namespaces/${restricted}`, { metadata: { labels } }, 'application/merge-patch+json');
    const objects = synthesize((chart) => void new RwxCheckpointStore(chart, 'Store', { metadata: { name: 'runs' }, backend: RwxBackend.nfs('nfs.example', '/runs'), retention: { keepLast: 3 } }));
    const cronJob = objects.find(({ kind }) => kind === 'CronJob') as TestObject & { readonly spec: { readonly jobTemplate: { readonly spec: { readonly template: { readonly spec: object } } } } };
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'cleanup' }, spec: cronJob.spec.jobTemplate.spec.template.spec };
    const { status, message } = await judge(`/api/v1/namespaces/${restricted}/pods`, pod);
    expect([status, message]).toEqual([201, expect.anything()]);
  } finally {
    await deleteNamespace(restricted);
  }
});
