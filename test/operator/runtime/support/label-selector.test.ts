import { compileLabelSelector } from './label-selector';

describe('label selectors', () => {
  const labels = { app: 'web', tier: 'front', empty: '' };
  it.each([
    ['', true],
    ['app=web', true],
    ['app==web,tier=front', true],
    ['app=web,tier=back', false],
    ['app!=db', true],
    ['missing!=x', true],
    ['app', true],
    ['!app', false],
    ['!missing', true],
    ['app in (db, web)', true],
    ['app in (db)', false],
    ['app notin (db,cache),tier', true],
    ['missing notin (x)', true],
    ['missing in (x)', false],
    ['empty=', true],
  ])('"%s"', (selector, expected) => {
    expect(compileLabelSelector(selector)(labels)).toBe(expected);
  });

  it('that are none are refused', () => {
    expect(() => compileLabelSelector('a=b,c d')).toThrow('Reading label selector "a=b,c d": "c d" is not one of');
  });

  it('match nothing by accident where there are no labels', () => {
    expect(compileLabelSelector('a=b')(undefined)).toBe(false);
  });
});
