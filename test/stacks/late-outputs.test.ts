/** Outputs that resolve to something wrong: the program ends with the rule, and the resource is not registered. */
import { spawnSync } from 'node:child_process';
import path from 'node:path';

const ROOT = path.join(__dirname, '..', '..');

let results: { readonly [name: string]: { readonly error: string; readonly registered: string[] } };
beforeAll(() => {
  const program = path.join(__dirname, 'support', 'late-failures.ts');
  const { stdout, stderr } = spawnSync(process.execPath, [path.join(ROOT, 'node_modules', 'tsx', 'dist', 'cli.mjs'), program], { cwd: ROOT, encoding: 'utf8' });
  const line = stdout.split('\n').find((each) => each.startsWith('{'));
  if (line === undefined) {
    throw new Error(`the program printed no results: ${stdout}${stderr}`);
  }
  results = JSON.parse(line);
});

test.each<[string, string, string]>([
  ['a field of a cluster', 'location: "Europe": must be a region such as europe-west4 or a zone such as europe-west4-a.', 'gcp:container/cluster:Cluster'],
  ['two fields of a cluster', 'zones[0]: "europe-west1-b": is not in europe-west4, where the cluster is.', 'gcp:container/cluster:Cluster'],
  ['a field inside of another', 'systemPool.minPerZone: -1: must be a whole number, 0 or more.', 'gcp:container/nodePool:NodePool'],
  ['a machine type of a pool', 'n2-standard-8', 'gcp:container/nodePool:NodePool'],
  ['a topology of a workload policy', 'workloadPolicy.acceleratorTopology: "1x64": is not the topology of nvidia-gb200', 'gcp:compute/resourcePolicy:ResourcePolicy'],
  ['a name in a bucket', 'name: "Runs": must have 3 to 63 lower-case letters', 'gcp:storage/bucket:Bucket'],
  ['a member in a list', 'readers[0]: "nobody": must be an IAM', 'gcp:artifactregistry/repositoryIamMember:RepositoryIamMember'],
  ['a resource of a grant', 'grants[0].resource: "gs://runs"', 'gcp:storage/bucketIAMMember:BucketIAMMember'],
  ['a machine of a database', 'tier: "n1-standard-2": is not a Cloud SQL', 'gcp:sql/databaseInstance:DatabaseInstance'],
  ['cores of a machine', 'cpus: 4: is not what n2-highmem-8 has: 8.', 'gcp:alloydb/instance:Instance'],
  ['attempts of a subscription', 'subscriptions.jobs.deadLetters.maxAttempts: 3: is not from 5 to 100.', 'gcp:pubsub/subscriptionIAMMember:SubscriptionIAMMember'],
  ['an id of a dataset', 'dataset: "ml-runs"', 'gcp:bigquery/dataset:Dataset'],
  ['a size of a file share', 'capacityGiB: 100: is less than the smallest instance of zonal', 'gcp:filestore/instance:Instance'],
  ['a tier of a file share and its place', 'location: "europe-west4-a": must be a region', 'gcp:filestore/instance:Instance'],
  ['a region of a Redis', 'region: "europe-west4-a": must be a region', 'gcp:redis/instance:Instance'],
  ['memory of a Redis', 'memoryGiB: 0: must be a whole number from 1 to 300.', 'gcp:redis/instance:Instance'],
  ['a zone of networks', 'zone: "europe-west4": must be a zone', 'gcp:compute/subnetwork:Subnetwork'],
  ['a project of networks', 'project: "123456789": must be the id of a project', 'gcp:compute/network:Network'],
  ['a range of services', 'prefixLength: 28: is not from 8 to 24.', 'gcp:compute/globalAddress:GlobalAddress'],
  ['an address of services', 'address: "10.96.1.0": is not the first address of a /16.', 'gcp:servicenetworking/connection:Connection'],
  ['a place of a whole stack', 'location: "Europe": must be a region such as europe-west4', 'gcp:container/cluster:Cluster'],
  ['a share of a whole stack', 'capacityGiB: 100: is less than the smallest instance of zonal', 'gcp:filestore/instance:Instance'],
  ['an account of a whole stack', 'account: "default"', 'gcp:storage/bucketIAMMember:BucketIAMMember'],
  ['an instance of a platform', 'database.instance: "kfp": must be the connection name of an instance', 'kubernetes:apps/v1:Deployment'],
  ['a database of Kubeflow', 'tier: "n1-standard-2": is not a Cloud SQL', 'gcp:sql/databaseInstance:DatabaseInstance'],
])('%s', (name, message, type) => {
  const { error, registered } = results[name];
  expect(error).toMatch(/'x[a-z-]*' cannot be created:/);
  expect(error).toContain(message);
  expect(registered).not.toContain(type);
});
