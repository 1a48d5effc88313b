/** The page about other controllers: that each defect has a test that holds it, and that what stays as it is is said where people look for it. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { isThere, namedTests, ROOT } from './support/named-tests';

const read = (file: string) => readFileSync(path.join(ROOT, 'docs', file), 'utf8');
const PAGE = read('engines/foreign-controllers.md');
const ROWS = PAGE.split('\n').filter((line) => /^\| \d+ \|/.test(line));

test('all defects have a test each, which is there', () => {
  expect(ROWS).toHaveLength(30);
  expect(ROWS.filter((row) => namedTests(row).length === 0)).toEqual([]);
  expect(namedTests(PAGE)).toHaveLength(PAGE.split('.test.ts` *').length - 1);
  expect(namedTests(PAGE).filter((test) => !isThere(test))).toEqual([]);
});

test.each([
  ['ranks of a PaddleJob with a master', 'engines/training-operator-v1.md', '`RANK` and `PADDLE_RANK` in PaddlePaddle with a master'],
  ['an elastic PyTorchJob after kubectl scale', 'engines/training-operator-v1.md', 'is a conflict on `.spec.pytorchReplicaSpecs.Worker.replicas`'],
  ['the Service of a Job after its TTL', 'engines/job.md', 'The headless Service, and a ConfigMap, NetworkPolicy or PodGroup if the job needs one, stay'],
])('what cannot be changed is on the page of its engine: %s', (_what, file, words) => {
  expect(read(file)).toContain(words);
});
