import { constructDashboard, constructDashboardConfigMap } from '../../../src/manifests/monitoring/dashboard';
import { dashboardUid, type Dashboard } from '../../../src/model/monitoring/monitored-system';
import { SYSTEMS } from '../../model/monitoring/support/systems';

interface Placed {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
}

const panelsOf = (dashboard: Dashboard) => (constructDashboard(dashboard) as { readonly panels: readonly Placed[] }).panels;

describe.each(SYSTEMS)('the dashboard of $title', ({ dashboard }) => {
  test('has panels that do not cover each other, with ids of their own', () => {
    const panels = panelsOf(dashboard);
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) => Array.from({ length: w * h }, (_, cell) => `${x + cell % w},${y + Math.floor(cell / w)}`));
    expect(new Set(cells).size).toBe(cells.length);
    expect(panels.every(({ gridPos: { x, w } }) => x + w <= 24)).toBe(true);
  });

  test('has an id that Grafana takes', () => {
    expect(dashboard.uid).toMatch(/^[a-zA-Z0-9_-]{1,40}$/);
  });
});

test('panels of one height stand side by side, and a heading takes a line', () => {
  const panel = (title: string, kind?: 'stat') => ({ title, kind, queries: [{ expr: 'up', legend: '' }] });
  const dashboard = {
    uid: 'a', title: 'A', tags: [], variables: [],
    rows: [{ panels: [panel('1', 'stat'), panel('2', 'stat'), panel('3'), panel('4'), panel('5'), panel('6')] }, { title: 'More', panels: [panel('7')] }],
  };
  expect(panelsOf(dashboard).map(({ title, gridPos: { x, y, h } }) => [title, x, y, h])).toEqual([
    ['1', 0, 0, 4], ['2', 8, 0, 4], ['3', 0, 4, 8], ['4', 8, 4, 8], ['5', 16, 4, 8], ['6', 0, 12, 8], ['More', 0, 20, 1], ['7', 0, 21, 8],
  ]);
});

test('dashboards of several of one kind have ids of their own, also where namespace and name run together', () => {
  expect(dashboardUid('ray')).toBe('trainyard-ray');
  const ids = [['a', 'b-c'], ['a-b', 'c'], ['a', 'b'], ['n'.repeat(63), 'c'.repeat(253)]].map((identity) => dashboardUid('ray', identity));
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.every((id) => id.length <= 40)).toBe(true);
});

test('a ConfigMap has the dashboard as a file, and says where it is shown', () => {
  const [{ dashboard }] = SYSTEMS;
  const { metadata, data } = constructDashboardConfigMap({ name: 'mine', namespace: 'monitoring', labels: { grafana_dashboard: '1' }, folder: 'ML' }, dashboard);
  expect(metadata).toEqual({ name: 'mine', namespace: 'monitoring', labels: { grafana_dashboard: '1' }, annotations: { grafana_folder: 'ML' } });
  expect(JSON.parse((data as { readonly [file: string]: string })['mine.json'])).toEqual(constructDashboard(dashboard));
});
