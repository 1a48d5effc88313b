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
const BEYOND: readonly { readonly says: RegExp; readonly why: string }[] = [
  { says: /must be an image name, without spaces/, why: 'other spaces than those of ASCII' },
  { says: /is the number of slots in the hostfile/, why: 'what the word means depends on the framework' },
  { says: /would start .* again after it succeeded/, why: 'which roles a success policy waits for is a table of frameworks' },
  { says: /is not possible: (the kubelet supports only|replicas of)/, why: 'which replicas depend on each other is a table of frameworks' },
  { says: /is not possible: /, why: 'restarts in place depend on policies of all roles, with their defaults' },
  { says: /is a training role of/, why: 'the roles of the short form are a table of frameworks' },
  { says: /is also the name of a training role/, why: 'the same' },
  { says: /is torchrun's own limit/, why: 'the limit means nothing there, and the API server lets it stand' },
  { says: /is a separate container next to training/, why: 'what is in a template is the pods\' definition to judge' },
  { says: /must be at most the number of replicas of all roles/, why: 'the replicas of the short form are a table of frameworks' },
  { says: /all roles together have at most/, why: 'the short form adds roles, such as a launcher' },
  { says: /^(are|is) required: (a categorical parameter|give min and max)/, why: 'rules cannot see a list of numbers and strings' },
  { says: /must be a (whole )?number, because the type is/, why: 'the same' },
  { says: /is listed twice\. Remove one/, why: 'the same' },
  { says: /must be a number or a string\.$/, why: 'the same' },
  { says: /cannot be combined with a range \(min, max, step or scale\)/, why: 'the same' },
  { says: /would make hyperband start \d+ trials at once/, why: 'the size of a rung is computed by a loop' },
  { says: /is passed to scripts as \w+, and so is/, why: 'how the name of a parameter becomes that of a variable is a function' },
  { says: /is not an address range/, why: 'addresses are read by a parser, whose zeros and zones differ from those of CEL' },
];

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

test(`${SPECS} random specs: the API server takes what the library takes, and the library refuses more only by rules that a definition cannot have`, async () => {
  const seed = Number(process.env.TRAINYARD_SEED ?? 1);
  const drawn = fc.sample(specs, { numRuns: SPECS, seed });
  const disagreements = new Map<string, object>();
  let accepted = 0;
  for (let first = 0; first < drawn.length; first += AT_A_TIME) {
    await Promise.all(drawn.slice(first, first + AT_A_TIME).map(async (written) => {
      // What JSON makes of it: no undefined, and null for what is no number.
      const spec = JSON.parse(JSON.stringify(written)) as TrainingJobSpec;
      const violations = validateTrainingJob('net', spec);
      const { status, message } = await judge(jobsPath(namespace), jobManifest('net', spec));
      accepted += status === 201 ? 1 : 0;
      if (status !== 201 && violations.length === 0) {
        disagreements.set(`the API server refuses: ${message}`, spec);
      } else if (status === 201 && violations.some((violation) => !isBeyond(violation))) {
        disagreements.set(`the library refuses: ${violations.filter((violation) => !isBeyond(violation)).map((each) => `${each.path}: ${each.message}`).join('; ')}`, spec);
      }
    }));
  }
  expect({ seed, disagreements: [...disagreements] }).toEqual({ seed, disagreements: [] });
  // Otherwise little would be compared.
  expect(accepted).toBeGreaterThan(SPECS / 10);
});

/** The API server drops null before its rules see it; whoever wrote it meant a value. */
function isBeyond({ message, value }: Violation): boolean {
  return value === null || BEYOND.some(({ says }) => says.test(message));
}
