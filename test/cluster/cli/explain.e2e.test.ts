/** `trainyard explain JOB` against a real API server: what it reads, what it makes of it, and what happens where it may not read. */
import fs from 'node:fs';
import path from 'node:path';
import { constructTrainingJobCrd } from '../../../src/manifests/mltrainingjob-crd';
import { trainyard, type Finished } from '../../cli/support/command';
import { temporaryFolder } from '../../local/support/temporary-folder';
import { upstreamCrds } from '../../support/upstream-definitions';
import { clusterAccess, clusterKubeconfig, eventually, mustRequest, type TestObject } from '../support/cluster';
import { installCrds } from '../support/crds';
import { createNamespace, deleteNamespace } from '../support/namespace';
import { NOBODY, jobManifest, jobsPath } from '../support/submit';

const folder = temporaryFolder();
const MERGE = 'application/merge-patch+json';

let namespace: string;
/** A job that no operator has come to. */
let old: TestObject;

beforeAll(async () => {
  await installCrds([constructTrainingJobCrd()]);
  namespace = await createNamespace('explain');
  old = await createJob('train');
});

afterAll(async () => deleteNamespace(old.metadata.namespace!));

beforeEach(async () => {
  namespace = await createNamespace('explain');
});

afterEach(async () => deleteNamespace(namespace));

const explain = async (...args: string[]): Promise<Finished> => trainyard(['explain', '-n', namespace, '--kubeconfig', clusterKubeconfig(), ...args]);
const now = () => new Date().toISOString().replace(/\.\d+Z/, 'Z');

/** A job that no operator of another test takes, and the status that one of ours would have written. */
async function createJob(name: string, spec: object = {}, status?: object): Promise<TestObject> {
  const manifest = jobManifest(name, { framework: 'jax', image: 'image', replicas: 2, ...spec });
  const { body } = await mustRequest('POST', jobsPath(namespace), manifest);
  if (status !== undefined) {
    await mustRequest('PATCH', `${jobsPath(namespace)}/${name}/status`, { status: { observedGeneration: 1, ...status } }, MERGE);
  }
  return body;
}

async function createPod(owner: TestObject, name: string, status: object, labels: object = { job: owner.metadata.name }): Promise<void> {
  const pods = `/api/v1/namespaces/${namespace}/pods`;
  const reference = { apiVersion: owner.apiVersion, kind: owner.kind, name: owner.metadata.name, uid: owner.metadata.uid, controller: true };
  const spec = { containers: [{ name: 'training', image: 'registry.example/train:1' }], nodeName: (status as { node?: string }).node };
  await mustRequest('POST', pods, { apiVersion: 'v1', kind: 'Pod', metadata: { name, labels, ownerReferences: [reference] }, spec });
  await mustRequest('PATCH', `${pods}/${name}/status`, { status }, MERGE);
}

const seen = { phase: 'Pending', ready: '0/2', conditions: [{ type: 'Created', status: 'True', reason: 'JobCreated', message: 'x', lastTransitionTime: now() }] };

test('pods that no node takes and an image that cannot be pulled', async () => {
  const job = await createJob('train', {}, seen);
  const unschedulable = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/4 nodes are available: 4 Insufficient nvidia.com/gpu.' };
  await createPod(job, 'train-worker-0', { conditions: [unschedulable] });
  await createPod(job, 'train-worker-1', {
    node: 'node-0', phase: 'Pending', containerStatuses: [{
      name: 'training', image: 'registry.example/train:1', imageID: '', ready: false, restartCount: 0, state: { waiting: { reason: 'ErrImagePull', message: 'manifest unknown' } },
    }],
  });
  // Has the label and another owner: one that exists, for otherwise the garbage collector takes it away.
  await createPod(await createJob('neighbour'), 'foreign', { conditions: [{ ...unschedulable, message: 'not this one' }] }, { job: 'train' });
  const { code, out } = await explain('train');
  expect(out).toMatch(new RegExp(`^MLTrainingJob ${namespace}/train: Pending for .*: 0/2 replicas are running`));
  expect(out).toContain('No node can run the pod train-worker-0. (Unschedulable)');
  expect(out).toContain('4 Insufficient nvidia.com/gpu');
  expect(out).toContain('The registry has no such image');
  expect(out).not.toContain('not this one');
  expect(code).toBe(1);
});

test('a job that nobody acts on, because another controller was asked to, and one that is suspended', async () => {
  await createJob('other', { managedBy: NOBODY });
  expect((await explain('mltj/other')).out).toContain(`managedBy is ${NOBODY}. (ManagedByOther)`);
  await createJob('asleep', { suspend: true }, { ...seen, phase: 'Suspended' });
  const { out } = await explain('asleep', '--output', 'json');
  expect(JSON.parse(out)).toMatchObject({ state: 'Suspended', causes: [{ id: 'Suspended', evidence: [expect.stringMatching(/^spec\.suspend was set by \S+ at 20/)] }] });
});

test('a job that has failed, one that runs, and one that has completed, by exit code', async () => {
  const lastFailure = { role: 'worker', index: 1, rank: 1, pod: 'p', container: 'training', exitCode: 137, signal: 'SIGKILL', reason: 'OOMKilled', attempt: 0, time: now(), logTail: 'epoch 3' };
  const failed = { type: 'Failed', status: 'True', reason: 'BackoffLimitExceeded', message: 'worker 1 failed', lastTransitionTime: now() };
  await createJob('bad', {}, { phase: 'Failed', conditions: [failed], lastFailure });
  const bad = await explain('bad');
  expect(bad.out).toContain('| epoch 3');
  expect(bad.out).toContain('raise spec.resources.memory');
  await createJob('good', {}, { phase: 'Completed' });
  await createJob('busy', {}, { phase: 'Running', ready: '2/2' });
  expect([bad.code, (await explain('good')).code, (await explain('busy')).code]).toEqual([1, 0, 0]);
});

test('a Job of Kubernetes, whose controller does not run here, and whose quota is used up', async () => {
  const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'image' }] } };
  const { body: job } = await mustRequest('POST', `/apis/batch/v1/namespaces/${namespace}/jobs`, { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'plain' }, spec: { template } });
  await mustRequest('POST', `/api/v1/namespaces/${namespace}/events`, {
    apiVersion: 'v1', kind: 'Event', metadata: { name: 'plain.1' }, type: 'Warning', reason: 'FailedCreate', lastTimestamp: now(),
    message: 'Error creating: pods "plain-x" is forbidden: exceeded quota: compute, requested: pods=1, used: pods=5, limited: pods=5',
    involvedObject: { apiVersion: 'batch/v1', kind: 'Job', name: 'plain', namespace, uid: job.metadata.uid },
  });
  const { out } = await explain('job/plain');
  expect(out).toContain('The ResourceQuota compute of the namespace is used up. (QuotaExceeded)');
  expect(out).toContain('Requested pods=1; pods=5 are in use, of pods=5.');
});

test('a name that no job has is told with what there is', async () => {
  await createJob('digits');
  const { code, err } = await explain('digts');
  expect(err).toContain(`There is no job 'digts' in the namespace ${namespace}. It has digits. Did you mean 'digits'?`);
  expect(code).toBe(2);
  expect((await explain('pytorchjb/x')).err).toContain("no job kind pytorchjb. Did you mean 'pytorchjob'?");
});

test('a cluster that does not answer is told', async () => {
  const config = JSON.parse(fs.readFileSync(clusterKubeconfig(), 'utf8'));
  config.clusters[0].cluster.server = 'https://127.0.0.1:1';
  const file = path.join(folder, 'away');
  fs.writeFileSync(file, JSON.stringify(config));
  const { code, err } = await trainyard(['explain', 'mltj/x', '--kubeconfig', file]);
  expect(err).toMatch(/^trainyard: The cluster at https:\/\/127\.0\.0\.1:1\/ \(.*\) does not answer: .*ECONNREFUSED/);
  expect(code).toBe(2);
});

test('who may read only jobs and pods of the namespace is told what is missing', async () => {
  const job = await createJob('train', {}, seen);
  await createPod(job, 'train-worker-0', { conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/1 nodes are available: 1 Insufficient cpu.' }] });
  const rules = [{ apiGroups: ['ml.collabnix.io'], resources: ['*'], verbs: ['get', 'list'] }, { apiGroups: [''], resources: ['pods'], verbs: ['get', 'list'] }];
  const rbac = `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}`;
  await mustRequest('POST', `${rbac}/roles`, { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata: { name: 'reader' }, rules });
  await mustRequest('POST', `${rbac}/rolebindings`, {
    apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'RoleBinding', metadata: { name: 'reader' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'reader' }, subjects: [{ kind: 'ServiceAccount', name: 'default', namespace }],
  });
  const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} };
  const { body: { status: { token } } } = await mustRequest('POST', `/api/v1/namespaces/${namespace}/serviceaccounts/default/token`, request);
  const config = JSON.parse(fs.readFileSync(clusterKubeconfig(), 'utf8'));
  config.users[0].user = { token };
  const file = path.join(folder, 'reader');
  fs.writeFileSync(file, JSON.stringify(config));
  const out = await eventually('the rights to be in force', async () => {
    const finished = await trainyard(['explain', 'train', '-n', namespace, '--kubeconfig', file]);
    return finished.code === 1 && finished.out;
  });
  expect(out).toContain('1 Insufficient cpu');
  expect(out).toContain('note: You do not have permission to read nodes');
  expect(out).toContain('note: You do not have permission to read events');
});

describe('in a queue of Kueue', () => {
  const API = '/apis/kueue.x-k8s.io/v1beta2';

  beforeAll(async () => {
    await installCrds(upstreamCrds('kueue'));
  });

  test('the queue that is missing, the quota in numbers, and the check that is not through', async () => {
    const job = await createJob('train', { scheduling: { queueName: 'research' } }, { ...seen, queue: { name: 'research', admitted: false, position: 1 } });
    expect((await explain('train')).out).toContain(`There is no LocalQueue research in the namespace ${namespace}. (QueueNotFound)`);

    const name = `gpus-${namespace}`;
    const create = async (collection: string, body: object) => mustRequest('POST', `${API}/${collection}`, { apiVersion: 'kueue.x-k8s.io/v1beta2', ...body });
    const patch = async (object: string, status: object) => mustRequest('PATCH', `${API}/${object}/status`, { status }, MERGE);
    const flavors = [{ name: 'a100', resources: [{ name: 'nvidia.com/gpu', nominalQuota: '20' }] }];
    await create('clusterqueues', { kind: 'ClusterQueue', metadata: { name }, spec: { namespaceSelector: {}, resourceGroups: [{ coveredResources: ['nvidia.com/gpu'], flavors }] } });
    await patch(`clusterqueues/${name}`, { flavorsReservation: [{ name: 'a100', resources: [{ name: 'nvidia.com/gpu', total: '12', borrowed: '0' }] }] });
    await create(`namespaces/${namespace}/localqueues`, { kind: 'LocalQueue', metadata: { name: 'research' }, spec: { clusterQueue: name } });
    const container = { name: 'training', image: 'image', resources: { requests: { 'nvidia.com/gpu': '8' }, limits: { 'nvidia.com/gpu': '8' } } };
    const owner = { apiVersion: job.apiVersion, kind: job.kind, name: 'train', uid: job.metadata.uid, controller: true };
    await create(`namespaces/${namespace}/workloads`, {
      kind: 'Workload', metadata: { name: 'mltj-train', ownerReferences: [owner] },
      spec: { queueName: 'research', podSets: [{ name: 'worker', count: 2, template: { spec: { restartPolicy: 'Never', containers: [container] } } }] },
    });
    const condition = (type: string, status: string, message: string) => ({ type, status, reason: status === 'True' ? type : 'Pending', message, lastTransitionTime: now() });
    await patch(`namespaces/${namespace}/workloads/mltj-train`, { conditions: [condition('QuotaReserved', 'False', 'insufficient unused quota for nvidia.com/gpu in flavor a100, 8 more needed')] });
    const { out } = await explain('train');
    expect(out).toContain(`The job waits in the queue research for quota of ${name}. (QuotaInUse)`);
    expect(out).toContain('nvidia.com/gpu: the job requests 16; a100 has 20, of which 12 are in use.');
    expect(out).toContain('1 job is before it in the queue.');

    await patch(`namespaces/${namespace}/workloads/mltj-train`, {
      conditions: [condition('QuotaReserved', 'True', 'x')],
      admission: { clusterQueue: name, podSetAssignments: [{ name: 'worker', flavors: { 'nvidia.com/gpu': 'a100' }, count: 2 }] },
      admissionChecks: [{ name: 'dws', state: 'Pending', message: 'waiting for nodes', lastTransitionTime: now() }],
    });
    expect((await explain('train')).out).toContain('the check dws is pending: Pending. (AdmissionCheck)');
    await mustRequest('DELETE', `${API}/clusterqueues/${name}`);
  });
});

describe('what is no job', () => {
  const SERVING = '/apis/serving.kserve.io/v1beta1';
  const APPS = () => `/apis/apps/v1/namespaces/${namespace}`;
  const template = (name: string) => ({ metadata: { labels: { app: name } }, spec: { containers: [{ name: 'main', image: 'registry.example/x:1' }] } });
  const ownerOf = ({ apiVersion, kind, metadata }: TestObject) => ({ apiVersion, kind, name: metadata.name, uid: metadata.uid, controller: true });

  /** A Deployment and its ReplicaSet, as the controllers of Kubernetes, which do not run here, would have made it. */
  async function createDeployment(name: string, owner?: TestObject): Promise<{ readonly deployment: TestObject; readonly set: TestObject }> {
    const spec = { selector: { matchLabels: { app: name } }, template: template(name) };
    const { body: deployment } = await mustRequest<TestObject>('POST', `${APPS()}/deployments`, { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name, ...(owner && { ownerReferences: [ownerOf(owner)] }) }, spec });
    await mustRequest('PATCH', `${APPS()}/deployments/${name}/status`,
      { status: { conditions: [{ type: 'Available', status: 'False', reason: 'MinimumReplicasUnavailable', message: 'Deployment does not have minimum availability.', lastTransitionTime: now() }] } }, MERGE);
    const { body: set } = await mustRequest<TestObject>('POST', `${APPS()}/replicasets`, { apiVersion: 'apps/v1', kind: 'ReplicaSet', metadata: { name: `${name}-1`, ownerReferences: [ownerOf(deployment)] }, spec });
    return { deployment, set };
  }

  const refuse = async (set: TestObject, message: string) => mustRequest('POST', `/api/v1/namespaces/${namespace}/events`, {
    apiVersion: 'v1', kind: 'Event', metadata: { name: `${set.metadata.name}.1` }, type: 'Warning', reason: 'FailedCreate', lastTimestamp: now(), message,
    involvedObject: { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: set.metadata.name, namespace, uid: set.metadata.uid },
  });

  test('an InferenceService without a runtime, and one whose service account is missing', async () => {
    await installCrds(upstreamCrds('kserve'));
    const collection = `${SERVING}/namespaces/${namespace}/inferenceservices`;
    const create = async (name: string) => (await mustRequest<TestObject>('POST', collection, {
      apiVersion: 'serving.kserve.io/v1beta1', kind: 'InferenceService', metadata: { name }, spec: { predictor: { model: { modelFormat: { name: 'onnx' }, storageUri: 's3://models/x' } } },
    })).body;
    const conditions = ['PredictorReady', 'Ready'].map((type) => ({ type, status: 'False', reason: '', message: '', lastTransitionTime: now() }));
    await create('unknown');
    const message = 'No runtime found to support predictor with model type: {onnx <nil>}';
    await mustRequest('PATCH', `${collection}/unknown/status`, {
      status: { conditions, modelStatus: { transitionStatus: 'InvalidSpec', states: { activeModelState: '', targetModelState: 'FailedToLoad' }, lastFailureInfo: { reason: 'NoSupportingRuntime', message } } },
    }, MERGE);
    const unknown = await explain('isvc/unknown');
    expect(unknown.out).toContain('No serving runtime supports the format of the model. (NoSupportingRuntime)');
    expect(unknown.out).toContain(message);
    expect(unknown.code).toBe(1);

    const service = await create('lonely');
    await mustRequest('PATCH', `${collection}/lonely/status`, { status: { conditions, modelStatus: { transitionStatus: 'InProgress' } } }, MERGE);
    const { set } = await createDeployment('lonely-predictor', service);
    await refuse(set, `Error creating: pods "lonely-predictor-1-" is forbidden: error looking up service account ${namespace}/models: serviceaccount "models" not found`);
    expect((await explain('inferenceservice/lonely')).out).toContain('The service account of the pods does not exist. (ServiceAccountMissing)');
  });

  test('a Deployment of the platform whose pods are refused', async () => {
    const { set } = await createDeployment('trainyard-operator');
    await refuse(set, 'Error creating: pods "trainyard-operator-1-" is forbidden: exceeded quota: compute, requested: pods=1, used: pods=5, limited: pods=5');
    const { out, code } = await explain('deployment/trainyard-operator');
    expect(out).toContain(`Deployment ${namespace}/trainyard-operator: Waiting`);
    expect(out).toContain('The ResourceQuota compute of the namespace is used up. (QuotaExceeded)');
    expect(code).toBe(1);
    // Nobody means it by its name alone.
    expect((await explain('trainyard-operator')).err).toContain("There is no job 'trainyard-operator'");
  });

  test('a CronJob, as a recurring run of a pipeline is one, whose last Job has failed', async () => {
    const batch = `/apis/batch/v1/namespaces/${namespace}`;
    const spec = { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'run', image: 'registry.example/x:1' }] } } };
    const { body: cron } = await mustRequest<TestObject>('POST', `${batch}/cronjobs`, { apiVersion: 'batch/v1', kind: 'CronJob', metadata: { name: 'nightly' }, spec: { schedule: '0 2 * * *', jobTemplate: { spec } } });
    expect((await explain('cronjob/nightly')).out).toContain('The schedule has not started a run yet. (NoRun)');
    await mustRequest('POST', `${batch}/jobs`, { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'nightly-1', ownerReferences: [ownerOf(cron)] }, spec });
    const condition = (type: string) => ({ type, status: 'True', reason: 'BackoffLimitExceeded', message: 'Job has reached the specified backoff limit', lastTransitionTime: now() });
    await mustRequest('PATCH', `${batch}/jobs/nightly-1/status`, { status: { startTime: now(), failed: 1, conditions: [condition('FailureTarget'), condition('Failed')] } }, MERGE);
    const { out, code } = await explain('cronjob/nightly');
    expect(out).toContain(`The last run has failed: Job ${namespace}/nightly-1. (LastRunFailed)`);
    expect(out).toContain('Job has reached the specified backoff limit');
    expect(code).toBe(1);
  });
});

test('no operator in the cluster', async () => {
  // The command runs in this process, half a minute later by its clock: long enough that an operator would have come to the job.
  const later = Date.now() + 30_000;
  const clock = jest.spyOn(Date, 'now').mockReturnValue(later);
  const { out } = await trainyard(['explain', 'train', '-n', old.metadata.namespace!, '--kubeconfig', clusterKubeconfig()]);
  clock.mockRestore();
  expect(out).not.toContain('created just now');
  // Operators of other tests have left leases that are not renewed, and no Deployment.
  expect(out).toMatch(/\((NoOperator|OperatorBehind)\)/);
  expect(clusterAccess().url).toMatch(/^https:/);
});
