/** Alerts and dashboards held against the metrics that there are: the operator's are those of its registry, others' those of a list with sources. */
import { dashboardExpressions, inGrafana, SYSTEMS, systemCalled } from './support/systems';
import { parsePromQl } from './support/promql';
import { alertsOf } from '../../../src/model/monitoring/monitored-system';
import { FAMILIES, V1_FAMILIES } from '../../../src/operator/training/metrics/families';
import { OperatorMetrics } from '../../../src/operator/training/metrics/operator-metrics';

/** Labels that an expression makes itself. */
function madeLabels(expression: string): string[] {
  return [...expression.matchAll(/label_replace\((?:[^"]|"[^"]*")*?, "(\w+)", "\$1"/g), ...expression.matchAll(/"(job_namespace|job_pod)"/g)].map(([, label]) => label);
}

/** Labels that an expression's result keeps, as far as its groupings say it. */
function keptLabels(expression: string, all: readonly string[]): readonly string[] {
  const grouped = [...expression.matchAll(/by \(([^)]*)\)/g)].flatMap(([, list]) => list.split(', '));
  return grouped.length > 0 ? grouped : all;
}

describe.each(SYSTEMS)('alerts and dashboard of $title', ({ groups, dashboard, series, sources }) => {
  const rules = groups.flatMap((group) => group.rules);
  const alerts = alertsOf(groups);
  const expressions = [...rules.map(({ expr }) => expr), ...dashboardExpressions(dashboard)];

  test.each(expressions)('ask for series that there are, by labels that these have: %s', (expression) => {
    const { metrics, labels } = parsePromQl(expression);
    expect(metrics.length).toBeGreaterThan(0);
    expect(metrics.filter((metric) => !series.has(metric))).toEqual([]);
    const known = new Set([...metrics.flatMap((metric) => series.get(metric)!), ...madeLabels(expression)]);
    expect(labels.filter((label) => !known.has(label))).toEqual([]);
  });

  test('have alerts with a severity that say what is wrong and what to do', () => {
    for (const { alert, summary, description, for: duration } of alerts) {
      expect(alert).toMatch(/^(Trainyard|Gpu|Ray|Spark|Serving|Llm)[A-Z][A-Za-z]+$/);
      expect(summary).toMatch(/^\S.*[^.]$/);
      expect(description).toMatch(/\.$/);
      expect(duration ?? '1m').toMatch(/^[0-9]+[smhd]$/);
    }
    // Who counts requests is told by the group.
    for (const { rules: ofGroup } of groups) {
      const names = ofGroup.map((rule) => ('alert' in rule ? rule.alert : rule.record));
      expect(new Set(names).size).toBe(names.length);
    }
  });

  test('name in the alerts\' texts only labels that their series keep', () => {
    for (const { alert, expr, summary, description } of alerts) {
      const named = [...`${summary} ${description}`.matchAll(/\$labels\.(\w+)/g)].map(([, label]) => label);
      const kept = keptLabels(expr, parsePromQl(expr).metrics.flatMap((metric) => series.get(metric)!));
      expect([alert, named.filter((label) => !kept.includes(label))]).toEqual([alert, []]);
    }
  });

  test('name lines of the dashboard by labels that the queries keep', () => {
    for (const { expr, legend } of dashboard.rows.flatMap(({ panels }) => panels.flatMap(({ queries }) => queries))) {
      const named = [...legend.matchAll(/{{(\w+)}}/g)].map(([, label]) => label);
      const kept = keptLabels(expr, parsePromQl(inGrafana(expr)).metrics.flatMap((metric) => series.get(metric)!));
      expect([expr, named.filter((label) => !kept.includes(label))]).toEqual([expr, []]);
    }
  });

  test('offer for choice what series have', () => {
    for (const { metric, valuesOf } of dashboard.variables) {
      const { metrics, labels } = parsePromQl(inGrafana(metric));
      const known = metrics.flatMap((name) => series.get(name)!);
      expect([...labels, valuesOf].filter((label) => !known.includes(label))).toEqual([]);
    }
  });

  test('have a panel for each title', () => {
    const titles = dashboard.rows.flatMap(({ panels }) => panels.map(({ title }) => title));
    expect(new Set(titles).size).toBe(titles.length);
  });

  test('rest on lists of metrics that name their source, and ask for each of them', () => {
    const asked = new Set(expressions.flatMap((expression) => parsePromQl(expression).metrics));
    for (const { url, program, metrics } of sources) {
      expect(url).toMatch(/^https:\/\//);
      expect(program).toMatch(/\S/);
      for (const { name } of metrics) {
        expect(name).toMatch(/^[a-zA-Z_:][a-zA-Z0-9_:]*$/);
      }
      // What one of its kind has no series for, or nobody chose to count with, is not asked for there.
      if (dashboard.variables.length > 0) {
        expect(metrics.filter(({ name }) => ![name, `${name}_bucket`, `${name}_count`].some((one) => asked.has(one))).map(({ name }) => name)).toEqual([]);
      }
    }
  });
});

test('the parser refuses what is no PromQL', () => {
  expect(parsePromQl('sum by (le) (rate(a_bucket{b="c"}[5m])) > 0 or d')).toEqual({ metrics: ['a_bucket', 'd'], labels: ['le', 'b'] });
  for (const wrong of ['sum by (le (a)', 'rate(a[5m]', 'a{b=c}', 'a > > 1']) {
    expect(() => parsePromQl(wrong)).toThrow('no PromQL');
  }
});

test('the list of the operator\'s metrics is what its registry answers with', async () => {
  const { body } = await new OperatorMetrics({ v1Names: true }).answer();
  const told = [...body.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => `${name} ${type}`);
  expect(told.sort()).toEqual(FAMILIES.map(({ name, type }) => `${name} ${type}`).sort());
});

test('the operator\'s rules and dashboard show every metric of jobs that it has', () => {
  const { groups, dashboard } = systemCalled('the operator');
  const asked = new Set([...groups.flatMap(({ rules }) => rules.map(({ expr }) => expr)), ...dashboardExpressions(dashboard)]
    .flatMap((expression) => parsePromQl(expression).metrics));
  const families = FAMILIES.filter(({ name }) => /^trainyard_(jobs?|tuning)_?/.test(name) && !Object.values<{ name: string }>(V1_FAMILIES).some((v1) => v1.name === name));
  expect(families.filter(({ name }) => ![name, `${name}_bucket`].some((series) => asked.has(series))).map(({ name }) => name))
    .toEqual(['trainyard_jobs_deleted_total']);
});
