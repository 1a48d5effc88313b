import { accepted, edgeEnvironments, pairs, synthesize, upstreamCrds } from './support/accepted-job';
import { Engine, Gang, RestartPolicy, VolcanoTopologyMode } from '../../../src';
import { FRAMEWORK_NAMES, type TrainingJobSpec } from '../../../src/model/training-job/spec';
import { PRINT_ENVIRONMENT } from '../../manifests/engines/indexed/support/container-view';
import { installCrds } from '../support/crds';
import { createNamespace, deleteNamespace } from '../support/namespace';

const crds = upstreamCrds('volcano');
const whenThere = crds === undefined ? describe.skip : describe;

let namespace: string;

beforeAll(async () => {
  namespace = await createNamespace('volcano');
  if (crds !== undefined) {
    await installCrds(crds);
  }
});
afterAll(async () => {
  await deleteNamespace(namespace);
});

whenThere('the API server accepts as a Volcano Job, whose first and last replica find what the operator gives them:', () => {
  test.each(pairs(FRAMEWORK_NAMES))('%s', async (_title, framework, form) => {
    const objects = await accepted(synthesize(Engine.volcano(), framework, namespace, form), namespace);
    const job = objects.find(({ apiVersion }) => apiVersion === 'batch.volcano.sh/v1alpha1')!;
    const spec = { framework, image: 'image', command: PRINT_ENVIRONMENT, ...form } as TrainingJobSpec;
    for (const { found, expected } of await edgeEnvironments(job, spec, namespace)) {
      expect(found).toEqual(expected);
    }
  });

  test('a job with everything that Volcano can do', async () => {
    const engine = Engine.volcano({ queue: 'team', networkTopology: { mode: VolcanoTopologyMode.SOFT, highestTierAllowed: 2 } });
    await accepted(synthesize(engine, 'pytorch', namespace, {
      replicas: 3,
      runPolicy: { restartPolicy: RestartPolicy.ON_FAILURE, backoffLimit: 3, exitCodes: { fail: [1], retry: [2] } },
      scheduling: { gang: Gang.volcano({ queue: 'research', minAvailable: 2 }), priorityClassName: 'high' },
      security: { restricted: true, runAsUser: 1000, networkPolicy: {} },
      debug: true,
    }), namespace);
  });
});
