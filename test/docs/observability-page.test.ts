import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseAllDocuments } from 'yaml';
import { eventsPage } from '../../scripts/docs/events-page';
import { monitoringPage } from '../../scripts/docs/monitoring-page';
import { observabilityPage } from '../../scripts/docs/observability-page';
import { FAMILIES } from '../../src/operator/training/metrics/families';
import { EXAMPLES, synthesizeExample } from '../support/examples';

const read = (page: string) => readFileSync(path.join(__dirname, '..', '..', 'docs', page), 'utf8');

test('docs/operator/observability.md is what the lists of metrics and alerts say (npm run docs writes it)', () => {
  expect(read('operator/observability.md')).toBe(observabilityPage());
});

test('docs/operator/monitoring.md is what the lists of alerts and metrics say (npm run docs writes it)', () => {
  expect(read('operator/monitoring.md')).toBe(monitoringPage());
});

test('docs/operator/observability.md names each metric in a table', () => {
  const page = observabilityPage();
  expect(FAMILIES.filter(({ name }) => !page.includes(`| \`${name}\` |`))).toEqual([]);
});

test('docs/operator/events.md is what the list of reasons says (npm run docs writes it)', () => {
  expect(read('operator/events.md')).toBe(eventsPage());
});

test('the example\'s README lists what its program installs for monitoring', () => {
  const objects = parseAllDocuments(synthesizeExample('monitoring/main.ts').get('monitoring.k8s.yaml')!).map((document) => document.toJS());
  const installed = objects.filter(({ kind, metadata }) => ['ServiceMonitor', 'PodMonitor', 'PrometheusRule'].includes(kind) || metadata.name.endsWith('-dashboard'));
  const listed = installed.map(({ kind, metadata }) => `    ${kind} ${metadata.namespace}/${metadata.name}\n`).join('');
  expect(readFileSync(path.join(EXAMPLES, 'monitoring', 'README.md'), 'utf8')).toContain(listed);
});
