/** Who may create jobs and pods under a JobPolicy takes more than it allows: by parts of a job, by pods that a job seems to own, or later. */
import { describeAttacks } from './support/attack-suite';
import { eventually, type TestObject } from '../cluster/support/cluster';
import { pathOf, type ResourceName } from '../cluster/support/test-api';
import { constructAdmissionPolicies } from '../../src/manifests/policy/admission-policy';
import { GROUP_VERSION, JOB_LABEL, MANAGED_BY_LABEL, MANAGED_BY_OPERATOR, TRAINING_JOB_KIND } from '../../src/model/labels';

const suite = describeAttacks();

const POLICY = 'budget';
const IMAGE = 'registry.example/train:1';
const RESOURCE_OF_KIND: { readonly [kind: string]: ResourceName } = {
  ValidatingAdmissionPolicy: 'validatingadmissionpolicies', ValidatingAdmissionPolicyBinding: 'validatingadmissionpolicybindings',
};

const gpus = (count: number) => ({ resources: { limits: { 'nvidia.com/gpu': String(count) } } });
const templated = (container: object, spec: object = {}) => ({ template: { spec: { containers: [{ name: 'training', ...container }], ...spec } } });
const job = (name: string, spec: object) => ({
  apiVersion: GROUP_VERSION, kind: TRAINING_JOB_KIND, metadata: { name }, spec: { framework: 'pytorch', image: IMAGE, replicas: 2, ...spec },
});

test('gets no more GPUs and no other image than the policy allows, and others have theirs', async () => {
  const { account, api, bystander, jobs, kubelet, namespace } = suite;
  const manifests = constructAdmissionPolicies({ name: POLICY, namespaces: [namespace], maxGpus: 4, allowedImages: ['registry.example/*'] }, ['Deny']);
  for (const manifest of manifests) {
    await api.create(RESOURCE_OF_KIND[manifest.kind], undefined, manifest);
  }
  const mallory = await account('mallory', [
    { apiGroups: ['ml.collabnix.io'], resources: ['mltrainingjobs'], verbs: ['create', 'get', 'patch'] }, { apiGroups: [''], resources: ['pods'], verbs: ['create'] },
  ]);
  const tryOut = async (resource: ResourceName, object: object): Promise<string> => (
    mallory.send('POST', `${pathOf(resource, namespace)}?dryRun=All`, object).then(() => 'created', (error: Error) => error.message));
  const other = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'other' }, spec: { containers: [{ name: 'main', image: 'docker.io/miner' }] } };
  await eventually('the policy and the rights to be in force', async () => (
    (await tryOut('pods', other)).includes(POLICY) && (await tryOut('mltrainingjobs', job('other', { image: 'docker.io/miner' }))).includes(POLICY)));

  // What the policy allows runs.
  const { metadata: { uid } }: TestObject = await mallory.create('mltrainingjobs', namespace, job('fair', templated(gpus(2))));
  await kubelet.runAll('fair', 2);
  await jobs.untilCondition('fair', 'Running');

  const owned = {
    labels: { [JOB_LABEL]: 'fair', [MANAGED_BY_LABEL]: MANAGED_BY_OPERATOR },
    ownerReferences: [{ apiVersion: GROUP_VERSION, kind: TRAINING_JOB_KIND, name: 'fair', uid, controller: true }],
  };
  const attempts: readonly (readonly [resource: ResourceName, object: object])[] = [
    ['mltrainingjobs', job('more', templated(gpus(3)))],
    ['mltrainingjobs', job('more', { helpers: [{ name: 'actor', replicas: 2, command: ['x'], ...templated(gpus(3)) }] })],
    ['mltrainingjobs', job('more', templated({}, { initContainers: [{ name: 'side', image: IMAGE, restartPolicy: 'Always', ...gpus(3) }] }))],
    ['mltrainingjobs', job('more', templated({}, { volumes: [{ name: 'v', image: { reference: 'docker.io/miner' } }] }))],
    ['mltrainingjobs', job('more', { array: { count: 8, parallelism: 8 }, replicas: 1, ...templated(gpus(1)) })],
    ['pods', { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'fair-worker-9', ...owned }, spec: { containers: [{ name: 'main', image: IMAGE, ...gpus(5) }] } }],
  ];
  for (const [resource, object] of attempts) {
    expect(await tryOut(resource, object)).toMatch(new RegExp(`answered 4.*${POLICY}`));
  }
  await mallory.create('mltrainingjobs', namespace, job('list', { suspend: true, array: { count: 8, parallelism: 4 }, replicas: 1, ...templated(gpus(1)) }));
  const raised = mallory.send('PATCH', pathOf('mltrainingjobs', namespace, 'list'), { spec: { array: { parallelism: 8 } } }, 'application/merge-patch+json');
  await expect(raised).rejects.toThrow(POLICY);
  expect(await api.list('pods', namespace)).toHaveLength(2);

  // The policy is about one namespace.
  await bystander.jobs.create('large', templated(gpus(8)) as never);
  await bystander.kubelet.pods('large', 1);
  for (const { kind, metadata } of manifests) {
    await api.remove(RESOURCE_OF_KIND[kind], undefined, metadata.name);
  }
});
