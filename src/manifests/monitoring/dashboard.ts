/**
 * Dashboards as Grafana reads them, in ConfigMaps that its sidecar finds. Grafana fills in what is left out.
 * @see https://grafana.com/docs/grafana/latest/dashboards/build-dashboards/view-dashboard-json-model/
 */
import type { Dashboard, Panel, PanelRow, Variable } from '../../model/monitoring/monitored-system';
import type { Manifest } from '../kubernetes';

/** Version of the JSON, that of Grafana 10.2; newer Grafana reads it too. */
const SCHEMA_VERSION = 39;

/** Grafana's grid is 24 wide; three panels fill a row. */
const PANELS_A_ROW = 3;
const PANEL_WIDTH = 8;
const PANEL_HEIGHT = { timeseries: 8, stat: 4 };
const HEADING_HEIGHT = 1;

const DATASOURCE = { type: 'prometheus', uid: '${datasource}' };

/** The dashboard's JSON. */
export function constructDashboard({ uid, title, tags, variables, rows }: Dashboard): object {
  return {
    uid,
    title,
    tags,
    schemaVersion: SCHEMA_VERSION,
    editable: true,
    refresh: '1m',
    time: { from: 'now-6h', to: 'now' },
    templating: { list: [{ name: 'datasource', label: 'Data source', type: 'datasource', query: 'prometheus' }, ...variables.map(constructVariable)] },
    panels: placeRows(rows),
  };
}

/** How Grafana finds a dashboard, and where it is shown. */
export interface DashboardPlace {
  readonly name: string;
  /** @default - the chart's */
  readonly namespace?: string;
  readonly labels: { readonly [label: string]: string };
  /** @default - Grafana's default */
  readonly folder?: string;
}

/** A ConfigMap with the dashboard. */
export function constructDashboardConfigMap(
  { name, namespace, labels, folder }: DashboardPlace, dashboard: Dashboard,
): Manifest & { readonly data: object } {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name,
      ...(namespace !== undefined && { namespace }),
      labels,
      ...(folder !== undefined && { annotations: { grafana_folder: folder } }),
    },
    data: { [`${name}.json`]: `${JSON.stringify(constructDashboard(dashboard), null, 2)}\n` },
  };
}

function constructVariable({ name, label, metric, valuesOf }: Variable): object {
  return {
    name,
    label,
    type: 'query',
    datasource: DATASOURCE,
    query: { query: `label_values(${metric}, ${valuesOf})`, refId: name },
    refresh: 2,
    multi: true,
    includeAll: true,
    allValue: '.*',
    current: { text: 'All', value: '$__all' },
  };
}

/** Rows are below each other; in a row are as many panels of one height as fit. */
function placeRows(rows: readonly PanelRow[]): object[] {
  const placed: object[] = [];
  let y = 0;
  const nextId = () => placed.length + 1;
  for (const { title, panels } of rows) {
    if (title !== undefined) {
      placed.push({ id: nextId(), type: 'row', title, collapsed: false, panels: [], gridPos: { x: 0, y, w: PANEL_WIDTH * PANELS_A_ROW, h: HEADING_HEIGHT } });
      y += HEADING_HEIGHT;
    }
    for (const line of lines(panels)) {
      const h = PANEL_HEIGHT[line[0].kind ?? 'timeseries'];
      line.forEach((panel, column) => {
        placed.push(constructPanel(panel, nextId(), { x: column * PANEL_WIDTH, y, w: PANEL_WIDTH, h }));
      });
      y += h;
    }
  }
  return placed;
}

function lines(panels: readonly Panel[]): Panel[][] {
  const found: Panel[][] = [];
  for (const panel of panels) {
    const last = found.at(-1);
    if (last !== undefined && last.length < PANELS_A_ROW && last[0].kind === panel.kind) {
      last.push(panel);
    } else {
      found.push([panel]);
    }
  }
  return found;
}

function constructPanel({ title, kind = 'timeseries', unit = 'short', description, queries }: Panel, id: number, gridPos: object): object {
  return {
    id,
    type: kind,
    title,
    ...(description !== undefined && { description }),
    datasource: DATASOURCE,
    fieldConfig: { defaults: { unit, ...(kind === 'timeseries' && { min: 0 }) }, overrides: [] },
    gridPos,
    targets: queries.map(({ expr, legend }, place) => ({
      refId: String.fromCharCode('A'.charCodeAt(0) + place), datasource: DATASOURCE, expr, legendFormat: legend,
    })),
  };
}
