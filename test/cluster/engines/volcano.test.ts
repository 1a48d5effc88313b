import { accepted, edgeEnvironments, HELPERS, pairs, synthesize } from './support/accepted-job';
import { Engine, Gang, RestartPolicy, TopologyMode, type TrainingJobProps } from '../../../src';
import { validateForEngine } from '../../../src/manifests/engines/validation';
import { volcanoEngine } from '../../../src/manifests/engines/volcano';
import { FRAMEWORK_NAMES, type TrainingJobSpec } from '../../../src/model/training-job/spec';
import { PRINT_ENVIRONMENT } from '../../manifests/engines/indexed/support/container-view';
import { upstreamCrds } from '../../support/upstream-definitions';
import { installCrds } from '../support/crds';
import { createNamespace, deleteNamespace } from '../support/namespace';

let namespace: string;

beforeAll(async () => {
  namespace = await createNamespace('volcano');
  await installCrds(upstreamCrds('volcano'));
});
afterAll(async () => {
  await deleteNamespace(namespace);
});

describe('the API server accepts as a Volcano Job, whose first and last replica find what the operator gives them:', () => {
  test.each(pairs(FRAMEWORK_NAMES))('%s', async (_title, framework, form) => {
    const objects = await accepted(synthesize(Engine.volcano(), framework, namespace, form), namespace);
    const job = objects.find(({ apiVersion }) => apiVersion === 'batch.volcano.sh/v1alpha1')!;
    const spec = { framework, image: 'image', command: PRINT_ENVIRONMENT, ...form } as TrainingJobSpec;
    for (const { found, expected } of await edgeEnvironments(job, spec, namespace)) {
      expect(found).toEqual(expected);
    }
  });

  // Where tasks or counts can say when the primary has succeeded.
  const withHelpers = pairs(FRAMEWORK_NAMES).map(([title, framework, form]) => (
    [title, { framework, image: 'image', command: PRINT_ENVIRONMENT, ...form, helpers: HELPERS } as TrainingJobSpec] as const))
    .filter(([, spec]) => validateForEngine(volcanoEngine(), 'net', spec).length === 0);

  test('most frameworks can have helpers', () => {
    expect(new Set(withHelpers.map(([, { framework }]) => framework)).size).toBeGreaterThanOrEqual(8);
  });

  test.each(withHelpers)('%s, and helpers beside it', async (_title, spec) => {
    const { framework, image: _image, command: _command, ...form } = spec;
    const objects = await accepted(synthesize(Engine.volcano(), framework, namespace, form as Partial<TrainingJobProps>), namespace);
    for (const { found, expected } of await edgeEnvironments(objects.find(({ apiVersion }) => apiVersion === 'batch.volcano.sh/v1alpha1')!, spec, namespace)) {
      expect(found).toEqual(expected);
    }
  });

  test('a job with everything that Volcano can do', async () => {
    const engine = Engine.volcano({ queue: 'team', networkTopology: { mode: TopologyMode.PREFERRED, highestTierAllowed: 2 } });
    await accepted(synthesize(engine, 'pytorch', namespace, {
      replicas: 3,
      runPolicy: { restartPolicy: RestartPolicy.ON_FAILURE, backoffLimit: 3, exitCodes: { fail: [1], retry: [2] } },
      scheduling: { gang: Gang.volcano({ queue: 'research', minAvailable: 2 }), priorityClassName: 'high' },
      security: { restricted: true, runAsUser: 1000, networkPolicy: {} },
      debug: true,
    }), namespace);
  });
});
