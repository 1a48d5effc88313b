import { readFileSync } from 'node:fs';
import path from 'node:path';
import { acceleratorsPage } from '../../scripts/docs/accelerators-page';
import { Accelerator } from '../../src';
import { GPUS, TPUS, machineNames } from '../../src/model/accelerators/catalogue';

const page = acceleratorsPage();

test('docs/jobs/accelerators.md is what the model says (npm run docs writes it)', () => {
  expect(readFileSync(path.join(__dirname, '..', '..', 'docs', 'jobs', 'accelerators.md'), 'utf8')).toBe(page);
});

test('the page has every accelerator that can be had, and every series of machines', () => {
  const types = [...GPUS.filter(({ endOfSupport }) => endOfSupport === undefined), ...TPUS].map(({ type }) => type);
  expect(types.filter((type) => !page.includes(`\`${type}\``))).toEqual([]);
  const series = machineNames().filter((name) => !name.startsWith('n1-')).map((name) => name.split('-').slice(0, 2).join('-'));
  expect(series.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});

test('the names of accelerators on the page are those of the class', () => {
  const named = [...page.matchAll(/`(NVIDIA_[A-Z0-9_]+)`/g)].map(([, name]) => name);
  expect(named.length).toBe(GPUS.length - 1);
  expect(named.filter((name) => !(name in Accelerator))).toEqual([]);
});
