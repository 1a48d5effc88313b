import { Cpu } from 'cdk8s-plus-28';
import { accepted, pairs, synthesize } from './support/accepted-job';
import { acceptedAsPod, launchedEdges, type StoredTemplate } from './support/launched-job';
import { Engine, Gang, RayBatchScheduler, RestartPolicy, type TrainingJobProps } from '../../../src';
import type { FrameworkName, TrainingJobSpec } from '../../../src/model/training-job/spec';
import { PRINT_ENVIRONMENT } from '../../manifests/engines/indexed/support/container-view';
import { upstreamCrds } from '../../support/upstream-definitions';
import type { TestObject } from '../support/cluster';
import { installCrds } from '../support/crds';
import { createNamespace, deleteNamespace } from '../support/namespace';

const FRAMEWORKS: readonly FrameworkName[] = ['pytorch', 'tensorflow', 'mxnet', 'jax', 'xgboost', 'lightgbm', 'paddle', 'plain'];

let namespace: string;

beforeAll(async () => {
  namespace = await createNamespace('ray');
  await installCrds(upstreamCrds('kuberay'));
}, 120_000);
afterAll(async () => {
  await deleteNamespace(namespace);
});

/** The parts of a RayJob that have pods. */
interface RayJobSpec {
  readonly submitterPodTemplate?: StoredTemplate;
  readonly rayClusterSpec: {
    readonly headGroupSpec: { readonly template: StoredTemplate };
    readonly workerGroupSpecs: readonly { readonly groupName: string; readonly template: StoredTemplate }[];
  };
}

async function submitted(engine: Engine, framework: FrameworkName, form: Partial<TrainingJobProps>) {
  const objects = await accepted(synthesize(engine, framework, namespace, form), namespace);
  const job = objects.find(({ kind }) => kind === 'RayJob') as TestObject & { readonly spec: RayJobSpec };
  return { job, files: objects.find(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === 'net-ray')!, objects };
}

describe('the API server accepts as a RayJob, whose first and last program find what the operator gives them:', () => {
  // MXNet's short form has a master with two containers more.
  test.each(pairs(FRAMEWORKS).filter(([title]) => title !== 'mxnet 3'))('%s', async (_title, framework, form) => {
    const { job, files } = await submitted(Engine.ray(), framework, form);
    const { submitterPodTemplate, rayClusterSpec: { headGroupSpec, workerGroupSpecs } } = job.spec;
    for (const template of [submitterPodTemplate!, headGroupSpec.template, ...workerGroupSpecs.map((group) => group.template)]) {
      await acceptedAsPod(template, namespace);
    }
    const spec = { framework, image: 'image', command: PRINT_ENVIRONMENT, ...form } as TrainingJobSpec;
    const templateOf = (role: string) => workerGroupSpecs.find(({ groupName }) => groupName === role)!.template;
    for (const { found, command, expected } of await launchedEdges(files, spec, templateOf)) {
      expect(found).toEqual(expected);
      expect(command).toEqual(PRINT_ENVIRONMENT);
    }
  });

  test('a job with everything that KubeRay can do', async () => {
    const engine = Engine.ray({
      batchScheduler: RayBatchScheduler.VOLCANO, rayVersion: '2.52.0', tokenAuthentication: true, clusterRetries: 1, head: { cpu: Cpu.units(2), nodeSelector: { pool: 'stable' } },
    });
    const { job, objects } = await submitted(engine, 'pytorch', {
      replicas: 3,
      runPolicy: { restartPolicy: RestartPolicy.EXIT_CODE, backoffLimit: 3, exitCodes: { fail: [1], retry: [2] } },
      scheduling: { gang: Gang.volcano({ queue: 'research' }), priorityClassName: 'high' },
      security: { restricted: true, runAsUser: 1000, networkPolicy: {} },
      debug: true,
    });
    expect(objects.map(({ kind }) => kind).sort()).toEqual(['ConfigMap', 'ConfigMap', 'NetworkPolicy', 'NetworkPolicy', 'RayJob']);
    expect(job.metadata.labels).toMatchObject({ 'volcano.sh/queue-name': 'research' });
  });
});
