/** `trainyard doctor` against a real API server: a good cluster, what is wrong before anything is installed, and then one thing after the other. */
import fs from 'node:fs';
import path from 'node:path';
import vm from 'node:vm';
import * as cdk8s from 'cdk8s';
import * as library from '../../../src';
import { ControlPlane, apiRequest } from '../../../src/local/control-plane';
import { trainyard, type Finished } from '../../cli/support/command';
import { temporaryFolder } from '../../local/support/temporary-folder';
import { upstreamCrds } from '../../support/upstream-definitions';
import { eventually, type TestObject } from '../support/cluster';
import { CONTROLLERS } from '../support/controllers';
import { installDefinition, readYaml } from '../support/crds';
import { ResourcePaths, documents } from '../support/resource-paths';

const folder = temporaryFolder();
const MERGE = 'application/merge-patch+json';
const SYSTEM = 'trainyard-system';

let plane: ControlPlane;
let paths: ResourcePaths;

beforeAll(async () => {
  plane = await ControlPlane.start({ controllerManager: { controllers: CONTROLLERS }, users: [{ name: 'ann', groups: [] }] });
  paths = new ResourcePaths(plane.access());
});

afterAll(async () => plane?.stop());

type Fields = { readonly [field: string]: unknown };

async function request(method: string, place: string, body?: unknown, contentType?: string): Promise<TestObject> {
  const answer = await apiRequest<TestObject>(plane.access(), method, place, { body, contentType });
  if (answer.status >= 300) {
    throw new Error(`${method} ${place}: ${answer.status} ${answer.body.message}`);
  }
  return answer.body;
}

/** Creates or changes an object, with a status as its controller would write it. */
async function put(object: object, status?: object): Promise<string> {
  const place = await paths.of(object as TestObject);
  await request('PATCH', `${place}?fieldManager=test&force=true`, object, 'application/apply-patch+yaml');
  if (status !== undefined) {
    await request('PATCH', `${place}/status`, { status }, MERGE);
  }
  return place;
}

/** Runs something with objects that are there only for it. */
async function having<T>(objects: readonly object[], work: () => Promise<T>): Promise<T> {
  const places: string[] = [];
  try {
    for (const object of objects) {
      places.push(await put(object));
    }
    return await work();
  } finally {
    for (const place of places.reverse()) {
      await apiRequest(plane.access(), 'DELETE', place);
    }
  }
}

const now = () => new Date().toISOString().replace('Z', '000Z');
const object = (apiVersion: string, kind: string, name: string, fields: Fields = {}, namespace?: string, metadata: Fields = {}) => (
  { apiVersion, kind, metadata: { name, ...(namespace !== undefined && { namespace }), ...metadata }, ...fields });
const renewLease = async (renewTime = now(), holderIdentity = 'trainyard-operator-x') => put(object('coordination.k8s.io/v1', 'Lease', 'trainyard-operator', { spec: { holderIdentity, leaseDurationSeconds: 15, renewTime } }, SYSTEM));
const DEPLOYMENT = `/apis/apps/v1/namespaces/${SYSTEM}/deployments/trainyard-operator`;
const NODE = '/api/v1/nodes/gpu-1';

function file(...objects: readonly object[]): string {
  const name = path.join(folder, 'program.json');
  fs.writeFileSync(name, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }));
  return name;
}

const job = (spec: Fields = {}, namespace?: string) => object('ml.collabnix.io/v1alpha1', 'MLTrainingJob', 'train', {
  spec: { framework: 'jax', image: 'ghcr.io/acme/train:1', replicas: 2, resources: { cpu: '2', memory: '8Gi', gpu: 1 }, ...spec },
}, namespace);
const jobSet = (pod: Fields = {}, metadata: Fields = {}) => object('jobset.x-k8s.io/v1alpha2', 'JobSet', 'set', {
  spec: { replicatedJobs: [{ name: 'worker', replicas: 1, template: { spec: { parallelism: 2, completions: 2, template: { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'ghcr.io/acme/train:1', resources: { limits: { 'nvidia.com/gpu': '1' } } }], ...pod } } } } }] },
}, undefined, metadata);

interface Report {
  readonly code: number | null;
  /** Ids of the faults. */
  readonly faults: readonly string[];
  readonly errors: readonly string[];
  readonly words: string;
  readonly notes: readonly string[];
}

const doctor = async (...args: string[]): Promise<Finished> => trainyard(['doctor', '--kubeconfig', plane.kubeconfigPath, ...args]);

/** What the command finds; each fault has a command. */
async function examined(...args: string[]): Promise<Report> {
  const { code, out, err } = await doctor(...args, '-o', 'json');
  expect(err).toBe('');
  const { findings, notes } = JSON.parse(out) as { findings: { id: string; severity: string; fix?: string }[]; notes: string[] };
  const faults = findings.filter(({ severity }) => severity !== 'ok');
  faults.forEach(({ fix }) => expect(fix).toMatch(/^\S+ \S/));
  const errors = faults.filter(({ severity }) => severity === 'error').map(({ id }) => id);
  expect(code).toBe(errors.length > 0 ? 1 : 0);
  return { code, faults: faults.map(({ id }) => id), errors, words: JSON.stringify(findings), notes };
}

test('before anything is installed, it says what to install', async () => {
  const { faults, words } = await examined();
  expect(faults).toEqual(['DefinitionMissing', 'OperatorMissing', 'NoReadyNode']);
  expect(words).toContain('new TrainingOperator(');
  const { code, out } = await doctor();
  expect(code).toBe(1);
  expect(out).toMatch(/^error {4}The operator is not installed: nothing runs MLTrainingJobs\. \(OperatorMissing\)$/m);
  expect(out).toMatch(/^3 errors, 0 warnings\.$/m);
});

test('kinds and queues of other systems that are not installed', async () => {
  expect((await examined(file(jobSet()))).faults).toEqual(['DefinitionMissing', 'NoReadyNode']);
  const { faults, words } = await examined(file(jobSet({}, { labels: { 'kueue.x-k8s.io/queue-name': 'research' } })));
  expect(faults).toEqual(['DefinitionMissing', 'NoReadyNode', 'KueueMissing']);
  expect(words).toContain('helm upgrade --install jobset oci://registry.k8s.io/jobset/charts/jobset');
  expect(words).toContain('helm upgrade --install kueue oci://registry.k8s.io/kueue/charts/kueue');
});

describe('with the operator and a node', () => {
  beforeAll(async () => {
    // By the command that it gives itself.
    const { findings } = JSON.parse((await doctor('-o', 'json')).out) as { findings: { id: string; fix: string }[] };
    const [, program] = /^node -e '(.*)' \| kubectl apply --server-side --force-conflicts -f -$/.exec(findings.find(({ id }) => id === 'OperatorMissing')!.fix)!;
    let written = '';
    const modules: Fields = { cdk8s, trainyard: library };
    vm.runInNewContext(program, { require: (name: string) => modules[name], console: { log: (text: string) => { written = text; } } });
    const objects = documents(written);
    for (const each of objects.filter(({ kind }) => kind === 'CustomResourceDefinition')) {
      await installDefinition(plane.access(), each);
    }
    for (const each of objects.filter(({ kind }) => kind !== 'CustomResourceDefinition')) {
      await put(each);
    }
    await request('PATCH', `${DEPLOYMENT}/status`, { status: { replicas: 2, readyReplicas: 2, availableReplicas: 2, observedGeneration: 1 } }, MERGE);
    const allocatable = { 'cpu': '64', 'memory': '512Gi', 'pods': '110', 'nvidia.com/gpu': '8' };
    await put(object('v1', 'Node', 'gpu-1', {}, undefined, { labels: { 'nvidia.com/gpu.product': 'A100' } }), {
      allocatable, capacity: allocatable, conditions: [{ type: 'Ready', status: 'True', reason: 'KubeletReady', message: '', lastHeartbeatTime: now(), lastTransitionTime: now() }],
    });
    await put(object('storage.k8s.io/v1', 'StorageClass', 'standard', { provisioner: 'ebs.csi.aws.com' }, undefined, { annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } }));
  });

  beforeEach(async () => renewLease());

  test('a good cluster gets a clean bill', async () => {
    const { code, out } = await doctor(file(job()));
    expect(out).toMatch(/^Cluster https:\/\/127\.0\.0\.1:\d+\/, namespace default, /);
    expect(out).toContain('ok       The operator runs in the namespace trainyard-system: 2 of 2 replicas are ready, and one leads.');
    expect(out).toMatch(/\nNo problems found\.\n$/);
    expect(code).toBe(0);
    expect((await examined()).faults).toEqual([]);
  });

  test('an operator that does not run, does not lead, or is another one', async () => {
    const status = async (readyReplicas: number) => request('PATCH', `${DEPLOYMENT}/status`, { status: { readyReplicas, availableReplicas: readyReplicas } }, MERGE);
    await status(0);
    expect((await examined()).errors).toEqual(['OperatorNotReady']);
    await status(2);
    await renewLease(new Date(Date.now() - 300_000).toISOString().replace('Z', '000Z'));
    expect((await examined()).errors).toEqual(['LeaseStale']);
    await renewLease(now(), '');
    expect((await examined()).errors).toEqual(['NoLeader']);
    await renewLease();
    const { spec } = await request('GET', DEPLOYMENT);
    const hash = async (value: string) => request('PATCH', DEPLOYMENT, { spec: { template: { metadata: { annotations: { 'ml.collabnix.io/operator-code': value } } } } }, MERGE);
    await hash('000000000000');
    expect((await examined()).faults).toEqual(['OperatorOtherVersion']);
    await hash(spec.template.metadata.annotations['ml.collabnix.io/operator-code']);
    const other = { ...spec, replicas: 1 };
    await having([object('apps/v1', 'Deployment', 'trainyard-operator', { spec: other }, 'default', { labels: { 'app.kubernetes.io/name': 'trainyard-operator' } })], async () => {
      expect((await examined()).errors).toContain('SeveralOperators');
    });
    const env = spec.template.spec.containers[0].env as object[];
    const withEnv = async (value: readonly object[]) => request('PATCH', DEPLOYMENT, [{ op: 'replace', path: '/spec/template/spec/containers/0/env', value }], 'application/json-patch+json');
    await withEnv([...env, { name: 'WATCH_NAMESPACES', value: 'team-a' }]);
    expect((await examined(file(job()))).errors).toEqual(['NamespaceNotWatched']);
    await withEnv(env);
    const binding = await request('GET', '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/trainyard-operator');
    await request('DELETE', '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/trainyard-operator');
    expect((await examined()).errors).toEqual(['OperatorRightsMissing']);
    const { apiVersion, kind, roleRef, subjects } = binding;
    await put({ apiVersion, kind, metadata: { name: binding.metadata.name }, roleRef, subjects });
  });

  test('an operator that crashes, with events', async () => {
    const pod = object('v1', 'Pod', 'trainyard-operator-x', {
      spec: { ...(await request('GET', DEPLOYMENT)).spec.template.spec, volumes: [{ name: 'scratch', emptyDir: {} }, { name: 'code', emptyDir: {} }] },
    }, SYSTEM, { labels: { 'app.kubernetes.io/name': 'trainyard-operator' } });
    await having([pod, object('v1', 'Event', 'x.1', {
      type: 'Warning', reason: 'BackOff', message: 'Back-off \u001b[2Jrestarting failed container', lastTimestamp: new Date().toISOString(), involvedObject: { kind: 'Pod', name: 'trainyard-operator-x', namespace: SYSTEM },
    }, SYSTEM)], async () => {
      await request('PATCH', `/api/v1/namespaces/${SYSTEM}/pods/trainyard-operator-x/status`, {
        status: { containerStatuses: [{ name: 'operator', image: 'node:22', imageID: '', ready: false, restartCount: 4, state: { waiting: { reason: 'CrashLoopBackOff' } }, lastState: { terminated: { exitCode: 3, reason: 'Error' } } }] },
      }, MERGE);
      const { faults, words } = await examined();
      expect(faults).toEqual(['OperatorCrashLoop', 'OperatorWarnings']);
      expect(words).toContain('It was started 4 times; the last one ended with exit code 3.');
      const { out } = await doctor();
      // eslint-disable-next-line no-control-regex
      expect(out).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
      expect(out).toContain('Back-off \\u001b[2Jrestarting');
    });
    await eventually('the pod to be gone', async () => (await apiRequest(plane.access(), 'GET', `/api/v1/namespaces/${SYSTEM}/pods/trainyard-operator-x`)).status === 404
      || (await apiRequest(plane.access(), 'DELETE', `/api/v1/namespaces/${SYSTEM}/pods/trainyard-operator-x?gracePeriodSeconds=0`)).status === 0);
  });

  test('a definition that is older', async () => {
    const place = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/mltrainingjobs.ml.collabnix.io';
    const crd = await request('GET', place);
    interface Schema { properties: { [field: string]: Schema }; 'x-kubernetes-validations'?: unknown }
    const older = structuredClone(crd) as unknown as { spec: { versions: { schema: { openAPIV3Schema: Schema } }[] } };
    const schema = older.spec.versions[0].schema.openAPIV3Schema;
    const { spec } = schema.properties;
    delete spec.properties.workingDir;
    // Rules at both places name the field.
    [schema, spec].forEach((part) => delete part['x-kubernetes-validations']);
    await request('PUT', place, older);
    expect((await examined(file(job()))).faults).toEqual(['DefinitionOlder']);
    const { errors, words } = await examined(file(job({ workingDir: '/work' })));
    expect(errors).toEqual(['DefinitionOlder']);
    expect(words).toContain('Missing: spec.workingDir');
    const { metadata: { resourceVersion } } = await request('GET', place);
    await request('PUT', place, { ...crd, metadata: { ...crd.metadata, resourceVersion } });
  });

  test('names that nothing has', async () => {
    const template = {
      spec: {
        serviceAccountName: 'trainer', priorityClassName: 'urgent', runtimeClassName: 'nvidia', imagePullSecrets: [{ name: 'registry' }],
        volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }],
      },
    };
    const env = [{ name: 'TOKEN', valueFrom: { secretKeyRef: { name: 'hub', key: 'token' } } }, { name: 'LEVEL', valueFrom: { configMapKeyRef: { name: 'settings', key: 'level' } } }];
    const program = file(job({ template, env }));
    const { errors } = await examined(program);
    expect([...errors].sort()).toEqual(['ClaimMissing', 'ConfigMapMissing', 'PriorityClassMissing', 'RuntimeClassMissing', 'SecretMissing', 'SecretMissing', 'ServiceAccountMissing']);
    await having([
      object('v1', 'ServiceAccount', 'trainer', {}, 'default'), object('scheduling.k8s.io/v1', 'PriorityClass', 'urgent', { value: 1 }),
      object('node.k8s.io/v1', 'RuntimeClass', 'nvidia', { handler: 'nvidia' }), object('v1', 'ConfigMap', 'settings', { data: { level: '1' } }, 'default'),
      object('v1', 'Secret', 'hub', { stringData: { other: 'geheim' } }, 'default'),
      object('v1', 'Secret', 'registry', { type: 'kubernetes.io/dockerconfigjson', stringData: { '.dockerconfigjson': JSON.stringify({ auths: { 'registry.example': { auth: 'geheim' } } }) } }, 'default'),
      object('v1', 'PersistentVolumeClaim', 'data', { spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'gone', resources: { requests: { storage: '1Gi' } } } }, 'default'),
    ], async () => {
      await request('PATCH', '/api/v1/namespaces/default/persistentvolumeclaims/data/status', { status: { phase: 'Pending' } }, MERGE);
      const { faults, words } = await examined(program);
      expect(faults).toEqual(['ClaimPending', 'KeyMissing', 'PullSecretRegistry']);
      expect(words).toContain('Its keys: other.');
      expect(words).not.toMatch(/geheim|Z2VoZWlt/);
    });
  });

  test('nodes on which the pods do not fit', async () => {
    expect((await examined(file(job({ resources: { gpu: 16 } })))).errors).toEqual(['NodeTooSmall']);
    expect((await examined(file(job({ replicas: 9 })))).faults).toEqual(['TooFewNodes']);
    const select = (nodeSelector: Fields) => file(job({ template: { spec: { nodeSelector } } }));
    expect((await examined(select({ 'nvidia.com/gpu.product': 'A100' }))).faults).toEqual([]);
    const { errors, words } = await examined(select({ 'nvidia.com/gpu.product': 'H100' }));
    expect(errors).toEqual(['SelectorMatchesNoNode']);
    expect(words).toContain('Nodes have nvidia.com/gpu.product=A100.');
    const node = await request('GET', NODE);
    const before = (node.spec as { taints?: object[] }).taints ?? [];
    await request('PATCH', NODE, { spec: { taints: [...before, { key: 'team', value: 'other', effect: 'NoSchedule' }] } }, MERGE);
    expect((await examined(file(job()))).errors).toEqual(['TaintNotTolerated']);
    await request('PATCH', NODE, { spec: { taints: before } }, MERGE);
    await request('PATCH', `${NODE}/status`, { status: { allocatable: { 'nvidia.com/gpu': '0' } } }, MERGE);
    expect((await examined(file(job()))).errors).toEqual(['DevicePluginMissing', 'NoAccelerators']);
    await request('PATCH', `${NODE}/status`, { status: { allocatable: { 'nvidia.com/gpu': '8' } } }, MERGE);
  });

  test('a namespace that is not there, has no room, or rejects the pods', async () => {
    expect((await examined(file(job({}, 'nowhere')))).errors).toEqual(['NamespaceMissing']);
    await put(object('v1', 'Namespace', 'team', {}, undefined, { labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } }));
    await having([
      object('v1', 'ResourceQuota', 'small', { spec: { hard: { 'requests.nvidia.com/gpu': '1' } } }, 'team'),
      object('v1', 'LimitRange', 'limits', { spec: { limits: [{ type: 'Container', max: { memory: '4Gi' } }] } }, 'team'),
    ], async () => {
      expect((await examined(file(job({}, 'team')))).errors).toEqual(['NamespaceQuotaTooSmall', 'LimitRangeExceeded', 'PodSecurityRejects']);
      expect((await examined(file(job({ security: { restricted: true }, resources: { cpu: '1', memory: '1Gi' } }, 'team')))).errors).toEqual([]);
    });
  });

  test('claims without a class, and of one that nobody can share', async () => {
    const claim = (spec: Fields) => file(object('v1', 'PersistentVolumeClaim', 'data', { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...spec } }));
    expect((await examined(claim({ storageClassName: 'fast' }))).errors).toEqual(['StorageClassMissing']);
    expect((await examined(claim({ accessModes: ['ReadWriteMany'] }))).errors).toEqual(['NoSharedStorage']);
    const standard = '/apis/storage.k8s.io/v1/storageclasses/standard';
    const annotate = async (value: string) => request('PATCH', standard, { metadata: { annotations: { 'storageclass.kubernetes.io/is-default-class': value } } }, MERGE);
    await annotate('false');
    expect((await examined(claim({}))).errors).toEqual(['NoDefaultStorageClass']);
    await annotate('true');
  });

  test('a webhook without its service', async () => {
    const webhook = object('admissionregistration.k8s.io/v1', 'ValidatingWebhookConfiguration', 'left-behind', {
      webhooks: [{
        name: 'pods.example.com', admissionReviewVersions: ['v1'], sideEffects: 'None', failurePolicy: 'Fail', clientConfig: { service: { namespace: 'gone', name: 'webhook' }, caBundle: '' },
        rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }],
      }],
    });
    await having([webhook], async () => {
      const { errors, words } = await examined();
      expect(errors).toEqual(['WebhookServiceMissing']);
      expect(words).toContain('kubectl delete validatingwebhookconfiguration left-behind');
    });
  });

  test('a network policy that keeps pods apart, and a controller that is not there', async () => {
    for (const definition of upstreamCrds('jobset').flatMap((name) => readYaml(name))) {
      await installDefinition(plane.access(), definition);
    }
    expect((await examined(file(jobSet()))).errors).toEqual(['ControllerMissing']);
    const container = { name: 'manager', image: 'registry.k8s.io/jobset/jobset:v0.12.0' };
    const controller = object('apps/v1', 'Deployment', 'jobset-controller-manager', {
      spec: { selector: { matchLabels: { a: 'b' } }, template: { metadata: { labels: { a: 'b' } }, spec: { containers: [container] } } },
    }, 'default');
    await having([controller, object('networking.k8s.io/v1', 'NetworkPolicy', 'deny-all', { spec: { podSelector: {}, policyTypes: ['Ingress'] } }, 'default')], async () => {
      expect((await examined(file(jobSet()))).errors).toEqual(['ControllerNotReady']);
      await request('PATCH', '/apis/apps/v1/namespaces/default/deployments/jobset-controller-manager/status', { status: { replicas: 1, readyReplicas: 1 } }, MERGE);
      expect((await examined(file(jobSet()))).faults).toEqual(['NetworkPolicyBlocks']);
    });
  });

  test('queues: none, stopped, without a flavor, with too little quota', async () => {
    for (const definition of upstreamCrds('kueue').flatMap((name) => readYaml(name))) {
      await installDefinition(plane.access(), definition);
    }
    const kueue = (kind: string, name: string, spec: Fields, namespace?: string) => object('kueue.x-k8s.io/v1beta2', kind, name, { spec }, namespace);
    const queue = (gpus: string, more: Fields = {}) => kueue('ClusterQueue', 'gpus', {
      namespaceSelector: {}, resourceGroups: [{
        coveredResources: ['cpu', 'memory', 'nvidia.com/gpu'],
        flavors: [{ name: 'a100', resources: [{ name: 'cpu', nominalQuota: '100' }, { name: 'memory', nominalQuota: '1Ti' }, { name: 'nvidia.com/gpu', nominalQuota: gpus }] }],
      }], ...more,
    });
    const controller = object('apps/v1', 'Deployment', 'kueue-controller-manager', {
      spec: { selector: { matchLabels: { a: 'kueue' } }, template: { metadata: { labels: { a: 'kueue' } }, spec: { containers: [{ name: 'manager', image: 'kueue:1' }] } } },
    }, 'default');
    const program = file(job({ scheduling: { queueName: 'research' } }));
    await having([controller], async () => {
      await request('PATCH', '/apis/apps/v1/namespaces/default/deployments/kueue-controller-manager/status', { status: { replicas: 1, readyReplicas: 1 } }, MERGE);
      expect((await examined(program)).errors).toEqual(['QueueNotFound']);
      await having([kueue('LocalQueue', 'research', { clusterQueue: 'gpus' }, 'default')], async () => {
        expect((await examined(program)).errors).toEqual(['ClusterQueueMissing']);
        const place = await put(queue('20'));
        expect((await examined(program)).errors).toEqual(['FlavorMissing']);
        await put(kueue('ResourceFlavor', 'a100', {}));
        expect((await examined(program)).faults).toEqual([]);
        await put(queue('20', { stopPolicy: 'Hold' }));
        expect((await examined(program)).errors).toEqual(['QueueStopped']);
        await put(queue('1'));
        expect((await examined(program)).errors).toEqual(['QuotaTooSmall']);
        await put(queue('2'), { flavorsReservation: [{ name: 'a100', resources: [{ name: 'nvidia.com/gpu', total: '1', borrowed: '0' }] }] });
        const { faults, code } = await examined(program);
        expect([faults, code]).toEqual([['QuotaInUse'], 0]);
        await request('DELETE', place);
      });
    });
  });

  test('who may do little is told what is missing, and what could not be read', async () => {
    const { code, out } = await trainyard(['doctor', file(job()), '--kubeconfig', plane.kubeconfig('ann'), '-o', 'json']);
    const { findings, notes } = JSON.parse(out) as { findings: { id: string; severity: string; fix?: string }[]; notes: string[] };
    expect(findings.filter(({ severity }) => severity !== 'ok').map(({ id }) => id)).toEqual(['NoRightToCreate', 'NoRightToManage', 'NoRightToLogs', 'NoRightToExec']);
    expect(findings.find(({ id }) => id === 'NoRightToCreate')?.fix).toContain('--user=ann');
    expect(notes).toContainEqual(expect.stringMatching(/^Whether an autoscaler adds nodes could not be checked: .*forbidden/));
    expect(notes).toContainEqual(expect.stringMatching(/^You do not have permission to read customresourcedefinitions, .*nodes, .*: what depends on them was not checked\.$/));
    // What nobody could see is not said to be fine.
    expect(findings.filter(({ severity }) => severity === 'ok').map(({ id }) => id)).toEqual(['cluster', 'program', 'definitions']);
    expect(code).toBe(1);
  });
});

test('a cluster that does not answer, and a file that is not there', async () => {
  const config = JSON.parse(fs.readFileSync(plane.kubeconfigPath, 'utf8'));
  config.clusters[0].cluster.server = 'https://127.0.0.1:1';
  const name = path.join(folder, 'away');
  fs.writeFileSync(name, JSON.stringify(config));
  const { code, out } = await trainyard(['doctor', '--kubeconfig', name]);
  expect(out).toMatch(/^error {4}The cluster could not be checked\. \(ClusterUnreachable\)$/m);
  expect(out).toContain('ECONNREFUSED');
  expect(code).toBe(2);
  expect(await doctor('nothing.yaml')).toMatchObject({ code: 2, out: '', err: expect.stringContaining('nothing.yaml: no such file') });
});
