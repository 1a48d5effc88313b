import { FIELD_PATHS, givenFields } from '../../../../src/model/training-job/fields/field-paths';
import { specSchema } from '../../../../src/model/training-job/schema/spec-schema';
import type { JsonSchema } from '../../../../src/model/training-job/schema/json-schema';

describe('fields of a job', () => {
  test('are found where they are given, in every entry of a list', () => {
    const spec = {
      framework: 'pytorch',
      image: 'a',
      roles: [{ name: 'master', image: 'b' }, { name: 'worker', replicas: 2, image: 'c' }],
      runPolicy: { backoff: { maxSeconds: 9 } },
      template: { spec: { hostNetwork: true } },
    } as const;
    expect(givenFields(spec, FIELD_PATHS).map(({ path, value }) => [path, value])).toEqual([
      ['spec.framework', 'pytorch'],
      ['spec.image', 'a'],
      ['spec.roles[0].name', 'master'],
      ['spec.roles[1].name', 'worker'],
      ['spec.roles[1].replicas', 2],
      ['spec.roles[0].image', 'b'],
      ['spec.roles[1].image', 'c'],
      ['spec.template', { spec: { hostNetwork: true } }],
      ['spec.runPolicy.backoff.maxSeconds', 9],
    ]);
  });

  test('that are null or absent are not given', () => {
    expect(givenFields({ framework: 'jax', image: null, runPolicy: undefined } as never, FIELD_PATHS)).toHaveLength(1);
  });

  test('cover every field of the definition', () => {
    const covered = (path: string) => FIELD_PATHS.some((field) => field === path || field.startsWith(`${path}.`) || field.startsWith(`${path}[]`) || path.startsWith(`${field}.`) || path.startsWith(`${field}[]`));
    const missing: string[] = [];
    const walk = (schema: JsonSchema, path: string): void => {
      for (const [name, below] of Object.entries(schema.properties ?? {})) {
        const here = path === '' ? name : `${path}.${name}`;
        if (!covered(here)) {
          missing.push(here);
        }
        walk(below, here);
        if (below.items) {
          walk(below.items, `${here}[]`);
        }
      }
    };
    walk(specSchema(), '');
    expect(missing).toEqual([]);
  });
});
