/**
 * Model serving, as a real API server with the upstream definitions and strict field validation sees it. One file: these are the largest definitions
 * of all.
 */
import fc from 'fast-check';
import { objections, synthesize } from './support/accepted';
import { INFERENCE_SERVICES, storage } from './support/inference-services';
import { OTHERS } from './support/others';
import { Checkpoint, Framework, TrainingJob } from '../../../src';
import { InferenceService, ModelFormat, Predictor, ServingMode } from '../../../src/constructs/serving';
import { constructInferenceService } from '../../../src/manifests/serving/inference-service';
import { servingName, validService } from '../../model/serving/arbitraries';
import { upstreamCrds } from '../../support/upstream-definitions';
import { installCrds } from '../support/crds';
import { createNamespace, deleteNamespace } from '../support/namespace';

let namespace: string;

beforeAll(async () => {
  namespace = await createNamespace('serving');
  await installCrds(upstreamCrds('kserve', 'gateway-api'));
});
afterAll(async () => {
  await deleteNamespace(namespace);
});

describe('the API server accepts, strictly and without a warning,', () => {
  test.each([...INFERENCE_SERVICES, ...OTHERS])('%s', async (_title, program) => {
    expect(await objections(synthesize(namespace, program), namespace)).toEqual([]);
  });

  test('a service of a job\'s checkpoint', async () => {
    const objects = synthesize(namespace, (chart) => {
      const job = new TrainingJob(chart, 'Train', { framework: Framework.pytorch(), image: 'train:1', replicas: 1, checkpoint: Checkpoint.at('gs://runs/mnist') });
      InferenceService.fromCheckpoint(chart, 'Serve', job, { mode: ServingMode.STANDARD, model: { format: ModelFormat.PYTORCH }, path: 'export' });
    });
    expect(await objections(objects.filter(({ kind }) => kind === 'InferenceService'), namespace)).toEqual([]);
  });

  test('any service that the rules accept', async () => {
    await fc.assert(fc.asyncProperty(servingName, validService, async (name, spec) => {
      expect(await objections([constructInferenceService({ name, namespace, spec })], namespace)).toEqual([]);
    }), { numRuns: 150 });
  });
});

describe('the API server refuses', () => {
  test('a field that no definition has, so that the tests above can fail', async () => {
    const objects = synthesize(namespace, (chart) => {
      new InferenceService(chart, 'Iris', { mode: ServingMode.STANDARD, predictor: Predictor.model({ format: ModelFormat.SKLEARN, storage, podSpec: { nodeSelectors: {} } }) });
    });
    expect(await objections(objects, namespace)).toEqual([expect.stringContaining('unknown field "spec.predictor.nodeSelectors"')]);
  });
});
