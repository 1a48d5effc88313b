/** What the compiler says against programs of users: those on pages of docs/, and those that the CLI writes. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as ts from 'typescript';

const ROOT = path.join(__dirname, '..', '..');

/** Packages that programs import; ours are their sources. */
const PACKAGES = ['@pulumi/kubernetes', '@pulumi/pulumi', 'cdk8s', 'cdk8s-plus-28', 'constructs'];
const PATHS = {
  'trainyard': [path.join(ROOT, 'src', 'index.ts')],
  'trainyard/stacks': [path.join(ROOT, 'src', 'stacks', 'index.ts')],
  'trainyard/*': [path.join(ROOT, 'src', 'constructs', '*', 'index.ts')],
  ...Object.fromEntries(PACKAGES.map((name) => [name, [path.join(ROOT, 'node_modules', name)]])),
};

/** A program, and what it is called in an error. */
export interface TypedProgram {
  readonly where: string;
  readonly program: string;
}

/**
 * Compiles programs together, with all checks, and returns what is wrong as `where, line 2: what`; empty when all have the right types. Only the
 * programs are looked at: the library's own files have a check of their own, `npm run typecheck`, which takes longer than all of this.
 * @param settings options of the compiler beside the usual ones
 */
export function typeErrors(programs: readonly TypedProgram[], settings: { readonly noUnusedLocals?: boolean } = {}): string[] {
  const folder = mkdtempSync(path.join(tmpdir(), 'trainyard-programs-'));
  try {
    const files = programs.map(({ program }, index) => {
      const file = path.join(folder, `program-${index}.ts`);
      writeFileSync(file, program);
      return file;
    });
    const { options, errors } = ts.convertCompilerOptionsFromJson({
      target: 'es2022', module: 'esnext', moduleResolution: 'bundler', strict: true, noEmit: true, skipLibCheck: true, types: ['node'],
      typeRoots: [path.join(ROOT, 'node_modules', '@types')], paths: PATHS, ...settings,
    }, ROOT);
    const compiled = ts.createProgram(files, options);
    const general = [...errors, ...compiled.getOptionsDiagnostics(), ...compiled.getGlobalDiagnostics()];
    const ofPrograms = files.map((file) => {
      const source = compiled.getSourceFile(file)!;
      return [...compiled.getSyntacticDiagnostics(source), ...compiled.getSemanticDiagnostics(source)];
    });
    return [
      ...general.map(textOf),
      ...ofPrograms.flatMap((found, index) => found.map((diagnostic) => `${programs[index].where}, ${textOf(diagnostic)}`)),
    ];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function textOf({ file, start = 0, messageText }: ts.Diagnostic): string {
  const text = ts.flattenDiagnosticMessageText(messageText, ' ');
  return file === undefined ? text : `line ${ts.getLineAndCharacterOfPosition(file, start).line + 1}: ${text}`;
}
