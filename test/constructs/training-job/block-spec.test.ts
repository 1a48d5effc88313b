import { Duration } from 'cdk8s';
import { blockSpec } from '../../../src/constructs/training-job/to-spec';
import * as field from '../../../src/model/training-job/schema/field';

const BLOCK = field.block('the block', 'A block.', {
  timeoutSeconds: field.seconds('How long.'),
  count: field.integer('How many.'),
  inner: field.block('the inner block', 'Inside.', { forSeconds: field.seconds('How long.', { property: 'duration' }) }),
  enabled: field.boolean('Whether.', { property: false }),
  kind: field.text('Which.'),
});

describe('properties of a block', () => {
  const render = blockSpec<typeof BLOCK.fields, object>(BLOCK);

  test('become fields: durations seconds, blocks blocks, and nothing that was not given', () => {
    const rendered = render({ timeout: Duration.minutes(2), inner: { duration: Duration.seconds(5) } });
    expect(rendered).toEqual({ timeoutSeconds: 120, inner: { forSeconds: 5 } });
    expect(render({ count: 0, timeout: undefined })).toEqual({ count: 0 });
  });

  test('of other names, and fields without a property, are not taken over', () => {
    expect(render({ enabled: true, timeoutSeconds: 3, other: 1 })).toEqual({});
  });

  test('can have rules of their own', () => {
    const own = blockSpec<typeof BLOCK.fields, { readonly word: string }>(BLOCK, {
      kind: ({ word }) => (word === '' ? undefined : `the ${word}`),
    });
    expect([own({ word: 'first' }), own({ word: '' })]).toEqual([{ kind: 'the first' }, {}]);
  });
});
