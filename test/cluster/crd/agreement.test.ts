import fc from 'fast-check';
import { constructTrainingJobCrd } from '../../../src/manifests/mltrainingjob-crd';
import type { TrainingJobSpec } from '../../../src/model/training-job/spec';
import { validateTrainingJob } from '../../../src/model/training-job/validation/validation';
import type { Violation } from '../../../src/model/violations';
import { anyValue, placesIn, replaceAt } from '../../model/training-job/arbitraries';
import { anySpec } from '../../model/training-job/spec-arbitrary';
import { installCrds } from '../support/crds';
import { createNamespace, deleteNamespace } from '../support/namespace';
import { judge, jobManifest, jobsPath } from '../support/submit';

/** Rules of the library that a definition cannot have, by words of their messages. */
const BEYOND: readonly { readonly says: RegExp; readonly why: string }[] = [];

/** Specs that are judged at a time, so that the API server is not idle. */
const AT_A_TIME = 20;

const SPECS = 5_000;

/** A spec from the tables, or one of which something was replaced by something else. */
const specs = fc.oneof(anySpec, anySpec.chain((spec) => fc.tuple(fc.constantFrom(...placesIn(spec).filter((place) => place.length > 0)), anyValue)
  .map(([place, value]) => replaceAt(spec, place, value))));

let namespace = '';

beforeAll(async () => {
  await installCrds([constructTrainingJobCrd()]);
  namespace = await createNamespace('agreement');
});

afterAll(async () => deleteNamespace(namespace));

test(`${SPECS} random specs: the API server takes what the library takes, and the library refuses nothing else but by rules that a definition cannot have`, async () => {
  await fc.assert(fc.asyncProperty(fc.array(specs, { minLength: AT_A_TIME, maxLength: AT_A_TIME }), async (batch) => {
    await Promise.all(batch.map(async (written) => {
      // What JSON makes of it: no undefined, and null for what is no number.
      const spec = JSON.parse(JSON.stringify(written)) as TrainingJobSpec;
      const violations = validateTrainingJob('net', spec);
      const { status, message } = await judge(jobsPath(namespace), jobManifest('net', spec));
      expect({ spec, status, message, violations: violations.filter(isInDefinition) }).toEqual(violations.some(isInDefinition)
        ? { spec, status: 422, message: expect.any(String), violations: violations.filter(isInDefinition) }
        : { spec, status: violations.length > 0 ? expect.any(Number) : 201, message: violations.length > 0 ? expect.any(String) : '', violations: [] });
    }));
  }), { numRuns: SPECS / AT_A_TIME });
});

function isInDefinition({ message }: Violation): boolean {
  return !BEYOND.some(({ says }) => says.test(message));
}
