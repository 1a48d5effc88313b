/** Writes a cdk8s program: imports, an app, a chart, references to existing objects, other objects, jobs. The text depends only on the input. */
import { call, object, print, quote, text, type Code } from './code';
import { apiObject } from './pod-template';
import { ProgramScope } from './scope';
import { trainingJob, type ProgramJob } from './training-job';
import type { JsonObject } from '../../manifests/migrate/fields';
import { commentLines } from '../../model/text/printable';

export type { ProgramJob } from './training-job';

/** The content of a program. */
export interface ProgramInput {
  /** Id of the chart: cdk8s writes its manifests to `ID.k8s.yaml`. */
  readonly chart: string;
  readonly jobs: readonly ProgramPart[];
  /** Other objects, unchanged. */
  readonly objects?: readonly JsonObject[];
  /** Files with objects that are included unchanged. @default - none */
  readonly includes?: readonly ProgramInclude[];
  /** Name of the method of `Engine`. @default - the operator, the default of a job */
  readonly engine?: string;
}

/** A job, and the comment above it. */
export interface ProgramPart extends ProgramJob {
  readonly comment?: readonly string[];
}

/** A file with an object, and the comment above it. */
export interface ProgramInclude {
  /** Path from the folder that the program runs in. */
  readonly file: string;
  /** Text from which the construct's id is derived. */
  readonly id: string;
  readonly comment: readonly string[];
}

export function writeProgram({ chart, jobs, objects = [], includes = [], engine }: ProgramInput): string {
  const scope = new ProgramScope();
  const start = [
    `const app = new ${scope.use('cdk8s', 'App')}();`,
    `const chart = new ${scope.use('cdk8s', 'Chart')}(app, ${quote(chart)});`,
  ];
  const carried = objects.map((carriedObject) => {
    const { name } = (carriedObject.metadata ?? {}) as { readonly name?: unknown };
    return `${print(apiObject(text(quote(scope.id([name, carriedObject.kind].map((part) => (typeof part === 'string' ? part : '')).join('-')))), carriedObject, scope))};`;
  });
  const included = includes.map(({ file, id, comment }) => {
    const include = call(`new ${scope.use('cdk8s', 'Include')}`, text('chart'), text(quote(scope.id(id))), object([['url', text(quote(file))]]));
    return [...comment.flatMap((line) => commentLines('//', line)), `${print(include)};`];
  });
  const engineCode = engine === undefined ? undefined : `${scope.use('trainyard', 'Engine')}.${engine}()`;
  const written = jobs.flatMap((job) => writeJob(job, engineCode, scope));
  const paragraphs = [scope.importLines.map(wrapped), start, ...carried.map((line) => [line]), ...included, ...written, ['app.synth();']].filter((lines) => lines.length > 0);
  return `${paragraphs.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

/** References to existing objects, then the job. */
function writeJob(job: ProgramPart, engine: string | undefined, scope: ProgramScope): string[][] {
  const { construct, patches } = trainingJob(job, engine, scope);
  const declarations = scope.takeDeclarations().map(({ name, value }) => assignment(name, value));
  const comment = (job.comment ?? []).flatMap((line) => commentLines('//', line));
  if (patches.length === 0) {
    return [declarations, [...comment, `${print(construct)};`]];
  }
  const name = scope.constant(job.name);
  const patched = patches.map((patch) => `${print({ callee: `${scope.use('cdk8s', 'ApiObject')}.of(${name}).addJsonPatch`, args: [patch] })};`);
  return [declarations, [...comment, assignment(name, construct), ...patched]];
}

function assignment(name: string, value: Code): string {
  const start = `const ${name} = `;
  return `${start}${print(value, start.length)};`;
}

/** A long import has a line for each name. */
function wrapped(line: string): string {
  return line.length <= 120 ? line : line.replace(/^([^{]*)\{ (.*) \}/, (_all, before: string, names: string) => `${before}{\n${names.split(', ').map((name) => `  ${name},\n`).join('')}}`);
}

