import { Size } from 'cdk8s';
import { Cpu } from 'cdk8s-plus-28';
import { accepted, pairs, synthesize } from './support/accepted-job';
import { acceptedAsPod, launchedEdges, type StoredTemplate } from './support/launched-job';
import { Engine, Gang, RestartPolicy, type TrainingJobProps } from '../../../src';
import type { FrameworkName, TrainingJobSpec } from '../../../src/model/training-job/spec';
import { PRINT_ENVIRONMENT } from '../../manifests/engines/indexed/support/container-view';
import { upstreamCrds } from '../../support/upstream-definitions';
import type { TestObject } from '../support/cluster';
import { installCrds } from '../support/crds';
import { createNamespace, deleteNamespace } from '../support/namespace';

const FRAMEWORKS: readonly FrameworkName[] = ['pytorch', 'tensorflow', 'mxnet', 'jax', 'xgboost', 'lightgbm', 'paddle', 'plain'];

let namespace: string;

beforeAll(async () => {
  namespace = await createNamespace('spark');
  await installCrds(upstreamCrds('spark-operator'));
}, 120_000);
afterAll(async () => {
  await deleteNamespace(namespace);
});

/** The parts of a SparkApplication that have pods; their containers get images from elsewhere in it. */
interface ApplicationSpec {
  readonly driver: { readonly template: StoredTemplate };
  readonly executor: { readonly template: StoredTemplate };
}

function withImage({ metadata, spec }: StoredTemplate): StoredTemplate {
  return { metadata, spec: { ...spec, containers: spec.containers.map((container) => ({ image: 'image', ...container })) } };
}

async function submitted(engine: Engine, framework: FrameworkName, form: Partial<TrainingJobProps>) {
  const objects = await accepted(synthesize(engine, framework, namespace, { resources: { memory: Size.gibibytes(2) }, ...form }), namespace);
  const { spec: { driver, executor } } = objects.find(({ kind }) => kind === 'SparkApplication') as TestObject & { readonly spec: ApplicationSpec };
  for (const template of [driver.template, executor.template]) {
    await acceptedAsPod(withImage(template), namespace);
  }
  return { executor, files: objects.find(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === 'net-spark')!, objects };
}

describe('the API server accepts as a SparkApplication, whose first and last program find what the operator gives them:', () => {
  // MXNet's short form has a master with two containers more.
  test.each(pairs(FRAMEWORKS).filter(([title]) => title !== 'mxnet 3'))('%s', async (_title, framework, form) => {
    const { executor, files } = await submitted(Engine.spark(), framework, form);
    const spec = { framework, image: 'image', command: PRINT_ENVIRONMENT, ...form } as TrainingJobSpec;
    for (const { found, command, expected } of await launchedEdges(files, spec, () => executor.template)) {
      expect(found).toEqual(expected);
      expect(command).toEqual(PRINT_ENVIRONMENT);
    }
  });

  test('a job with everything that Spark can do', async () => {
    const engine = Engine.spark({ sparkVersion: '3.5.7', applicationRetries: 1, driver: { cpu: Cpu.units(2), memory: Size.gibibytes(4), nodeSelector: { pool: 'stable' } } });
    const { objects } = await submitted(engine, 'pytorch', {
      replicas: 3,
      runPolicy: { restartPolicy: RestartPolicy.EXIT_CODE, backoffLimit: 3, exitCodes: { fail: [1], retry: [2] } },
      scheduling: { gang: Gang.volcano({ queue: 'research' }) },
      security: { restricted: true, runAsUser: 185, networkPolicy: {} },
      debug: true,
    });
    expect(objects.map(({ kind }) => kind).sort()).toEqual([
      'ConfigMap', 'ConfigMap', 'NetworkPolicy', 'Role', 'RoleBinding', 'ServiceAccount', 'SparkApplication',
    ]);
  });
});
