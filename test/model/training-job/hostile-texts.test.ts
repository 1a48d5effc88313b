/** No text in any field of a spec makes a check slow, or reaches a message as something that a terminal obeys. */
import { hasUnseen } from '../../../src/model/text/printable';
import { trainingJobSchema } from '../../../src/model/training-job/schema/training-job-schema';
import type { TrainingJobSpec } from '../../../src/model/training-job/spec';
import { validateTrainingJob } from '../../../src/model/training-job/validation/validation';
import { formatViolation, formatViolations } from '../../../src/model/violations';
import { computingMs, LITTLE_MS } from '../../support/cpu-time';
import { longText } from '../../support/hostile-texts';

interface Schema {
  readonly type?: string;
  readonly properties?: { readonly [name: string]: Schema };
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
}

type Step = string | number;

/** Places of texts, and of whatever a user may put where the schema keeps anything. */
function placesOf(schema: Schema, path: readonly Step[] = []): (readonly Step[])[] {
  const { type, properties = {}, items, additionalProperties } = schema;
  return [
    ...(type === 'string' || schema['x-kubernetes-preserve-unknown-fields'] === true ? [path] : []),
    ...Object.entries(properties).flatMap(([name, field]) => placesOf(field, [...path, name])),
    ...(items === undefined ? [] : placesOf(items, [...path, 0])),
    ...(typeof additionalProperties === 'object' ? placesOf(additionalProperties, [...path, 'KEY']) : []),
  ];
}

function withText(place: readonly Step[], text: string): unknown {
  const [step, ...rest] = place;
  if (step === undefined) {
    return text;
  }
  const below = withText(rest, text);
  return typeof step === 'number' ? [below] : { [step === 'KEY' && rest.length === 0 && text.length < 1000 ? text : step]: below };
}

const spec = (trainingJobSchema() as unknown as { readonly properties: { readonly spec: Schema } }).properties.spec;
const PODS = [
  ['template', 'spec', 'hostname'], ['template', 'spec', 'restartPolicy'], ['template', 'spec', 'containers', 0, 'name'], ['template', 'spec', 'containers', 0, 'workingDir'],
  ['template', 'metadata', 'labels', 'KEY'], ['env', 0, 'name'], ['env', 0, 'value'], ['hyperparameters', 'KEY'],
] as const;
const places: readonly (readonly Step[])[] = [...placesOf(spec), ...PODS];

const TEXTS: readonly (readonly [string, string])[] = [
  ['blanks', longText(' ')], ['a scheme', `://${longText('a')}`], ['letters', longText('a')], ['slashes', longText('/')], ['dashes', longText('-')],
  ['line ends', longText('\n')], ['controls', longText('\u001b[2J\u202e')], ['brackets', longText('[')], ['short controls', '1a\u2028\u001b[2J\u202e\n\r\u0000b'],
];

test('there are places to try', () => {
  expect(places.length).toBeGreaterThan(60);
});

test.each(TEXTS)('%s in any field: the check takes no time, and its messages are printable lines', (_what, text) => {
  for (const place of places) {
    const hostile = { framework: 'pytorch', image: 'x', replicas: 1, ...withText(place, text) as object } as unknown as TrainingJobSpec;
    const took = computingMs(() => formatViolations(validateTrainingJob('net', hostile)));
    expect([place.join('.'), took < LITTLE_MS]).toEqual([place.join('.'), true]);
    for (const violation of validateTrainingJob('net', hostile)) {
      expect([place.join('.'), hasUnseen(formatViolation(violation))]).toEqual([place.join('.'), false]);
    }
  }
});

test('more mistakes than a call takes arguments are told', () => {
  const spec = { framework: 'pytorch', image: 'x', replicas: 1, args: Array.from({ length: 300_000 }, () => 0) } as unknown as TrainingJobSpec;
  expect(formatViolations(validateTrainingJob('net', spec))).toContain('and 299980 more');
});

test('of many fields that do not exist some are told one by one, and how many more there are', () => {
  const unknown = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`replica${i}`, 1]));
  const spec = { framework: 'pytorch', image: 'x', replicas: 1, ...unknown } as unknown as TrainingJobSpec;
  const violations = validateTrainingJob('net', spec);
  expect(violations).toHaveLength(51);
  expect(violations.at(-1)).toMatchObject({ path: 'spec', message: expect.stringContaining('has 19950 more unknown fields of') as string });
  expect(computingMs(() => validateTrainingJob('net', spec))).toBeLessThan(LITTLE_MS);
});
