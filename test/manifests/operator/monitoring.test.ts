/** Alerts and dashboard held against the metrics that the operator has. */
import { constructDashboard } from '../../../src/manifests/operator/monitoring-dashboard';
import { constructRuleGroups, GOODPUT, GPU_GOODPUT } from '../../../src/manifests/operator/monitoring-rules';
import { FAMILIES, V1_FAMILIES } from '../../../src/operator/training/metrics/families';
import { parsePromQl } from './promql';

const rules = constructRuleGroups({ goodput: 0.8, checkpointAgeSeconds: 7200 }).flatMap((group) => group.rules);
const alerts = rules.filter((rule) => rule.alert !== undefined);

interface DashboardPanel {
  readonly id: number;
  readonly title: string;
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
}

const panels = (constructDashboard() as { readonly panels: readonly DashboardPanel[] }).panels;
const queries = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr.replaceAll('$__rate_interval', '5m')));
const expressions = [...rules.map(({ expr }) => expr), ...queries];

/** Series that the operator has, with their labels; `le` is that of buckets. */
const SERIES = new Map<string, readonly string[]>([
  ...FAMILIES.flatMap(({ name, type, labels }): [string, readonly string[]][] => type === 'histogram'
    ? [[`${name}_bucket`, [...labels, 'le']], [`${name}_count`, labels], [`${name}_sum`, labels]]
    : [[name, labels]]),
  [GOODPUT, ['job_namespace', 'framework']],
  [GPU_GOODPUT, ['job_namespace', 'framework']],
]);

describe('alerts and dashboard', () => {
  test.each(expressions)('ask for series that the operator has, by labels that these have: %s', (expression) => {
    const { metrics, labels } = parsePromQl(expression);
    expect(metrics.length).toBeGreaterThan(0);
    expect(metrics.filter((metric) => !SERIES.has(metric))).toEqual([]);
    const known = new Set(metrics.flatMap((metric) => SERIES.get(metric)!));
    expect(labels.filter((label) => !known.has(label))).toEqual([]);
  });

  test('are checked by a parser that refuses what is no PromQL', () => {
    expect(parsePromQl('sum by (le) (rate(a_bucket{b="c"}[5m])) > 0 or d')).toEqual({ metrics: ['a_bucket', 'd'], labels: ['le', 'b'] });
    for (const wrong of ['sum by (le (a)', 'rate(a[5m]', 'a{b=c}', 'a > > 1']) {
      expect(() => parsePromQl(wrong)).toThrow('no PromQL');
    }
  });

  test('show every metric of jobs that the operator has', () => {
    const asked = new Set(expressions.flatMap((expression) => parsePromQl(expression).metrics));
    const families = FAMILIES.filter(({ name }) => /^trainyard_(jobs?|tuning)_?/.test(name) && !Object.values<{ name: string }>(V1_FAMILIES).some((v1) => v1.name === name));
    expect(families.filter(({ name }) => ![name, `${name}_bucket`].some((series) => asked.has(series))).map(({ name }) => name))
      .toEqual(['trainyard_jobs_deleted_total']);
  });
});

describe('alerts', () => {
  test('have a name of their own, a severity, and say what is wrong and what to do', () => {
    expect(new Set(alerts.map(({ alert }) => alert)).size).toBe(alerts.length);
    for (const { alert, labels, annotations } of alerts) {
      expect(alert).toMatch(/^Trainyard[A-Z][A-Za-z]+$/);
      expect(['warning', 'critical']).toContain(labels?.severity);
      expect(annotations?.summary).toMatch(/^\S.*[^.]$/);
      expect(annotations?.description).toMatch(/\.$/);
    }
  });

  test('name in their texts only labels that their series keep', () => {
    for (const { alert, expr, annotations } of alerts) {
      const named = [...JSON.stringify(annotations).matchAll(/\$labels\.(\w+)/g)].map(([, label]) => label);
      const isRecorded = expr.startsWith(GOODPUT);
      const kept = isRecorded ? ['job_namespace', 'framework'] : [...expr.matchAll(/by \(([^)]*)\)/g)].flatMap(([, list]) => list.split(', '));
      expect([alert, named.filter((label) => !kept.includes(label))]).toEqual([alert, []]);
    }
  });
});

describe('the dashboard', () => {
  test('has panels that do not cover each other, with ids and titles of their own', () => {
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    expect(new Set(panels.map(({ title }) => title)).size).toBe(panels.length);
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) => Array.from({ length: w * h }, (_, cell) => `${x + cell % w},${y + Math.floor(cell / w)}`));
    expect(new Set(cells).size).toBe(cells.length);
    expect(panels.every(({ gridPos: { x, w } }) => x + w <= 24)).toBe(true);
  });

  test('names lines by labels that the query keeps', () => {
    for (const { expr, legendFormat } of panels.flatMap(({ targets = [] }) => targets)) {
      const named = [...legendFormat.matchAll(/{{(\w+)}}/g)].map(([, label]) => label);
      const kept = [...expr.matchAll(/by \(([^)]*)\)/g)].flatMap(([, list]) => list.split(', '));
      const whole = kept.length > 0 ? kept : [...parsePromQl(expr.replaceAll('$__rate_interval', '5m')).metrics.flatMap((metric) => SERIES.get(metric)!), 'pod'];
      expect([expr, named.filter((label) => !whole.includes(label))]).toEqual([expr, []]);
    }
  });
});
