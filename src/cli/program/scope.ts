/** Imports and unique names, which all parts of a program share. */
import { call, quote, text, type Code } from './code';
import { entryFor } from '../../model/lists';

const PACKAGES = ['cdk8s', 'cdk8s-plus-28', 'trainyard'] as const;

/** One of the packages that a program imports from. */
export type PackageName = (typeof PACKAGES)[number];

/** Names that a constant cannot have: keywords, globals, and the constants in the first lines of a program. */
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

export class ProgramScope {
  private readonly imports = new Map<PackageName, Set<string>>();
  private readonly constants = new Names();
  private readonly ids = new Names();
  private readonly declared = new Map<string, Declaration>();
  private pending: string[] = [];
  /** Functions that undo each step, the last step at the end. */
  private readonly undo: (() => void)[] = [];

  /** Tries to write something. If it has no typed form, its imports and declarations are undone. */
  public attempt(write: () => Code | undefined): Code | undefined {
    const before = this.undo.length;
    const code = write();
    if (code === undefined) {
      this.undo.splice(before).reverse().forEach((takeBack) => takeBack());
    }
    return code;
  }

  /** Imports a name, and returns it. */
  public use(from: PackageName, name: string): string {
    const names = entryFor(this.imports, from, () => new Set());
    if (!names.has(name)) {
      names.add(name);
      this.undo.push(() => names.delete(name));
    }
    return name;
  }

  /** A construct's id in the chart, derived from any text. */
  public id(words: string): string {
    const { name, takeBack } = this.ids.take(pascalCase(words) || 'Object');
    this.undo.push(takeBack);
    return name;
  }

  /** The name of a constant, derived from any text. */
  public constant(words: string): string {
    const pascal = pascalCase(words) || 'Value';
    const camel = `${pascal[0].toLowerCase()}${pascal.slice(1)}`.replace(/^[0-9]/, 'n$&');
    const { name, takeBack } = this.constants.take(TAKEN.has(camel) ? `${camel}Value` : camel);
    this.undo.push(takeBack);
    return name;
  }

  /**
   * Declares a constant once for each key, such as for an existing secret.
   * @param words text from which its name and id are derived
   * @param build returns its value for its id in the chart
   */
  public declare(key: string, words: string, build: (id: Code) => Code): string {
    const known = this.declared.get(key);
    if (known !== undefined) {
      return known.name;
    }
    const name = this.constant(words);
    const value = build(text(quote(this.id(words))));
    this.declared.set(key, { name, value });
    this.pending.push(key);
    this.undo.push(() => {
      this.declared.delete(key);
      this.pending = this.pending.filter((one) => one !== key);
    });
    return name;
  }

  /** Constants that were declared since the last call. */
  public takeDeclarations(): readonly Declaration[] {
    const taken = this.pending.map((key) => this.declared.get(key)!);
    this.pending = [];
    return taken;
  }

  /** `import` lines in the order of the packages. */
  public get importLines(): string[] {
    return PACKAGES.flatMap((from) => {
      const names = [...this.imports.get(from) ?? []].sort();
      return names.length > 0 ? [`import { ${names.join(', ')} } from '${from}';`] : [];
    });
  }

  /** Declares an existing object: `Secret.fromSecretName(chart, 'Hub', 'hub')`. */
  public existing(kind: 'Secret' | 'ConfigMap' | 'PersistentVolumeClaim' | 'ServiceAccount', factory: string, name: string, suffix = ''): string {
    return this.declare(`${kind}/${name}`, `${name}${suffix}`, (id) =>
      call(`${this.use('cdk8s-plus-28', kind)}.${factory}`, text('chart'), id, text(quote(name))));
  }
}

/** Unique names. A manifest can need thousands of numbers for the same name. */
class Names {
  private readonly taken = new Set<string>();
  /** The number to try first, by name. */
  private readonly next = new Map<string, number>();

  public take(wanted: string): { readonly name: string; readonly takeBack: () => void } {
    const before = this.next.get(wanted) ?? 1;
    let count = before;
    let name = numbered(wanted, count);
    while (this.taken.has(name)) {
      name = numbered(wanted, ++count);
    }
    this.taken.add(name);
    this.next.set(wanted, count);
    return {
      name,
      takeBack: () => {
        this.taken.delete(name);
        this.next.set(wanted, before);
      },
    };
  }
}

function numbered(wanted: string, count: number): string {
  return count === 1 ? wanted : `${wanted}${count}`;
}

/** `my-job_2` as `MyJob2`. */
function pascalCase(words: string): string {
  return words.split(/[^A-Za-z0-9]+/).filter((word) => word !== '').map((word) => word[0].toUpperCase() + word.slice(1)).join('');
}
