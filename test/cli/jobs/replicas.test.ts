/** Pods as replicas of their job. */
import type { PodObject } from '../../../src/cli/jobs/objects';
import { chooseReplicas, mainContainer, replicasOf, shortName } from '../../../src/cli/jobs/replicas';
import { ML_TRAINING_JOB } from '../../../src/model/kinds/ml-training-job';
import { KUBEFLOW_V1_JOBS } from '../../../src/model/kinds/kubeflow-v1-jobs';
import { RAY_CLUSTER } from '../../../src/model/kinds/ray';

const pod = (name: string, labels: { [name: string]: string }, annotations: { [name: string]: string } = {}, containers = ['training']) => (
  { metadata: { name, labels, annotations, uid: name }, spec: { containers: containers.map((container) => ({ name: container, image: 'x' })) } } as unknown as PodObject);
const ours = (role: string, index: number, rank?: number) => pod(`train-${role}-${index}`, { role, 'ml.collabnix.io/replica-index': String(index) }, rank === undefined ? {} : { 'ml.collabnix.io/rank': String(rank) });
const pytorch = (role: string, index: number) => pod(`train-${role}-${index}`, { 'training.kubeflow.org/replica-type': role, 'training.kubeflow.org/replica-index': String(index) });
const V1 = KUBEFLOW_V1_JOBS[0];

const ranked = replicasOf(ML_TRAINING_JOB, [ours('worker', 10, 11), ours('ps', 0), ours('worker', 2, 3), ours('master', 0, 0)]);

test('replicas are in the order of their ranks, those without one last', () => {
  expect(ranked.map(({ name, rank }) => [name, rank])).toEqual([['train-master-0', 0], ['train-worker-2', 3], ['train-worker-10', 11], ['train-ps-0', undefined]]);
});

test('a rank and a role choose', () => {
  expect(chooseReplicas(ranked, { rank: 3 }).map(({ name }) => name)).toEqual(['train-worker-2']);
  expect(chooseReplicas(ranked, { role: 'ps' }).map(({ name }) => name)).toEqual(['train-ps-0']);
  expect(() => chooseReplicas(ranked, { rank: 7 })).toThrow('there are pods of the ranks 0 to 11');
  expect(() => chooseReplicas(ranked, { role: 'workers' })).toThrow('Roles: master, worker, ps. Did you mean \'worker\'?');
});

test('in a role of another kind its own numbers count', () => {
  const replicas = replicasOf(V1, [pytorch('worker', 1), pytorch('master', 0), pytorch('worker', 0)]);
  expect(chooseReplicas(replicas, { role: 'worker', rank: 1 }).map(({ name }) => name)).toEqual(['train-worker-1']);
  expect(() => chooseReplicas(replicas, { rank: 1 })).toThrow('no pod of it has a rank');
});

test('pods that are alike have their numbers as ranks, and pods without any have names', () => {
  expect(replicasOf(V1, [pytorch('worker', 1), pytorch('worker', 0)]).map(({ rank }) => rank)).toEqual([0, 1]);
  const ray = replicasOf(RAY_CLUSTER, [pod('r-workers-b', { 'ray.io/group': 'gpus' }), pod('r-head-a', { 'ray.io/group': 'headgroup' })]);
  expect(ray.map(({ role, rank }) => [role, rank])).toEqual([['gpus', undefined], ['headgroup', undefined]]);
});

test('the container that trains is the one that is shown', () => {
  expect(mainContainer(pod('a', {}, {}, ['sidecar', 'training']))).toBe('training');
  expect(mainContainer(pod('a', {}, {}, ['main', 'istio-proxy']))).toBe('main');
  expect(shortName('train', ranked[0])).toBe('master-0');
  expect(shortName('other', ranked[0])).toBe('train-master-0');
});
