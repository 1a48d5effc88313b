/**
 * Alerts in the eyes of Prometheus itself: it takes all rules, and in a short story each alert fires with the texts that it should have, and in
 * another, which looks like it, does not. Skipped, and said so, where promtool is not on this machine (`npm run promtool:install`).
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { AlertCase, Series } from './cases/alert-case';
import { GPU_CASES } from './cases/gpu';
import { OPERATOR_CASES } from './cases/operator';
import { RAY_CASES } from './cases/ray';
import { LLM_CASES } from './cases/llm';
import { SERVING_CASES } from './cases/serving';
import { SPARK_CASES } from './cases/spark';
import { SYSTEMS, systemCalled } from './support/systems';
import { constructRuleGroups } from '../../../src/manifests/monitoring/monitors';
import { alertsOf, type Alert } from '../../../src/model/monitoring/monitored-system';
import { findPromtool, runPromtool } from '../../support/promtool';
import { describeUnless } from '../../support/where-possible';

const CASES = [...OPERATOR_CASES, ...GPU_CASES, ...RAY_CASES, ...SPARK_CASES, ...SERVING_CASES, ...LLM_CASES];

const promtool = findPromtool();
const missing = promtool === undefined ? 'promtool is not on this machine (npm run promtool:install, or TRAINYARD_PROMTOOL)' : undefined;
const whenThere = describeUnless(missing, 'alerts in promtool');

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'trainyard-rules-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

/** Writes rules as Prometheus reads them. JSON is YAML. */
function write(file: string, content: unknown): string {
  writeFileSync(path.join(folder, file), JSON.stringify(content));
  return file;
}

/** What the texts of an alert say in a story. */
function told(text: string, { labels, value = '' }: AlertCase): string {
  return text
    .replace(/{{ or \$labels\.(\w+) \$labels\.(\w+) }}/g, (_, first: string, second: string) => labels[first] ?? labels[second])
    .replace(/{{ \$labels\.(\w+) }}/g, (_, label: string) => labels[label])
    .replace(/{{ \$value(?: \| \w+)? }}/g, value);
}

/** A test of promtool: the alert fires in this way, or not. */
function story(series: Series, { at, alert }: AlertCase, fires: object[]): object {
  return {
    interval: '1m',
    input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
    alert_rule_test: [{ eval_time: at, alertname: alert, exp_alerts: fires }],
  };
}

function alertOf({ system, alert, about }: AlertCase): Alert {
  const group = systemCalled(system).groups.filter(({ name }) => about === undefined || name.endsWith(about.toLowerCase().replace(' ', '-')));
  return alertsOf(group).find(({ alert: name }) => name === alert)!;
}

test('every alert has a story', () => {
  const told = new Set(CASES.map(({ system, alert, about = '' }) => `${system}: ${alert} ${about}`));
  const titles = ['the operator', 'all GPUs', 'GPUs on GKE', 'Ray', 'Spark', 'model servers', 'one LLMInferenceService'];
  const alerts = titles.flatMap((title) => systemCalled(title).groups.flatMap((group) => alertsOf([group]).map(({ alert }) => {
    const about = { knative: 'Knative', istio: 'Istio', 'envoy-gateway': 'Envoy Gateway' }[group.name.replace('trainyard-serving-requests-', '')] ?? '';
    return `${title}: ${alert} ${about}`;
  })));
  expect([...told].sort()).toEqual([...new Set(alerts)].sort());
});

whenThere('promtool', () => {
  test.each(SYSTEMS)('takes the rules of $title', ({ groups }) => {
    const file = write('rules.yaml', { groups: constructRuleGroups(groups) });
    const { code, output } = runPromtool(promtool!, ['check', 'rules', '--lint-fatal', file], folder);
    expect(output).toMatch(/SUCCESS: [1-9][0-9]* rules found/);
    expect(code).toBe(0);
  });

  test('refuses a rule that is none', () => {
    const file = write('rules.yaml', { groups: [{ name: 'a', rules: [{ alert: 'A', expr: 'sum by (a (b)' }] }] });
    expect(runPromtool(promtool!, ['check', 'rules', file], folder)).toMatchObject({ code: 1, output: expect.stringContaining('parse error') });
  });

  test.each(CASES.map((each) => [`${each.alert}${each.about === undefined ? '' : `, by ${each.about},`}`, each] as const))('lets %s fire, and only then', (_title, each) => {
    const { severity, labels, summary, description } = alertOf(each);
    const rules = write('rules.yaml', { groups: constructRuleGroups(systemCalled(each.system).groups) });
    const texts = { summary: told(summary, each), description: told(description, each) };
    const firing = { exp_labels: { ...each.labels, ...labels, severity }, exp_annotations: texts };
    const file = write('tests.yaml', {
      rule_files: [rules], evaluation_interval: '1m', tests: [story(each.series, each, [firing]), story(each.silent, each, [])],
    });
    expect(runPromtool(promtool!, ['test', 'rules', file], folder)).toEqual({ code: 0, output: expect.stringContaining('SUCCESS') });
  });

  test('fails a story that does not come true', () => {
    const [first] = CASES;
    const rules = write('rules.yaml', { groups: constructRuleGroups(systemCalled(first.system).groups) });
    const file = write('tests.yaml', { rule_files: [rules], evaluation_interval: '1m', tests: [story(first.series, first, [])] });
    expect(runPromtool(promtool!, ['test', 'rules', file], folder)).toMatchObject({ code: 1, output: expect.stringContaining(first.alert) });
  });
});
