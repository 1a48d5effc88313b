/** What the parts of a program share: its imports, and names that nothing else in it has. */
import { call, quote, text, type Code } from './code';

const PACKAGES = ['cdk8s', 'cdk8s-plus-28', 'trainyard'] as const;

/** One of the packages that a program imports from. */
export type PackageName = (typeof PACKAGES)[number];

/** Words that cannot be the name of a constant: the language's, and those of a program's own first lines. */
const TAKEN = new Set([
  'app', 'chart', 'break', 'case', 'catch', 'class', 'const', 'continue', 'debugger', 'default', 'delete', 'do', 'else', 'enum', 'export', 'extends', 'false',
  'finally', 'for', 'function', 'if', 'implements', 'import', 'in', 'instanceof', 'interface', 'let', 'new', 'null', 'package', 'private', 'protected',
  'public', 'return', 'static', 'super', 'switch', 'this', 'throw', 'true', 'try', 'typeof', 'undefined', 'var', 'void', 'while', 'with', 'yield', 'await',
  'async', 'eval', 'arguments', 'NaN', 'Infinity', 'require', 'module', 'exports', 'process', 'global',
]);

/** A constant of the program. */
export interface Declaration {
  readonly name: string;
  readonly value: Code;
}

/** See the top of this file. */
export class ProgramScope {
  private imports = new Map<PackageName, ReadonlySet<string>>();
  private constants: ReadonlySet<string> = new Set();
  private ids: ReadonlySet<string> = new Set();
  private declared: ReadonlyMap<string, Declaration> = new Map();
  private pending: readonly string[] = [];

  /** Tries to write something: what it has imported and declared is taken back when it turns out to have no typed form. */
  public attempt(write: () => Code | undefined): Code | undefined {
    const { imports, constants, ids, declared, pending } = this;
    this.imports = new Map(imports);
    const code = write();
    if (code === undefined) {
      Object.assign(this, { imports, constants, ids, declared, pending });
    }
    return code;
  }

  /** Imports a name, and gives it back. */
  public use(from: PackageName, name: string): string {
    this.imports.set(from, new Set([...this.imports.get(from) ?? [], name]));
    return name;
  }

  /** A construct's id in the chart, from any words. */
  public id(words: string): string {
    const id = unused(pascalCase(words) || 'Object', this.ids);
    this.ids = new Set([...this.ids, id]);
    return id;
  }

  /** Name of a constant, from any words. */
  public constant(words: string): string {
    const pascal = pascalCase(words) || 'Value';
    const camel = `${pascal[0].toLowerCase()}${pascal.slice(1)}`.replace(/^[0-9]/, 'n$&');
    const name = unused(TAKEN.has(camel) ? `${camel}Value` : camel, this.constants);
    this.constants = new Set([...this.constants, name]);
    return name;
  }

  /**
   * A constant with something that exists in the cluster already, such as a secret; the same one for the same thing.
   * @param key what makes it the same
   * @param build its value, with the id that it has in the chart
   */
  public declare(key: string, words: string, build: (id: Code) => Code): string {
    const known = this.declared.get(key);
    if (known !== undefined) {
      return known.name;
    }
    const name = this.constant(words);
    const value = build(text(quote(this.id(words))));
    this.declared = new Map([...this.declared, [key, { name, value }]]);
    this.pending = [...this.pending, key];
    return name;
  }

  /** Constants that were declared since the last time this was asked for. */
  public takeDeclarations(): readonly Declaration[] {
    const taken = this.pending.map((key) => this.declared.get(key)!);
    this.pending = [];
    return taken;
  }

  /** `import` lines, in the order of packages. */
  public get importLines(): string[] {
    return PACKAGES.flatMap((from) => {
      const names = [...this.imports.get(from) ?? []].sort();
      return names.length > 0 ? [`import { ${names.join(', ')} } from '${from}';`] : [];
    });
  }

  /** Something of cdk8s-plus that exists already: `Secret.fromSecretName(chart, 'Hub', 'hub')`. */
  public existing(kind: 'Secret' | 'ConfigMap' | 'PersistentVolumeClaim' | 'ServiceAccount', factory: string, name: string, suffix = ''): string {
    return this.declare(`${kind}/${name}`, `${name}${suffix}`, (id) =>
      call(`${this.use('cdk8s-plus-28', kind)}.${factory}`, text('chart'), id, text(quote(name))));
  }
}

function unused(wanted: string, taken: ReadonlySet<string>): string {
  let name = wanted;
  for (let count = 2; taken.has(name); count++) {
    name = `${wanted}${count}`;
  }
  return name;
}

/** `my-job_2` as `MyJob2`. */
function pascalCase(words: string): string {
  return words.split(/[^A-Za-z0-9]+/).filter((word) => word !== '').map((word) => word[0].toUpperCase() + word.slice(1)).join('');
}
