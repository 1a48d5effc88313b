/** The public API as TypeScript's own compiler sees it: the core and its submodules, with what each exports. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { submodulesIn } from './submodules.cjs';

/** The repository. */
export const ROOT = path.join(__dirname, '..');

/** A submodule of the package. */
export interface Submodule {
  /** `ray`; the core has none. */
  readonly name?: string;
  /** Name to import it by, such as `trainyard/ray`. */
  readonly specifier: string;
  readonly index: string;
}

/** The core and all submodules, as `src/index.ts` lists them. */
export function submodules(): Submodule[] {
  const index = path.join(ROOT, 'src', 'index.ts');
  return [
    { specifier: 'trainyard', index },
    ...submodulesIn(readFileSync(index, 'utf8')).map(({ name, folder }) => ({ name, specifier: `trainyard/${folder}`, index: path.join(ROOT, 'src', 'constructs', folder, 'index.ts') })),
  ];
}

/** Compiles files, without writing anything. */
export function compile(files: readonly string[]): ts.Program {
  const { config } = ts.readConfigFile(path.join(ROOT, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [], files: [] }, ts.sys, ROOT);
  return ts.createProgram([...files], { ...options, noEmit: true, skipLibCheck: true });
}

/** The library. */
export function compileLibrary(): ts.Program {
  return compile([path.join(ROOT, 'src', 'index.ts')]);
}

/** Types that a file exports, without the names of its submodules. */
export function exportsOf(program: ts.Program, file: string): ts.Symbol[] {
  const checker = program.getTypeChecker();
  return checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(file)!)!)
    .map((symbol) => (symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol))
    .filter(({ flags }) => flags & (ts.SymbolFlags.Class | ts.SymbolFlags.Interface | ts.SymbolFlags.Enum));
}

/** Whether a member is not part of the public API. */
export function isHidden(symbol: ts.Symbol, checker: ts.TypeChecker): boolean {
  return symbol.getJsDocTags(checker).some(({ name }) => name === 'internal')
    || (symbol.declarations ?? []).some((declaration) => isHiddenBy(ts.getCombinedModifierFlags(declaration)));
}

function isHiddenBy(flags: ts.ModifierFlags): boolean {
  return (flags & (ts.ModifierFlags.Private | ts.ModifierFlags.Protected)) !== 0;
}
