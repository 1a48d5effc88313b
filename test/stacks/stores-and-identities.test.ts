/** Buckets, repositories of images, and what pods may do with them. */
import type * as pulumi from '@pulumi/pulumi';
import { Grant } from '../../src/constructs/gke';
import {
  ArtifactRegistry, CheckpointBucket, WorkloadIdentityBinding, type ArtifactRegistryArgs, type CheckpointBucketArgs, type GrantArgs,
  type WorkloadIdentityBindingArgs,
} from '../../src/stacks';
import { late, settled, startRecording, unknown, valueOf } from './support/mocks';

const BUCKET = 'gcp:storage/bucket:Bucket';
const REPOSITORY = 'gcp:artifactregistry/repository:Repository';
const BUCKET_MEMBER = 'gcp:storage/bucketIAMMember:BucketIAMMember';
const WRITER: GrantArgs = { kind: 'StorageBucket', resource: 'runs', role: 'roles/storage.objectUser' };
const TRAINER: WorkloadIdentityBindingArgs = { project: 'ml-test', namespace: 'ml', account: 'trainer', grants: [WRITER] };

afterEach(() => jest.restoreAllMocks());

describe('CheckpointBucket', () => {
  test('a bucket is private, has folders, and keeps no broken uploads', async () => {
    const recorder = await startRecording();
    const bucket = new CheckpointBucket('runs', { location: 'europe-west4' });
    await settled();
    expect(recorder.one(BUCKET).inputs).toMatchSnapshot();
    expect(await valueOf(bucket.url)).toBe('gs://runs-made');
  });

  test('all options arrive where they belong', async () => {
    const recorder = await startRecording();
    const bucket = new CheckpointBucket('runs', {
      name: 'ml-test-runs', project: 'ml-test', location: 'EU', hierarchicalNamespace: false, storageClass: 'NEARLINE', softDeleteDays: 7, versioning: true, forceDestroy: true,
      retention: [{ deleteAfterDays: 365 }, { prefix: 'tmp/', deleteAfterDays: 30 }], labels: { team: 'vision' },
      kmsKey: 'projects/ml-test/locations/eu/keyRings/ml/cryptoKeys/runs',
    });
    await settled();
    expect(recorder.one(BUCKET).inputs).toMatchSnapshot();
    expect(await valueOf(bucket.url)).toBe('gs://ml-test-runs');
  });

  test.each<[string, Partial<Record<keyof CheckpointBucketArgs, unknown>>, string]>([
    ['zone', { location: 'europe-west4-a' }, 'A bucket is not in a zone.'],
    ['name', { name: 'Runs' }, 'name: "Runs": must have 3 to 63 lower-case letters'],
    ['name of Google', { name: 'my-google-runs' }, 'not contain google'],
    ['class', { storageClass: 'COLDLIN' }, "Did you mean 'COLDLINE'?"],
    ['prefix', { retention: [{ prefix: '/tmp', deleteAfterDays: 3 }] }, 'retention[0].prefix: "/tmp": must begin with the first folder'],
    ['age', { retention: [{ prefix: 'tmp/', deleteAfterDays: 0 }] }, 'retention[0].deleteAfterDays: 0: must be a whole number, 1 or more.'],
    ['soft delete', { softDeleteDays: 3 }, 'softDeleteDays: 3: is less than the minimum of 7 days. Use 0 for none.'],
    ['versions and folders', { versioning: true }, 'versioning: true: cannot be combined with a hierarchical namespace.'],
  ])('a wrong %s is refused', async (_what, args, message) => {
    const recorder = await startRecording();
    expect(() => new CheckpointBucket('runs', { location: 'europe-west4', ...args } as CheckpointBucketArgs)).toThrow(message);
    expect(recorder.resources).toEqual([]);
  });

  test('an unknown name leaves the rest of the bucket known in a preview', async () => {
    const recorder = await startRecording({ preview: true });
    new CheckpointBucket('runs', { name: unknown(), location: 'europe-west4' });
    await settled();
    expect(recorder.one(BUCKET).inputs).toMatchObject({ location: 'europe-west4', publicAccessPrevention: 'enforced' });
  });
});

describe('ArtifactRegistry', () => {
  test('a repository is cleaned up, and named by its url', async () => {
    const recorder = await startRecording();
    const registry = new ArtifactRegistry('images', { project: 'ml-test', location: 'europe-west4', readers: [late('serviceAccount:nodes@ml-test.iam.gserviceaccount.com')], writers: ['group:ml@example.com'] });
    await settled();
    expect(recorder.one(REPOSITORY).inputs).toMatchSnapshot();
    expect(recorder.of('gcp:artifactregistry/repositoryIamMember:RepositoryIamMember').map(({ inputs }) => [inputs.role, inputs.member])).toEqual([
      ['roles/artifactregistry.reader', 'serviceAccount:nodes@ml-test.iam.gserviceaccount.com'],
      ['roles/artifactregistry.writer', 'group:ml@example.com'],
    ]);
    expect(await valueOf(registry.url)).toBe('europe-west4-docker.pkg.dev/ml-test/images');
  });

  test('a mirror keeps what was pulled from Docker Hub', async () => {
    const recorder = await startRecording();
    new ArtifactRegistry('hub', { project: 'ml-test', location: 'europe-west4', mirrorOf: 'DOCKER_HUB' });
    await settled();
    expect(recorder.one(REPOSITORY).inputs).toMatchObject({ mode: 'REMOTE_REPOSITORY', remoteRepositoryConfig: { dockerRepository: { publicRepository: 'DOCKER_HUB' } } });
  });

  test.each<[string, Partial<Record<keyof ArtifactRegistryArgs, unknown>>, string]>([
    ['zone', { location: 'europe-west4-a' }, 'location: "europe-west4-a": must be a region'],
    ['name', { repository: 'My_Images' }, 'must have 1 to 63 lower-case letters'],
    ['member', { readers: ['nodes@ml-test.iam.gserviceaccount.com'] }, 'readers[0]: "nodes@ml-test.iam.gserviceaccount.com": must be an IAM'],
    ['writer of a mirror', { mirrorOf: 'DOCKER_HUB', writers: ['user:a@example.com'] }, 'have nothing to write'],
    ['tags of a mirror', { mirrorOf: 'DOCKER_HUB', immutableTags: true }, 'is for your own images'],
    ['project', { project: undefined }, 'project: is not known.'],
  ])('a wrong %s is refused', (_what, args, message) => {
    expect(() => new ArtifactRegistry('images', { project: 'ml-test', location: 'europe-west4', ...args } as ArtifactRegistryArgs)).toThrow(message);
  });
});

describe('WorkloadIdentityBinding', () => {
  test('the account of the pods is itself granted the roles, under the number of the project', async () => {
    const recorder = await startRecording();
    const binding = new WorkloadIdentityBinding('trainer', TRAINER);
    await settled();
    const member = 'principal://iam.googleapis.com/projects/123456789012/locations/global/workloadIdentityPools/ml-test.svc.id.goog/subject/ns/ml/sa/trainer';
    expect(recorder.one(BUCKET_MEMBER).inputs).toEqual({ bucket: 'runs', role: 'roles/storage.objectUser', member });
    expect(await valueOf(binding.annotations)).toEqual({});
  });

  test('with a Google account, that account is granted the roles, and lets the pods act as itself', async () => {
    const recorder = await startRecording();
    const email = 'trainer@ml-test.iam.gserviceaccount.com';
    const binding = new WorkloadIdentityBinding('trainer', { ...TRAINER, googleServiceAccount: email });
    await settled();
    expect(recorder.one(BUCKET_MEMBER).inputs.member).toBe(`serviceAccount:${email}`);
    expect(recorder.one('gcp:serviceaccount/iAMMember:IAMMember').inputs).toEqual({
      serviceAccountId: `projects/ml-test/serviceAccounts/${email}`, role: 'roles/iam.workloadIdentityUser', member: 'serviceAccount:ml-test.svc.id.goog[ml/trainer]',
    });
    expect(await valueOf(binding.annotations)).toEqual({ 'iam.gke.io/gcp-service-account': email });
  });

  test('each kind of resource has its own grant', async () => {
    const recorder = await startRecording();
    const grants: GrantArgs[] = [
      { kind: 'Project', resource: 'projects/ml-test', role: 'roles/cloudsql.client' },
      { kind: 'PubSubTopic', resource: 'projects/ml-test/topics/done', role: 'roles/pubsub.publisher' },
      { kind: 'PubSubSubscription', resource: 'projects/ml-test/subscriptions/todo', role: 'roles/pubsub.subscriber' },
      { kind: 'ArtifactRegistryRepository', resource: 'projects/ml-test/locations/europe-west4/repositories/images', role: 'roles/artifactregistry.reader' },
      { kind: 'SecretManagerSecret', resource: 'projects/ml-test/secrets/token', role: 'roles/secretmanager.secretAccessor' },
      { kind: 'BigQueryTable', resource: 'projects/ml-test/datasets/runs/tables/metrics', role: 'roles/bigquery.dataEditor' },
    ];
    new WorkloadIdentityBinding('trainer', { ...TRAINER, grants });
    await settled();
    const made = recorder.sorted().map(({ type, inputs: { member: _, ...inputs } }) => ({ type, ...inputs })).filter(({ type }) => type.startsWith('gcp:'));
    expect(made).toMatchSnapshot();
    expect(made).toHaveLength(grants.length);
  });

  test('grants of constructs are the same roles, each with its condition, beside roles with outputs', async () => {
    const recorder = await startRecording();
    new WorkloadIdentityBinding('trainer', {
      ...TRAINER,
      grants: [
        Grant.datasetWriter('ml-test', 'metrics'), { ...WRITER, resource: late('runs') }, Grant.bucketReader('data'), Grant.alloyDbClient('ml-test'),
        Grant.publisher('ml-test', 'done'), Grant.secretReader('ml-test', 'token'), Grant.imageReader('ml-test', 'europe-west4', 'images'),
      ],
    });
    await settled();
    const made = recorder.sorted().filter(({ type }) => type.startsWith('gcp:'))
      .map(({ type, name, inputs: { member: _, ...inputs } }) => [name, type.split(':').at(-1), inputs]);
    const dataset = 'projects/ml-test/datasets/metrics';
    const project = 'ml-test';
    expect(new Set(made)).toEqual(new Set([
      ['trainer-0', 'IAMMember', {
        project, role: 'roles/bigquery.dataEditor', condition: { title: 'dataset metrics', expression: `resource.name == "${dataset}" || resource.name.startsWith("${dataset}/")` },
      }],
      ['trainer-1', 'BucketIAMMember', { bucket: 'runs', role: 'roles/storage.objectUser' }],
      ['trainer-2', 'BucketIAMMember', { bucket: 'data', role: 'roles/storage.objectViewer' }],
      ['trainer-3', 'IAMMember', { project, role: 'roles/alloydb.client' }],
      ['trainer-4', 'IAMMember', { project, role: 'roles/serviceusage.serviceUsageConsumer' }],
      ['trainer-5', 'TopicIAMMember', { project, topic: 'done', role: 'roles/pubsub.publisher' }],
      ['trainer-6', 'SecretIamMember', { project, secretId: 'token', role: 'roles/secretmanager.secretAccessor' }],
      ['trainer-7', 'RepositoryIamMember', { project, location: 'europe-west4', repository: 'images', role: 'roles/artifactregistry.reader' }],
    ]));
  });

  test('a grant of constructs that is too broad is refused by its place, however many roles those before it have', async () => {
    const recorder = await startRecording();
    const grants = [Grant.alloyDbClient('ml-test'), Grant.onBucket('roles/storage.admin', 'runs')];
    expect(() => new WorkloadIdentityBinding('trainer', { ...TRAINER, grants })).toThrow('grants[1].role: "roles/storage.admin"');
    await settled();
    expect(recorder.resources).toEqual([]);
  });

  test.each<[string, Partial<Record<keyof WorkloadIdentityBindingArgs, unknown>>, string]>([
    ['number where the id belongs', { project: '123456789' }, 'project: "123456789": is a number'],
    ['id where the number belongs', { projectNumber: 'ml-test' }, 'projectNumber: "ml-test"'],
    ['account of every pod', { account: 'default' }, 'account: "default"'],
    ['default account of Google', { googleServiceAccount: '123-compute@developer.gserviceaccount.com' }, 'googleServiceAccount'],
    ['basic role', { grants: [{ kind: 'Project', resource: 'projects/ml-test', role: 'roles/editor' }] }, 'grants[0].role: "roles/editor"'],
    ['role of an administrator', { grants: [WRITER, { ...WRITER, role: 'roles/storage.admin' }] }, 'grants[1].role: "roles/storage.admin"'],
    ['form of a bucket', { grants: [{ ...WRITER, resource: 'gs://runs' }] }, 'grants[0].resource: "gs://runs"'],
    ['kind', { grants: [{ ...WRITER, kind: 'Bucket' }] }, 'grants[0].kind: "Bucket": must be one of'],
    ['role on an output', { grants: [{ ...WRITER, resource: late('runs'), role: 'roles/storage.admin' }] }, 'roles/storage.admin'],
  ])('a %s is refused before anything is registered', async (_what, args, message) => {
    const recorder = await startRecording();
    expect(() => new WorkloadIdentityBinding('trainer', { ...TRAINER, ...args } as WorkloadIdentityBindingArgs)).toThrow(message);
    await settled();
    expect(recorder.resources).toEqual([]);
  });

  test('a bucket of the same program is granted when it is made', async () => {
    const recorder = await startRecording();
    const bucket = new CheckpointBucket('runs', { location: 'europe-west4' });
    const name: pulumi.Input<string> = bucket.name;
    new WorkloadIdentityBinding('trainer', { ...TRAINER, projectNumber: late('123456789012'), grants: [{ ...WRITER, resource: name }] });
    await settled();
    expect(recorder.one(BUCKET_MEMBER).inputs.bucket).toBe('runs-made');
  });
});
