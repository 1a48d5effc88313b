import { fieldPosition } from '../../../src/cli/manifests/field-position';
import { parseYaml } from '../../../src/cli/manifests/yaml-documents';
import { computingMs, LITTLE_MS } from '../../support/cpu-time';

test('the first of several entries of one name is meant', () => {
  const { documents: [{ source }] } = parseYaml('env:\n- { name: A, value: x }\n- { name: B, value: x }\n- { name: A, value: y }\n');
  expect(fieldPosition(source, [], 'env[\'A\'].name')).toEqual({ line: 2, column: 11 });
  expect(fieldPosition(source, [], 'env[2].value')).toEqual({ line: 4, column: 21 });
});

test('thousands of fields of one map, and of entries of one list, are found in no time', () => {
  const count = 10_000;
  const lines = Array.from({ length: count }, (_, i) => i);
  const { documents: [{ source }] } = parseYaml(`map:\n${lines.map((i) => `  k${i}: x\n`).join('')}list:\n${lines.map((i) => `- name: n${i}\n`).join('')}`);
  expect(computingMs(() => {
    for (let i = 0; i < count; i++) {
      expect(fieldPosition(source, [], `map.k${i}`).line).toBe(i + 2);
      expect(fieldPosition(source, [], `list['n${i}'].name`).line).toBe(count + i + 3);
    }
  })).toBeLessThan(LITTLE_MS);
});
