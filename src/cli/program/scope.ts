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

export class ProgramScope {
  private readonly imports = new Map<PackageName, Set<string>>();
  private readonly constants = new Names();
  private readonly ids = new Names();
  private readonly declared = new Map<string, Declaration>();
  private pending: string[] = [];
  /** How to take back what was done, the last at the end. */
  private readonly undo: (() => void)[] = [];

  /** Tries to write something: what it has imported and declared is taken back when it turns out to have no typed form. */
  public attempt(write: () => Code | undefined): Code | undefined {
    const before = this.undo.length;
    const code = write();
    if (code === undefined) {
      this.undo.splice(before).reverse().forEach((takeBack) => takeBack());
    }
    return code;
  }

  /** Imports a name, and gives it back. */
  public use(from: PackageName, name: string): string {
    const names = this.imports.get(from) ?? new Set();
    this.imports.set(from, names);
    if (!names.has(name)) {
      names.add(name);
      this.undo.push(() => names.delete(name));
    }
    return name;
  }

  /** A construct's id in the chart, from any words. */
  public id(words: string): string {
    const { name, takeBack } = this.ids.take(pascalCase(words) || 'Object');
    this.undo.push(takeBack);
    return name;
  }

  /** Name of a constant, from any words. */
  public constant(words: string): string {
    const pascal = pascalCase(words) || 'Value';
    const camel = `${pascal[0].toLowerCase()}${pascal.slice(1)}`.replace(/^[0-9]/, 'n$&');
    const { name, takeBack } = this.constants.take(TAKEN.has(camel) ? `${camel}Value` : camel);
    this.undo.push(takeBack);
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
    this.declared.set(key, { name, value });
    this.pending.push(key);
    this.undo.push(() => {
      this.declared.delete(key);
      this.pending = this.pending.filter((one) => one !== key);
    });
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

/** Names of which each is given once: a manifest can ask for one of them many thousand times. */
class Names {
  private readonly taken = new Set<string>();
  /** The number that the next one of that name is tried with. */
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
