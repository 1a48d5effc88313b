import { STATES, type State } from './support/states';
import { KIND_CUSTOMIZATIONS, kindName } from '../../../src/manifests/argo-cd/kinds';
import { runLua } from '../../support/lua';

const WITH_ACTIONS = new Map(KIND_CUSTOMIZATIONS.filter(({ actions }) => actions !== undefined).map((each) => [kindName(each), each.actions!]));

interface Offered {
  readonly [action: string]: { readonly disabled: boolean; readonly iconClass: string };
}

/** Actions that people can do to an object. */
function offeredFor(kind: string, object: unknown): string[] {
  const offered = runLua(WITH_ACTIONS.get(kind)!.discovery, object) as Offered;
  expect(Object.keys(offered).sort()).toEqual(WITH_ACTIONS.get(kind)!.actions.map(({ name }) => name).sort());
  return Object.entries(offered).filter(([, { disabled }]) => !disabled).map(([name]) => name).sort();
}

function act(kind: string, name: string, object: unknown): unknown {
  return runLua(WITH_ACTIONS.get(kind)!.actions.find((action) => action.name === name)!.lua, object);
}

const stateOf = (kind: string, name: string): State['object'] => STATES[kind].find((state) => state.name === name)!.object;

/** What is possible in which state. */
const POSSIBLE: readonly (readonly [kind: string, state: string, actions: readonly string[]])[] = [
  ['ml.collabnix.io/MLTrainingJob', 'new', ['suspend']],
  ['ml.collabnix.io/MLTrainingJob', 'running', ['suspend']],
  ['ml.collabnix.io/MLTrainingJob', 'suspended', ['resume']],
  ['ml.collabnix.io/MLTrainingJob', 'suspended for idleness', ['resume', 'suspend']],
  ['ml.collabnix.io/MLTrainingJob', 'in a queue', ['suspend']],
  ['ml.collabnix.io/MLTrainingJob', 'completed', []],
  ['ml.collabnix.io/MLTrainingJob', 'failed', ['retry']],
  ['trainer.kubeflow.org/TrainJob', 'running', ['suspend']],
  ['trainer.kubeflow.org/TrainJob', 'suspended', ['resume']],
  ['trainer.kubeflow.org/TrainJob', 'in a queue', []],
  ['trainer.kubeflow.org/TrainJob', 'complete', []],
  ['trainer.kubeflow.org/TrainJob', 'failed', ['retry']],
  ['kubeflow.org/PyTorchJob', 'running', ['suspend']],
  ['kubeflow.org/PyTorchJob', 'suspended', ['resume']],
  ['kubeflow.org/PyTorchJob', 'in a queue', []],
  ['kubeflow.org/PyTorchJob', 'succeeded', []],
  ['kubeflow.org/PyTorchJob', 'failed', ['retry']],
  ['kubeflow.org/MPIJob', 'running (v2beta1)', ['suspend']],
  ['kubeflow.org/MPIJob', 'evicted (v2beta1)', ['retry']],
  ['jobset.x-k8s.io/JobSet', 'running', ['suspend']],
  ['jobset.x-k8s.io/JobSet', 'suspended', ['resume']],
  ['jobset.x-k8s.io/JobSet', 'in a queue', []],
  ['jobset.x-k8s.io/JobSet', 'completed', []],
  ['jobset.x-k8s.io/JobSet', 'failed', ['retry']],
  ['ray.io/RayCluster', 'ready', ['suspend']],
  ['ray.io/RayCluster', 'suspended', ['resume']],
  ['ray.io/RayCluster', 'in a queue', []],
  // Its cluster is not shut down at its end, so that KubeRay would refuse to suspend it.
  ['ray.io/RayJob', 'running', []],
  ['ray.io/RayJob', 'succeeded', []],
  ['ray.io/RayJob', 'failed', ['retry']],
  ['ray.io/RayService', 'ready', ['suspend']],
  ['ray.io/RayService', 'suspended', ['resume']],
  ['ray.io/RayCronJob', 'new', ['suspend']],
  ['ray.io/RayCronJob', 'suspended', ['resume']],
  ['kueue.x-k8s.io/ClusterQueue', 'active', ['suspend']],
  ['kueue.x-k8s.io/ClusterQueue', 'stopped', ['resume']],
  ['kueue.x-k8s.io/LocalQueue', 'active', ['suspend']],
  ['kueue.x-k8s.io/LocalQueue', 'stopped', ['resume']],
  ['kueue.x-k8s.io/Workload', 'waiting', ['suspend']],
  ['kueue.x-k8s.io/Workload', 'deactivated', ['resume']],
  ['kueue.x-k8s.io/Workload', 'finished', []],
  ['serving.kserve.io/LLMInferenceService', 'ready', ['suspend']],
  ['serving.kserve.io/LLMInferenceService', 'stopped', ['resume']],
];

test.each(POSSIBLE)('%s %s can be: %j', (kind, state, actions) => {
  // Failed jobs need a spec to be tried again.
  const object = stateOf(kind, state);
  expect(offeredFor(kind, { ...object, spec: { managedBy: 'somebody', ...object.spec as object } })).toEqual(actions);
});

test('every kind with actions is in the table, whatever is offered can be done, and whatever is not says why', () => {
  expect([...new Set(POSSIBLE.map(([kind]) => kind))].length).toBe(WITH_ACTIONS.size - 5);
  for (const [kind, states] of Object.entries(STATES).filter(([each]) => WITH_ACTIONS.has(each))) {
    for (const { object } of states) {
      const offered = offeredFor(kind, object);
      for (const name of offered) {
        expect(act(kind, name, object)).toEqual(expect.any(Object));
      }
      if ((object.metadata as { labels?: object }).labels !== undefined) {
        expect(offered).toEqual([]);
        expect(() => act(kind, 'suspend', object)).toThrow(/Kueue suspends and resumes what is in queue team-a/);
        expect(() => act(kind, 'resume', object)).toThrow(/Kueue suspends and resumes what is in queue team-a/);
      }
    }
  }
});

describe('suspending and resuming', () => {
  test.each([...WITH_ACTIONS.keys()].filter((kind) => kind !== 'ray.io/RayJob'))('%s changes one field, and back', (kind) => {
    const object = { apiVersion: 'a/v1', kind: 'K', metadata: { name: 'train', annotations: { mine: 'yes' } }, spec: { keep: [1, 2] } };
    const suspended = act(kind, 'suspend', object);
    expect(offeredFor(kind, suspended)).toEqual(['resume']);
    const resumed = act(kind, 'resume', suspended);
    expect(offeredFor(kind, resumed)).toEqual(['suspend']);
    const flat = (value: unknown, path = ''): [string, unknown][] => (typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([key, each]) => flat(each, `${path}/${key}`)) : [[path, value]]);
    const before = new Map(flat(object));
    for (const changed of [suspended, resumed]) {
      const others = flat(changed).filter(([path, value]) => before.get(path) !== value);
      expect(others).toEqual([[expect.stringMatching(/^\/spec\/(suspend|runPolicy\/suspend|stopPolicy|active)$|^\/metadata\/annotations\/serving.kserve.io\/stop$/), expect.anything()]]);
      expect(flat(changed)).toHaveLength(before.size + 1);
    }
  });

  test('of a RayJob is offered where KubeRay does it: a cluster of its own, which goes at the end', () => {
    const running = stateOf('ray.io/RayJob', 'running');
    const own = { ...running, spec: { shutdownAfterJobFinishes: true } };
    expect(offeredFor('ray.io/RayJob', own)).toEqual(['suspend']);
    expect(act('ray.io/RayJob', 'suspend', own)).toMatchObject({ spec: { shutdownAfterJobFinishes: true, suspend: true } });
    const selected = { ...running, spec: { shutdownAfterJobFinishes: true, clusterSelector: { 'ray.io/cluster': 'a' } } };
    expect(offeredFor('ray.io/RayJob', selected)).toEqual([]);
    expect(() => act('ray.io/RayJob', 'suspend', selected)).toThrow(/cannot be suspended/);
  });

  test('a job that was suspended for idleness is resumed by its annotation, as often as need be', () => {
    const idle = stateOf('ml.collabnix.io/MLTrainingJob', 'suspended for idleness');
    const once = act('ml.collabnix.io/MLTrainingJob', 'resume', idle);
    expect(once).toMatchObject({ metadata: { annotations: { 'ml.collabnix.io/resume': '1' } } });
    expect((once as { spec: object }).spec).toEqual(idle.spec);
    expect(act('ml.collabnix.io/MLTrainingJob', 'resume', once)).toMatchObject({ metadata: { annotations: { 'ml.collabnix.io/resume': '2' } } });
  });

  test('a job in a queue of Kueue by its label is Kueue\'s, and one in a queue of our operator is the user\'s', () => {
    const job = stateOf('ml.collabnix.io/MLTrainingJob', 'in a queue');
    expect(act('ml.collabnix.io/MLTrainingJob', 'suspend', job)).toMatchObject({ spec: { suspend: true } });
    const labelled = { ...job, metadata: { ...job.metadata as object, labels: { 'kueue.x-k8s.io/queue-name': 'team-a' } } };
    expect(offeredFor('ml.collabnix.io/MLTrainingJob', labelled)).toEqual([]);
  });
});

describe('trying again', () => {
  const failed = (spec: object, metadata: object = {}) => ({
    apiVersion: 'ml.collabnix.io/v1alpha1', kind: 'MLTrainingJob', status: { phase: 'Failed' }, spec: { image: 'a', ...spec },
    metadata: { name: 'train', namespace: 'ml', uid: 'u-1', resourceVersion: '7', generation: 3, ...metadata },
  });
  const retry = (object: unknown) => act('ml.collabnix.io/MLTrainingJob', 'retry', object) as { readonly operation: string; readonly resource: Record<string, unknown> }[];

  test('makes a job beside the one that failed, which it belongs to, and counts', () => {
    const annotations = { 'argocd.argoproj.io/tracking-id': 'app:x', 'argocd.argoproj.io/hook': 'Sync', 'mine': 'yes', 'trainyard.dev/retries': '1' };
    const job = failed({ suspend: true, replicas: 2 }, { labels: { 'team': 'ml', 'app.kubernetes.io/instance': 'app' }, annotations });
    expect(retry(job)).toEqual([
      {
        operation: 'create',
        resource: {
          apiVersion: 'ml.collabnix.io/v1alpha1', kind: 'MLTrainingJob', spec: { image: 'a', replicas: 2 },
          metadata: {
            name: 'train-retry-2', namespace: 'ml', labels: { team: 'ml' }, annotations: { 'mine': 'yes', 'trainyard.dev/retry-of': 'train' },
            ownerReferences: [{ apiVersion: 'ml.collabnix.io/v1alpha1', kind: 'MLTrainingJob', name: 'train', uid: 'u-1' }],
          },
        },
      },
      { operation: 'patch', resource: { ...job, metadata: { ...job.metadata, annotations: { ...annotations, 'trainyard.dev/retries': '2' } } } },
    ]);
  });

  test('leaves out empty objects that mean nothing, and says so of those that may', () => {
    const spec = { roles: [{ name: 'worker', template: { metadata: {}, spec: { volumes: [{ name: 'scratch', emptyDir: {} }], containers: [{ name: 'a', resources: { limits: {} } }] } } }] };
    const [{ resource }] = retry(failed(spec));
    expect(resource.spec).toEqual({
      image: 'a', roles: [{ name: 'worker', template: { spec: { volumes: [{ name: 'scratch', emptyDir: { medium: '' } }], containers: [{ name: 'a' }] } } }],
    });
    const unclear = failed({ scheduling: { gang: {} } });
    expect(offeredFor('ml.collabnix.io/MLTrainingJob', unclear)).toEqual([]);
    expect(() => retry(unclear)).toThrow(/empty object, gang, which Argo CD cannot write/);
  });

  test('is for jobs that failed, and not for those whose fields Kueue has filled in', () => {
    expect(() => retry({ ...failed({}), status: { phase: 'Running' } })).toThrow(/has not failed/);
    expect(() => retry(failed({}, { labels: { 'kueue.x-k8s.io/queue-name': 'q' } }))).toThrow(/queue q has fields of its last admission/);
  });

  test.each([
    ['trainer.kubeflow.org/TrainJob', { runtimeRef: { name: 'torch' }, suspend: false }, { runtimeRef: { name: 'torch' } }],
    ['jobset.x-k8s.io/JobSet', { replicatedJobs: [{ name: 'a' }], suspend: false }, { replicatedJobs: [{ name: 'a' }] }],
    ['kubeflow.org/PyTorchJob', { nprocPerNode: '1', runPolicy: { suspend: false } }, { nprocPerNode: '1' }],
    ['kubeflow.org/TFJob', { successPolicy: '', runPolicy: { suspend: false, backoffLimit: 2 } }, { successPolicy: '', runPolicy: { backoffLimit: 2 } }],
    ['ray.io/RayJob', { entrypoint: 'python a.py', jobId: 'train-abc', suspend: false }, { entrypoint: 'python a.py' }],
  ])('%s is made anew without what was about the last run', (kind, spec, expected) => {
    const object = { ...stateOf(kind, 'failed'), spec };
    expect(offeredFor(kind, object)).toEqual(['retry']);
    expect(act(kind, 'retry', object)).toMatchObject([{ operation: 'create', resource: { spec: expected } }, { operation: 'patch' }]);
    expect((act(kind, 'retry', object) as { resource: { spec: object } }[])[0].resource.spec).toEqual(expected);
  });
});
