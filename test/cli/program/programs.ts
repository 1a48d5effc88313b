/**
 * Compiles and runs programs that the CLI wrote, many at a time: as TypeScript with all checks, and in this process with what they write in a
 * folder.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { transformSync } from '@swc/core';
import { parseAllDocuments } from 'yaml';
import { MODULES } from '../../support/library';
import { typeErrors as typeErrorsOf } from '../../support/type-errors';

/** An object that a program wrote. */
export interface WrittenObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly [field: string]: unknown };
  readonly [field: string]: unknown;
}

/** What the compiler says against programs, as `program 2, line 3: what`; empty when all have the right types. */
export function typeErrors(programs: readonly string[]): string[] {
  return typeErrorsOf(programs.map((program, index) => ({ where: `program ${index}`, program })), { noUnusedLocals: true });
}

/** Runs a program and returns the objects that it synthesized. */
export function runProgram(program: string): WrittenObject[] {
  const outdir = mkdtempSync(path.join(tmpdir(), 'trainyard-program-'));
  process.env.CDK8S_OUTDIR = outdir;
  try {
    const { code } = transformSync(program, { jsc: { parser: { syntax: 'typescript' }, target: 'es2022' }, module: { type: 'commonjs' } });
    new Function('require', 'exports', code)((name: string) => MODULES[name] ?? jest.requireActual(name), {});
    return readdirSync(outdir).sort().flatMap((file) => objectsOf(readFileSync(path.join(outdir, file), 'utf8')));
  } finally {
    delete process.env.CDK8S_OUTDIR;
    rmSync(outdir, { recursive: true });
  }
}

/** Objects of a YAML text. */
export function objectsOf(text: string): WrittenObject[] {
  return parseAllDocuments(text).map((document) => document.toJS() as WrittenObject | null).filter((object) => object !== null);
}

/** A copy without what cdk8s-plus writes out: of a claim that it is not read-only, which is the default. */
export function withoutDefaults(object: WrittenObject): WrittenObject {
  const copy = structuredClone(object) as { spec?: { template?: { spec?: { volumes?: { persistentVolumeClaim?: { readOnly?: boolean } }[] } } } };
  copy.spec?.template?.spec?.volumes?.forEach(({ persistentVolumeClaim }) =>
    persistentVolumeClaim?.readOnly === false && delete persistentVolumeClaim.readOnly);
  return copy as unknown as WrittenObject;
}
