import { readFileSync } from 'node:fs';
import path from 'node:path';
import { eventsPage } from '../../scripts/docs/events-page';
import { observabilityPage } from '../../scripts/docs/observability-page';
import { FAMILIES } from '../../src/operator/training/metrics/families';

const read = (page: string) => readFileSync(path.join(__dirname, '..', '..', 'docs', page), 'utf8');

test('docs/observability.md is what the lists of metrics and alerts say (npm run docs writes it)', () => {
  expect(read('observability.md')).toBe(observabilityPage());
});

test('docs/observability.md names each metric in a table', () => {
  const page = observabilityPage();
  expect(FAMILIES.filter(({ name }) => !page.includes(`| \`${name}\` |`))).toEqual([]);
});

test('docs/events.md is what the list of reasons says (npm run docs writes it)', () => {
  expect(read('events.md')).toBe(eventsPage());
});
