/**
 * What a search by Katib writes, shown to an API server that has the upstream definitions. Katib's own says nothing of an Experiment's fields, so
 * that the jobs of trials, as its controller would create them, are shown too: by every engine, for every kind of job.
 */
import { App, Chart, Testing } from 'cdk8s';
import { apiRequest, ControlPlane } from '../../../src/local/control-plane';
import { constructTrainingJobCrd } from '../../../src/manifests/mltrainingjob-crd';
import { Checkpoint, Engine, Framework, Gpu, TuningParameter, TuningScale, type TrainingJobProps } from '../../../src';
import { HyperparameterSearch, KatibMetrics, SearchEngine } from '../../../src/constructs/tuning';
import { trialOf } from '../../manifests/katib/katib';
import { AllDefinitions } from '../support/all-definitions';
import type { TestObject } from '../support/cluster';
import { installDefinition } from '../support/crds';

let plane: ControlPlane;
let definitions: AllDefinitions;
beforeAll(async () => {
  plane = await ControlPlane.start();
  definitions = new AllDefinitions(plane.access());
  await installDefinition(plane.access(), constructTrainingJobCrd() as unknown as TestObject);
});
afterAll(async () => plane?.stop());

/** What the API server has against an object, warnings too. Nothing is kept. */
async function objections(object: TestObject): Promise<string[]> {
  const file = await definitions.pathOf(object);
  if (file === undefined) {
    return [`no definition here knows ${object.apiVersion} ${object.kind}`];
  }
  const { status, body, warnings } = await apiRequest<TestObject>(plane.access(), 'PATCH', `${file}?fieldValidation=Strict&fieldManager=test&force=true&dryRun=All`,
    { body: object, contentType: 'application/apply-patch+yaml' });
  return [...(status < 300 ? [] : [String(body.message)]), ...warnings];
}

const ENGINES: readonly (readonly [string, Engine])[] = [
  ['our operator', Engine.operator()], ['Kubeflow Trainer', Engine.trainer()], ['training-operator v1', Engine.trainingOperatorV1()], ['JobSet', Engine.jobSet()],
  ['a plain Job', Engine.job()], ['Volcano', Engine.volcano()],
];

const FRAMEWORKS: readonly (readonly [string, Framework])[] = [['pytorch', Framework.pytorch()], ['jax', Framework.jax()], ['xgboost', Framework.xgboost()]];

const CASES = ENGINES.flatMap(([title, engine]) => FRAMEWORKS.map(([name, framework]) => ({ title, engine, name, framework })));

function written(job: TrainingJobProps): TestObject[] {
  const chart = new Chart(new App(), 'katib');
  new HyperparameterSearch(chart, 'Tuned', {
    metadata: { name: 'tuned' },
    objective: 'loss',
    parameters: { lr: TuningParameter.float({ min: 0.001, max: 0.1, scale: TuningScale.LOG }) },
    searchEngine: SearchEngine.katib({ metrics: KatibMetrics.stdOut() }),
    job,
  });
  return Testing.synth(chart) as TestObject[];
}

describe('the API server accepts, strictly and without a warning,', () => {
  test.each(CASES)('a search whose trials are $name jobs of $title, and such a trial', async ({ engine, framework }) => {
    const objects = written({
      framework, engine, image: 'train:1', command: ['python', 'train.py'], args: ['--lr=$(lr)'], replicas: 3, resources: { gpu: Gpu.nvidia(1) },
      checkpoint: Checkpoint.at('gs://runs/vision'),
    });
    const experiment = objects.find(({ kind }) => kind === 'Experiment')!;
    const { trialTemplate } = experiment.spec;
    const trial = trialOf(trialTemplate, { name: 'tuned-abcd2345', values: { lr: '0.01' } }) as TestObject;
    const found: string[] = [];
    for (const object of [...objects, trial]) {
      found.push(...(await objections(object)).map((text) => `${object.kind}: ${text}`));
    }
    expect(found).toEqual([]);
    // Katib puts the collector into the pod that has these labels, and looks for this container in it.
    expect(Object.keys(trialTemplate.primaryPodLabels).length).toBeGreaterThan(0);
    expect(trialTemplate.primaryContainerName).toMatch(/^(training|node|pytorch|jax|xgboost)$/);
  });
});
