import fc from 'fast-check';
import { objections, servingCrds } from './support/accepted';
import { constructInferenceService } from '../../../src/manifests/serving/inference-service';
import { servingName, validService } from '../../model/serving/arbitraries';
import { installCrds } from '../support/crds';
import { createNamespace, deleteNamespace } from '../support/namespace';

const crds = servingCrds();

let namespace: string;

beforeAll(async () => {
  namespace = await createNamespace('serving');
  if (crds !== undefined) {
    await installCrds(crds);
  }
});
afterAll(async () => {
  await deleteNamespace(namespace);
});

(crds === undefined ? test.skip : test)('the API server accepts any service that the rules accept', async () => {
  await fc.assert(fc.asyncProperty(servingName, validService, async (name, spec) => {
    expect(await objections([constructInferenceService({ name, namespace, spec })], namespace)).toEqual([]);
  }), { numRuns: 150 });
});
