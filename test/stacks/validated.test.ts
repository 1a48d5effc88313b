/** The helper that every component checks its arguments with. */
import type * as pulumi from '@pulumi/pulumi';
import { InvalidArgsError, isPending, validated, type ArgRules } from '../../src/stacks/support/validated';
import { NON_EMPTY_TEXT, integer, mapOf, required } from '../../src/model/shapes';
import { late, startRecording, unknown, valueOf } from './support/mocks';

interface Args {
  readonly name?: pulumi.Input<string>;
  readonly least?: pulumi.Input<number>;
  readonly most?: pulumi.Input<number>;
  readonly labels?: pulumi.Input<{ readonly [key: string]: pulumi.Input<string> }>;
}

const RULES: ArgRules<Args> = {
  fields: { name: required(NON_EMPTY_TEXT), least: integer(0), most: integer(0), labels: mapOf(NON_EMPTY_TEXT) },
  across: [{
    fields: ['least', 'most'],
    check: ({ least = 0, most = 9 }) => ((least as number) > (most as number) ? [{ path: 'least', value: least, message: `is more than most, ${most as number}.` }] : []),
  }],
};
const check = (args: Args) => validated({ type: 'Thing', name: 'one' }, args, RULES);

afterEach(() => jest.restoreAllMocks());

test('everything that is wrong with what is known is told at once', () => {
  expect(() => check({ least: -1, most: 1.5, ...{ mots: 3 } })).toThrow([
    "Thing 'one' cannot be created:",
    '  - name: is required.',
    '  - least: -1: must be a whole number, 0 or more.',
    '  - most: 1.5: must be a whole number, 0 or more.',
    "  - mots: 3: is not a field of the arguments. Did you mean 'most'?",
  ].join('\n'));
});

test('a rule on several fields is asked when the shape of each is right', () => {
  expect(() => check({ name: 'a', least: 3, most: 2 })).toThrow('least: 3: is more than most, 2.');
  expect(() => check({ name: 'a', least: 10 })).toThrow('least: 10: is more than most, 9.');
});

test('the error is one that Pulumi shows without a stack trace, and has the violations', () => {
  expect.assertions(2);
  try {
    check({});
  } catch (error) {
    expect((error as { __pulumiRunError?: boolean }).__pulumiRunError).toBe(true);
    expect((error as InvalidArgsError).violations).toEqual([{ path: 'name', value: undefined, message: 'is required.' }]);
  }
});

test('known values stay as they are', () => {
  const args: Args = { name: 'a', least: 1, labels: { team: 'vision' } };
  expect(check(args)).toEqual(args);
});

test('an output that keeps the rules is the value that it resolves to', async () => {
  await startRecording();
  await expect(valueOf(check({ name: late('a') }).name as pulumi.Output<string>)).resolves.toBe('a');
});

test('what is known is refused at once although another field is an output', () => {
  expect(() => check({ name: late('a'), least: -1 })).toThrow('least: -1');
});

test('what is known beside outputs in an object stays known', async () => {
  await startRecording();
  const labels = check({ name: 'a', labels: { team: 'vision', run: late('seven') } }).labels as { readonly team: string; readonly run: pulumi.Output<string> };
  expect(labels.team).toBe('vision');
  await expect(valueOf(labels.run)).resolves.toBe('seven');
});

test('in a preview an unknown output stays unknown, and nothing is said of it', async () => {
  await startRecording({ preview: true });
  const { name } = check({ name: unknown<string>() });
  expect(await (name as unknown as { readonly isKnown: Promise<boolean> }).isKnown).toBe(false);
});

test.each([[1, false], ['a', false], [undefined, false], [null, false], [{ a: [{ b: 1 }] }, false], [Promise.resolve(1), true], [{ a: [{ b: Promise.resolve(1) }] }, true]])(
  '%p is pending: %p', (value, expected) => expect(isPending(value)).toBe(expected));
