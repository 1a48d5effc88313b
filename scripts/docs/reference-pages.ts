/**
 * The reference: a folder of `docs/reference` for each submodule, with a page for each construct and one for all other types. Everything is read from
 * the declarations and their doc comments.
 */
import path from 'node:path';
import ts from 'typescript';
import { compileLibrary, exportsOf, isHidden, submodules, type Submodule } from '../public-api';

/** Texts by path below `docs/reference`. */
export type Pages = ReadonlyMap<string, string>;

/** A type, and where it is described. */
interface Entry {
  readonly symbol: ts.Symbol;
  readonly file: string;
}

/** Member of a kplus resource that all constructs have. */
const OF_ALL_CONSTRUCTS = ['node', 'toString'];

/** Writes all pages. */
export function referencePages(program: ts.Program = compileLibrary()): Pages {
  return new Reference(program).pages();
}

/** See the top of this file. */
class Reference {
  private readonly checker: ts.TypeChecker;
  private readonly modules: readonly { readonly module: Submodule; readonly folder: string; readonly entries: readonly Entry[] }[];
  private readonly entries = new Map<ts.Symbol, Entry>();

  public constructor(program: ts.Program) {
    this.checker = program.getTypeChecker();
    this.modules = submodules().map((module) => {
      const folder = module.name === undefined ? 'core' : path.basename(module.specifier);
      const entries = exportsOf(program, module.index).filter((symbol) => !isHidden(symbol, this.checker)).sort((a, b) => (a.name < b.name ? -1 : 1))
        .map((symbol) => ({ symbol, file: `${folder}/${this.isConstruct(symbol) ? kebabCase(symbol.name) : 'types'}.md` }));
      entries.forEach((entry) => this.entries.set(entry.symbol, entry));
      return { module, folder, entries };
    });
  }

  public pages(): Pages {
    const pages = new Map([['README.md', this.index()]]);
    for (const { module, folder, entries } of this.modules) {
      const constructs = entries.filter(({ file }) => !file.endsWith('types.md'));
      const types = entries.filter((entry) => !constructs.includes(entry));
      pages.set(`${folder}/README.md`, this.indexOf(module, entries, `${folder}/README.md`));
      constructs.forEach((entry) => pages.set(entry.file, this.constructPage(module, entry)));
      if (types.length > 0) {
        const file = `${folder}/types.md`;
        pages.set(file, lines([`# Types of \`${module.specifier}\``, ...types.map((entry) => this.section(entry, file, '##'))]));
      }
    }
    return pages;
  }

  private index(): string {
    const rows = this.modules.map(({ module, folder, entries }) => (
      `| [\`${module.specifier}\`](${folder}/README.md) | \`trainyard${module.name === undefined ? '' : `.${snakeCase(module.name)}`}\` | ${entries.filter(({ file }) => !file.endsWith('types.md')).map(({ symbol, file }) => `[${symbol.name}](${file})`).join(', ')} |`));
    return lines([
      '# Reference',
      'Every construct, with an example, its properties, defaults and methods, by submodule. In examples, `chart` is a `Chart` of cdk8s. The docstrings of the Python package have the same examples in Python. `npm run docs` generates the pages from the declarations.',
      ['| TypeScript | Python | Constructs |', '|---|---|---|', ...rows].join('\n'),
    ]);
  }

  private indexOf({ specifier }: Submodule, entries: readonly Entry[], from: string): string {
    const table = (title: string, chosen: readonly Entry[]) => (chosen.length === 0 ? [] : [
      `## ${title}`, ['| Name | |', '|---|---|', ...chosen.map(({ symbol }) => `| ${this.link(symbol, from)} | ${cell(this.summary(symbol, from))} |`)].join('\n'),
    ]);
    const isType = ({ file }: Entry) => file.endsWith('types.md');
    return lines([`# \`${specifier}\``, ...table('Constructs', entries.filter((entry) => !isType(entry))), ...table('Types', entries.filter(isType))]);
  }

  private constructPage({ specifier }: Submodule, { symbol, file }: Entry): string {
    // An example imports it too.
    const imports = this.examples(symbol).length > 0 ? [] : [['```ts', `import { ${symbol.name} } from '${specifier}';`, '```'].join('\n')];
    return lines([`# ${symbol.name}`, ...imports, ...this.body(symbol, file, '##')]);
  }

  private section({ symbol }: Entry, from: string, heading: string): string {
    return [`${heading} ${symbol.name}`, ...this.body(symbol, from, `${heading}#`)].join('\n\n');
  }

  private body(symbol: ts.Symbol, from: string, heading: string): string[] {
    const intro = [this.documentation(symbol, from), ...this.examples(symbol)].filter((text) => text !== '');
    if (symbol.flags & ts.SymbolFlags.Enum) {
      return [...intro, this.enumTable(symbol, from)];
    }
    const type = this.checker.getDeclaredTypeOfSymbol(symbol);
    return symbol.flags & ts.SymbolFlags.Interface && type.getProperties().every((member) => !this.isMethod(member))
      ? [...intro, this.propertyTable(type, from)] : [...intro, ...this.classBody(symbol, type, from, heading)];
  }

  private classBody(symbol: ts.Symbol, type: ts.Type, from: string, heading: string): string[] {
    const isOwn = (member: ts.Symbol) => !isHidden(member, this.checker) && !member.name.startsWith('_') && !OF_ALL_CONSTRUCTS.includes(member.name) && member.name !== 'prototype'
      && (member.declarations ?? []).some((declaration) => declaration.getSourceFile().fileName.includes('/src/'));
    const statics = symbol.flags & ts.SymbolFlags.Class ? this.checker.getTypeOfSymbol(symbol).getProperties().filter(isOwn) : [];
    const members = type.getProperties().filter(isOwn);
    const methods = members.filter((member) => this.isMethod(member));
    return [
      ...this.constructors(symbol, from, heading),
      ...this.memberTable(`${heading} Static members`, statics, from, symbol.name),
      ...this.memberTable(`${heading} Attributes`, members.filter((member) => !methods.includes(member)), from),
      ...this.memberTable(`${heading} Methods`, methods, from),
    ];
  }

  /** How it is made, with the properties of constructs. */
  private constructors(symbol: ts.Symbol, from: string, heading: string): string[] {
    const signature = symbol.flags & ts.SymbolFlags.Class ? this.checker.getTypeOfSymbol(symbol).getConstructSignatures()[0] : undefined;
    const { declaration } = signature ?? {};
    const { Private, Protected, Abstract } = ts.ModifierFlags;
    const isPublic = declaration !== undefined && (ts.getCombinedModifierFlags(declaration) & (Private | Protected | Abstract)) === 0;
    if (signature === undefined || !isPublic) {
      return [];
    }
    const parameters = signature.getParameters();
    const props = parameters.find(({ name }) => name === 'props');
    const type = props === undefined ? undefined : this.checker.getNonNullableType(this.checker.getTypeOfSymbol(props));
    return [`${heading} new ${symbol.name}(${parameters.map(({ name }) => name).join(', ')})`, ...(type === undefined ? [] : [this.propertyTable(type, from)])];
  }

  private propertyTable(type: ts.Type, from: string): string {
    const isOptional = (property: ts.Symbol) => (property.flags & ts.SymbolFlags.Optional) !== 0;
    const properties = type.getProperties().filter((property) => !isHidden(property, this.checker));
    const rows = [...properties.filter((property) => !isOptional(property)), ...properties.filter(isOptional)].map((property) => (
      `| \`${property.name}\` | ${this.typeText(this.checker.getTypeOfSymbol(property), from)} | ${isOptional(property) ? cell(this.defaultOf(property, from)) : '**required**'} | ${cell(this.documentation(property, from))} |`));
    return ['| Property | Type | Default | |', '|---|---|---|---|', ...rows].join('\n');
  }

  private memberTable(title: string, members: readonly ts.Symbol[], from: string, owner?: string): string[] {
    const rows = members.map((member) => {
      const [signature] = this.checker.getTypeOfSymbol(member).getCallSignatures();
      const type = signature === undefined ? this.checker.getTypeOfSymbol(member) : signature.getReturnType();
      const name = `${owner === undefined ? '' : `${owner}.`}${member.name}${signature === undefined ? '' : `(${signature.getParameters().map((parameter) => this.parameterText(parameter)).join(', ')})`}`;
      const parameters = (signature?.getParameters() ?? []).map((parameter) => `\`${parameter.name}\`: ${[this.typeText(this.checker.getTypeOfSymbol(parameter), from), text(parameter.getDocumentationComment(this.checker))].filter((part) => part !== '').join(' ')}`);
      return `| \`${name}\` | ${this.typeText(type, from)} | ${cell([this.documentation(member, from), ...parameters].filter((part) => part !== '').join('<br>'))} |`;
    });
    return rows.length === 0 ? [] : [title, ['| | Type | |', '|---|---|---|', ...rows].join('\n')];
  }

  private enumTable(symbol: ts.Symbol, from: string): string {
    const rows = [...symbol.exports!.values()].map((member) => {
      const value = this.checker.getConstantValue(member.declarations![0] as ts.EnumMember);
      return `| \`${symbol.name}.${member.name}\` | \`${value}\` | ${cell(this.documentation(member, from))} |`;
    });
    return ['| Member | Value | |', '|---|---|---|', ...rows].join('\n');
  }

  private parameterText({ name, valueDeclaration }: ts.Symbol): string {
    const isOptional = valueDeclaration !== undefined && ts.isParameter(valueDeclaration) && this.checker.isOptionalParameter(valueDeclaration);
    const isRest = valueDeclaration !== undefined && ts.isParameter(valueDeclaration) && valueDeclaration.dotDotDotToken !== undefined;
    return `${isRest ? '...' : ''}${name}${isOptional ? '?' : ''}`;
  }

  /** A type as people write it, with links to ours. */
  private typeText(written: ts.Type, from: string): string {
    if (written.flags & ts.TypeFlags.Void) {
      return '';
    }
    const type = this.checker.getNonNullableType(written);
    const entry = type.symbol === undefined ? undefined : this.entries.get(parentOf(type.symbol, this.checker));
    if (entry !== undefined) {
      return this.link(entry.symbol, from);
    }
    if (this.checker.isArrayType(type)) {
      return `list of ${this.typeText(this.checker.getTypeArguments(type as ts.TypeReference)[0], from)}`;
    }
    const values = type.getStringIndexType();
    if (values !== undefined && type.getProperties().length === 0) {
      return `map to ${this.typeText(values, from)}`;
    }
    if (type.isUnion() && !(type.flags & ts.TypeFlags.Boolean)) {
      const isBoolean = (part: ts.Type) => (part.flags & ts.TypeFlags.BooleanLiteral) !== 0;
      const parts = type.types.filter((part) => !isBoolean(part)).map((part) => this.typeText(part, from));
      return [...new Set([...type.types.some(isBoolean) ? ['`boolean`'] : [], ...parts])].join(' or ');
    }
    return `\`${this.checker.typeToString(type, undefined, ts.TypeFormatFlags.NoTruncation | ts.TypeFormatFlags.UseAliasDefinedOutsideCurrentScope).replaceAll('|', '\\|').replace(/import\("[^"]*"\)\./g, '')}\``;
  }

  private link(symbol: ts.Symbol, from: string): string {
    const { file } = this.entries.get(symbol)!;
    const relative = path.posix.relative(path.posix.dirname(from), file);
    const anchor = file.endsWith('types.md') ? `#${symbol.name.toLowerCase()}` : '';
    return `[${symbol.name}](${file === from ? anchor : `${relative}${anchor}`})`;
  }

  /** The comment and where it is read. */
  private documentation(symbol: ts.Symbol, from: string): string {
    const sources = symbol.getJsDocTags(this.checker).filter(({ name }) => name === 'see').map((tag) => text(tag.text).trim().split(/\s/)[0]).filter((address) => address.startsWith('http'));
    return [this.linked(symbol.getDocumentationComment(this.checker), from), ...sources.map((address) => `[Source](${address})`)].filter((part) => part !== '').join(' ');
  }

  private summary(symbol: ts.Symbol, from: string): string {
    const whole = this.linked(symbol.getDocumentationComment(this.checker), from).split('\n\n')[0];
    return /^.*?[.:](?=\s|$)/s.exec(whole)?.[0] ?? whole;
  }

  private examples(symbol: ts.Symbol): string[] {
    return symbol.getJsDocTags(this.checker).filter(({ name }) => name === 'example').map((tag) => ['```ts', text(tag.text).trim(), '```'].join('\n'));
  }

  private defaultOf(symbol: ts.Symbol, from: string): string {
    const tag = symbol.getJsDocTags(this.checker).find(({ name }) => name === 'default');
    const written = tag === undefined ? '' : this.linked(tag.text, from).trim();
    return written.startsWith('- ') ? written.slice(2) : written === '' ? '' : `\`${written}\``;
  }

  /** `{@link X}` as a link where X is a type of ours. */
  private linked(parts: readonly ts.SymbolDisplayPart[] | undefined, from: string): string {
    return text(parts).replace(/\{@link (\w+)(\.\w+)?\s*\}/g, (_all, name: string, member = '') => {
      const entry = [...this.entries.values()].find(({ symbol }) => symbol.name === name);
      return entry === undefined ? `\`${name}${member}\`` : this.link(entry.symbol, from).replace(`[${name}]`, `[${name}${member}]`);
    }).trim();
  }

  private isMethod(member: ts.Symbol): boolean {
    return (member.flags & ts.SymbolFlags.Method) !== 0;
  }

  private isConstruct(symbol: ts.Symbol): boolean {
    const bases = (type: ts.Type): string[] => [type.symbol?.name, ...(type.getBaseTypes() ?? []).flatMap(bases)];
    return (symbol.flags & ts.SymbolFlags.Class) !== 0 && bases(this.checker.getDeclaredTypeOfSymbol(symbol)).includes('Construct');
  }
}

/** The enum of a member; any other symbol is its own. */
function parentOf(symbol: ts.Symbol, checker: ts.TypeChecker): ts.Symbol {
  const declaration = symbol.declarations?.[0];
  return declaration !== undefined && ts.isEnumMember(declaration) ? checker.getSymbolAtLocation(declaration.parent.name)! : symbol;
}

function text(parts: readonly ts.SymbolDisplayPart[] | undefined): string {
  return (parts ?? []).map((part) => part.text).join('');
}

/** In a cell of a table there are no lines. */
function cell(words: string): string {
  return words.replace(/\s*\n\s*\n\s*/g, '<br>').replace(/\s*\n\s*/g, ' ').replace(/(?<!\\)\|/g, '\\|');
}

function lines(parts: readonly string[]): string {
  return `${parts.join('\n\n')}\n`;
}

function kebabCase(name: string): string {
  return name.replace(/(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g, '-').toLowerCase();
}

function snakeCase(name: string): string {
  return kebabCase(name).replaceAll('-', '_');
}
