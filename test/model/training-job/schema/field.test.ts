import * as field from '../../../../src/model/training-job/schema/field';
import { shapeOf } from '../../../../src/model/training-job/schema/field-shape';
import { checkShape } from '../../../../src/model/shapes';

const ACTION = field.words('Action', 'What happens then.', { Restart: 'All start again.', Fail: 'The job fails.' });

const WAIT = field.block('the wait', 'How long to wait.', {
  initialSeconds: field.seconds('Before the first restart.', { default: 10 }),
  maxSeconds: field.seconds('Longest time.', { otherwise: 'no end' }),
}, { default: { initialSeconds: 10 } });

const BLOCK = field.block('the block', 'A block.', {
  image: field.image('Its image.', { required: 'the image.', fixed: true }),
  count: field.integer('How many.', { minimum: 1, maximum: 5, says: 'must be one to five.' }),
  action: field.word('What happens.', ACTION, { default: 'Restart' }),
  wait: WAIT,
  labels: field.map('Labels.', field.text('Value.', { maxLength: 63 }), { maxProperties: 4 }),
  hosts: field.list('Hosts.', field.objectName('One of them.'), { minItems: 1, maxItems: 3, fixed: 'presence' }),
}, { at: 'spec.block' });

type Spec = field.ValueOf<typeof BLOCK>;

describe('a table of fields', () => {
  test('has the type of its values', () => {
    const spec: Spec = { image: 'a', action: 'Fail', wait: { maxSeconds: 3 }, hosts: ['a'] };
    // @ts-expect-error the image is required
    const empty: Spec = {};
    // @ts-expect-error no word of the field
    const other: Spec = { image: 'a', action: 'Stop' };
    expect([spec, empty, other]).toHaveLength(3);
  });

  test('has the schema of the definition: bounds, defaults, what is required, sentences with what happens without the field', () => {
    const { properties, required } = BLOCK.schema;
    expect(required).toEqual(['image']);
    expect(properties!.count).toEqual({ type: 'integer', description: 'How many.', minimum: 1, maximum: 5 });
    expect(properties!.action).toEqual({ type: 'string', description: 'What happens.', enum: ['Restart', 'Fail'], default: 'Restart' });
    expect(properties!.wait.properties!.maxSeconds).toEqual({ type: 'integer', description: 'Longest time. In seconds. Default: no end.', minimum: 0, maximum: 2 ** 31 - 1 });
    expect(properties!.wait.default).toEqual({ initialSeconds: 10 });
    expect(properties!.hosts).toMatchObject({ type: 'array', minItems: 1, maxItems: 3, 'x-kubernetes-list-type': 'atomic' });
  });

  test('has rules on what stays as it is, at the field for its value and at the block for its presence', () => {
    expect(BLOCK.schema.properties!.image['x-kubernetes-validations']).toEqual([{ rule: 'self == oldSelf', message: field.FIXED, reason: 'FieldValueForbidden' }]);
    expect(BLOCK.schema.properties!.hosts['x-kubernetes-validations']).toBeUndefined();
    const [presence] = BLOCK.schema['x-kubernetes-validations']!;
    expect(presence.rule).toBe('self == oldSelf || !(has(self.image) != has(oldSelf.image) || has(self.hosts) != has(oldSelf.hosts))');
    expect(presence.messageExpression).toContain('\'spec.block.image cannot change');
  });

  test('fills its defaults in, those of blocks too, and leaves the rest as it is', () => {
    expect(field.resolve(BLOCK, { image: 'a', wait: { maxSeconds: 3 } })).toEqual({ image: 'a', action: 'Restart', wait: { initialSeconds: 10, maxSeconds: 3 } });
    expect(field.resolve(WAIT, undefined)).toEqual({ initialSeconds: 10 });
    expect(field.defaultsOf(BLOCK)).toEqual({ action: 'Restart', wait: { initialSeconds: 10 } });
  });

  test.each([
    [{}, 'spec.image', 'is required: the image.'],
    [{ image: 'a b' }, 'spec.image', 'must be an image name'],
    [{ image: 'a', count: 6 }, 'spec.count', 'must be one to five.'],
    [{ image: 'a', action: 'restart' }, 'spec.action', 'must be one of Restart, Fail.'],
    [{ image: 'a', wait: { initialSeconds: -1 } }, 'spec.wait.initialSeconds', 'must be a whole number, 0 or more.'],
    [{ image: 'a', wait: { initial: 1 } }, 'spec.wait.initial', 'is not a field of the wait.'],
    [{ image: 'a', labels: { a: 1 } }, 'spec.labels.a', 'must be a string.'],
    [{ image: 'a', hosts: [] }, 'spec.hosts', 'must have at least 1 entry.'],
    [{ image: 'a', hosts: ['A'] }, 'spec.hosts[0]', 'must be an object name'],
  ])('checks %j', (spec, path, message) => {
    expect(checkShape(shapeOf(BLOCK), spec, 'spec')).toEqual([expect.objectContaining({ path, message: expect.stringContaining(message) })]);
  });

  test('takes what fits', () => {
    expect(checkShape(shapeOf(BLOCK), { image: 'a', count: 5, action: 'Fail', wait: {}, labels: { a: '1' }, hosts: ['a'] }, 'spec')).toEqual([]);
  });

  test('names the properties of the construct', () => {
    expect(field.propertyOf('startTimeoutSeconds', field.seconds('A time.'))).toBe('startTimeout');
    expect(field.propertyOf('forSeconds', field.seconds('A time.', { property: 'avoidFor' }))).toBe('avoidFor');
    expect(field.propertyOf('count', BLOCK.fields.count)).toBe('count');
    expect(field.propertyOf('enabled', field.boolean('Whether.', { property: false }))).toBeUndefined();
  });
});
