/**
 * Writes `src/constructs/training-job/generated`, the properties that follow from the tables of the job's fields (`job-properties.ts`), and
 * `src/constructs/props/generated`, by which constructs check properties at run time: `npm run props`. The types of the public API are read
 * with TypeScript's own compiler, so a new property needs nothing else. A test checks that the files are current.
 */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { PROPERTIES, jobProperties } from './job-properties';
import { ROOT, compileLibrary, exportsOf, submodules } from './public-api';

/** Where the descriptions are. */
export const DESCRIPTIONS = path.join(ROOT, 'src', 'constructs', 'props', 'generated');

/** Members of a class that a value is recognized by: more say nothing more. */
const MEMBERS = 3;

/** Texts of the files, by their names. */
export function describeProps(program: ts.Program = compileLibrary()): { readonly [file: string]: string } {
  const checker = program.getTypeChecker();
  const found = { structs: new Map<string, string>(), classes: new Map<string, string>(), enums: new Map<string, string>() };
  const symbols = new Map<string, ts.Symbol>();

  const isInternal = (symbol: ts.Symbol) => symbol.getJsDocTags(checker).some(({ name }) => name === 'internal');
  const typeOf = (symbol: ts.Symbol) => checker.getTypeOfSymbol(symbol);
  const isOptional = (symbol: ts.Symbol) => (symbol.flags & ts.SymbolFlags.Optional) !== 0;
  const isHidden = (symbol: ts.Symbol) => (symbol.declarations ?? []).some((declaration) => (
    ts.getCombinedModifierFlags(declaration) & (ts.ModifierFlags.Private | ts.ModifierFlags.Protected)) !== 0);

  /** A type in the notation of the file. */
  function notation(written: ts.Type): string {
    const type = checker.getNonNullableType(written);
    if (type.flags & ts.TypeFlags.EnumLike) {
      return named(type.symbol.flags & ts.SymbolFlags.EnumMember ? parentOf(type.symbol) : type.symbol, 'enums', (symbol) => values(symbol));
    }
    if (type.isUnion()) {
      const parts = new Set(type.types.map(notation));
      return parts.size === 1 ? [...parts][0] : 'any';
    }
    const primitives = [[ts.TypeFlags.StringLike, 'string'], [ts.TypeFlags.NumberLike, 'number'], [ts.TypeFlags.BooleanLike, 'boolean']] as const;
    const primitive = primitives.find(([flag]) => type.flags & flag);
    if (primitive !== undefined) {
      return primitive[1];
    }
    if (checker.isArrayType(type)) {
      return `[${notation(checker.getTypeArguments(type as ts.TypeReference)[0])}]`;
    }
    const { symbol } = type;
    if (symbol?.flags & ts.SymbolFlags.Class) {
      return named(symbol, 'classes', () => members(type));
    }
    if (symbol?.flags & ts.SymbolFlags.Interface) {
      return isBehaviour(type) ? named(symbol, 'classes', () => members(type)) : named(symbol, 'structs', () => fields(type));
    }
    const values_ = type.getStringIndexType();
    return values_ !== undefined && type.getProperties().length === 0 ? `{${notation(values_)}}` : 'any';
  }

  function named(symbol: ts.Symbol, kind: keyof typeof found, describe: (symbol: ts.Symbol) => string): string {
    const { name } = symbol;
    const known = symbols.get(name);
    if (known !== undefined && known !== symbol) {
      throw new Error(`Two types of the public API are called '${name}'. Rename one of them.`);
    }
    if (known === undefined) {
      symbols.set(name, symbol);
      // Types can contain themselves.
      found[kind].set(name, '');
      found[kind].set(name, describe(symbol));
    }
    return name;
  }

  const parentOf = (symbol: ts.Symbol) => checker.getSymbolAtLocation((symbol.declarations![0].parent as ts.EnumDeclaration).name)!;
  const isBehaviour = (type: ts.Type) => /^I[A-Z]/.test(type.symbol.name) || type.getProperties().some(({ flags }) => flags & ts.SymbolFlags.Method);
  const values = (symbol: ts.Symbol) => [...symbol.exports!.values()]
    .map((member) => `${member.name}=${checker.getConstantValue(member.declarations![0] as ts.EnumMember)}`).join('|');

  function fields(type: ts.Type): string {
    const open = type.getStringIndexType() !== undefined ? ['*'] : [];
    return [...open, ...type.getProperties().map((field) => `${field.name}${isOptional(field) ? '?' : ''} ${notation(typeOf(field))}`)].join('|');
  }

  /** What a value is recognized by, and the static functions that make one. */
  function members(type: ts.Type): string {
    const own = type.getProperties().filter((member) => !isOptional(member) && !isHidden(member) && !['node', 'toString'].includes(member.name));
    const statics = type.symbol.flags & ts.SymbolFlags.Class ? checker.getTypeOfSymbol(type.symbol).getProperties() : [];
    const makers = statics.filter((maker) => maker.name !== 'prototype' && !isHidden(maker) && !isInternal(maker)).flatMap((maker) => makerOf(maker, type));
    return [own.slice(0, MEMBERS).map(({ name }) => name).join(','), ...makers].join('|');
  }

  /** `NAME`, with `()` for one without required parameters, and its options: `NAME() OPTIONS`. Of others than functions the name alone. */
  function makerOf(maker: ts.Symbol, type: ts.Type): string[] {
    const [signature] = typeOf(maker).getCallSignatures();
    const result = signature === undefined ? typeOf(maker) : signature.getReturnType();
    if (result.symbol !== type.symbol) {
      return [];
    }
    if (signature === undefined) {
      return [maker.name];
    }
    const isRequired = ({ valueDeclaration }: ts.Symbol) => !checker.isOptionalParameter(valueDeclaration as ts.ParameterDeclaration);
    const required = signature.getParameters().filter(isRequired);
    const options = signature.getParameters().map((parameter) => notation(typeOf(parameter))).find((name) => found.structs.has(name));
    return [`${maker.name}(${required.length === 0 ? '' : '...'})${options === undefined ? '' : ` ${options}`}`];
  }

  for (const symbol of submodules().flatMap(({ index }) => exportsOf(program, index))) {
    if (symbol.flags & ts.SymbolFlags.Class) {
      for (const signature of typeOf(symbol).getConstructSignatures()) {
        const { declaration } = signature;
        if (declaration === undefined || (ts.getCombinedModifierFlags(declaration) & (ts.ModifierFlags.Private | ts.ModifierFlags.Protected)) === 0) {
          signature.getParameters().forEach((parameter) => notation(typeOf(parameter)));
        }
      }
    } else if (symbol.flags & ts.SymbolFlags.Interface) {
      notation(checker.getDeclaredTypeOfSymbol(symbol));
    }
  }
  const table = (name: string, what: string, rows: ReadonlyMap<string, string>) => [
    `/** ${what} */`,
    `export const ${name}: Descriptions = {`,
    ...[...rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([type, text]) => `  ${type}: '${text.replaceAll('\'', '\\\'')}',`),
    '};',
  ].join('\n');
  const file = (what: string, ...tables: readonly string[]) => [
    `/** ${what} of the public API: see \`check-props.ts\`. Generated: run \`npm run props\` after a change of public types. */`,
    '/** Descriptions by type name. */\ninterface Descriptions { readonly [type: string]: string }',
    ...tables,
  ].join('\n\n') + '\n';
  return {
    'structs.ts': file('Interfaces', table('STRUCTS', 'Properties: `NAME TYPE`, with `?` where one is optional; `*` allows others.', found.structs)),
    'classes.ts': file('Classes and enums', table('CLASSES', 'The members of each instance, and the functions that create one.', found.classes), table('ENUMS', '`MEMBER=VALUE`.', found.enums)),
  };
}

if (require.main === module) {
  // First, because the others are read from what these declare.
  Object.entries(jobProperties()).forEach(([file, text]) => writeFileSync(path.join(PROPERTIES, file), text));
  Object.entries(describeProps()).forEach(([file, text]) => writeFileSync(path.join(DESCRIPTIONS, file), text));
}
