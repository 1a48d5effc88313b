/**
 * Dashboards in the eyes of Grafana: each is written down as a literal of the types that Grafana's own schema is published as, and TypeScript tells
 * what is missing, wrong or unknown to it.
 */
import path from 'node:path';
import * as ts from 'typescript';
import { constructDashboard } from '../../../src/manifests/monitoring/dashboard';
import { SYSTEMS } from '../../model/monitoring/support/systems';

const FOLDER = __dirname;

/** A program of one file; the others are on the disk. */
function complaints(source: string): string[] {
  const file = path.join(FOLDER, 'dashboards-as-literals.ts');
  const options: ts.CompilerOptions = {
    strict: true, noEmit: true, skipLibCheck: true, types: [],
    target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler,
  };
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists, readFile } = host;
  host.getSourceFile = (name, version, ...rest) => (
    name === file ? ts.createSourceFile(name, source, version) : getSourceFile(name, version, ...rest));
  host.fileExists = (name) => name === file || fileExists(name);
  host.readFile = (name) => (name === file ? source : readFile(name));
  const program = ts.createProgram([file], options, host);
  return ts.getPreEmitDiagnostics(program).map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
}

interface Written {
  readonly panels: readonly { readonly type: string }[];
}

/** A dashboard as literals: a row is checked as a row and a panel as a panel, and not either as the other. */
function literals(dashboards: readonly object[]): string {
  const typed = (type: string, value: unknown) => `export const _${count++}: ${type} = ${JSON.stringify(value)};`;
  let count = 0;
  return [
    "import type { Dashboard, Panel, RowPanel } from '@grafana/schema/dist/esm/raw/dashboard/x/Dashboard_types.gen';",
    ...dashboards.flatMap((dashboard) => {
      const { panels, ...rest } = dashboard as Written;
      return [typed('Dashboard', rest), ...panels.map((panel) => typed(panel.type === 'row' ? 'RowPanel' : 'Panel', panel))];
    }),
  ].join('\n');
}

const written = SYSTEMS.map(({ dashboard }) => constructDashboard(dashboard));

test('all dashboards are what Grafana\'s schema describes', () => {
  expect(complaints(literals(written))).toEqual([]);
});

test('what it does not describe is noticed: a field too many, one of another type, one that is missing', () => {
  const { panels, ...dashboard } = written[0] as Written & { readonly schemaVersion: number };
  const [panel] = panels;
  expect(complaints(literals([{ ...dashboard, panels: [{ ...panel, heigth: 8 }] }]))).toEqual([expect.stringContaining('"heigth"\' does not exist in type \'Panel\'')]);
  expect(complaints(literals([{ ...dashboard, schemaVersion: '39', panels: [] }]))).toEqual([expect.stringContaining("Type 'string' is not assignable to type 'number'")]);
  expect(complaints(literals([{ ...dashboard, panels: [{ type: 'row', title: 'Operator' }] }]))).toEqual([expect.stringContaining("missing the following properties from type 'RowPanel'")]);
});
