/**
 * A view of an object that records which fields were read. Readers read fields through it, and it then lists the unread fields with their paths and
 * values, so an unknown field is never dropped silently.
 */
import { fieldPath } from '../../model/shapes';
import { isRecord } from '../../model/json-parts';
import { formatViolation } from '../../model/violations';

/** An object from YAML. */
export type JsonObject = { readonly [field: string]: unknown };

/** Why an object cannot be read: a field, its value, and the fix. It ends the migration of one object. */
export class MigrationError extends Error {
  public readonly name = 'MigrationError';

  /**
   * @param path field of the object that was read; empty for the object itself
   * @param value the field's value
   * @param rule the rule and the fix, as one or two sentences
   */
  public constructor(public readonly path: string, public readonly value: unknown, public readonly rule: string) {
    super(path === '' ? rule : formatViolation({ path, value, message: rule }));
  }
}

/** A field that was not read. */
export interface UnreadField {
  /** Path from the object of the view. */
  readonly keys: readonly (string | number)[];
  /** The path as text, such as `spec.runPolicy.backoffLimit`. */
  readonly path: string;
  readonly value: unknown;
}

/** A view of an object that records which fields were read. Null counts as absent, as for the API server. */
export class Fields {
  private readonly taken = new Set<string>();
  private readonly opened = new Map<string, readonly Fields[]>();

  /**
   * @param value the object
   * @param path its path, for messages; empty for the whole object
   */
  public constructor(public readonly value: JsonObject, public readonly path = '', private readonly keys: readonly (string | number)[] = []) {}

  /** Whether the field exists. Does not count as reading it. */
  public has(name: string): boolean {
    return this.peek(name) !== undefined;
  }

  /** The field's value, without counting as reading it. */
  public peek(name: string): unknown {
    return Object.hasOwn(this.value, name) ? this.value[name] ?? undefined : undefined;
  }

  /** Path of a field. */
  public at(name: string): string {
    return this.path === '' && /^\w+$/.test(name) ? name : fieldPath(this.path, name);
  }

  /** Names of existing fields that were not read. */
  public get unreadNames(): string[] {
    return Object.keys(this.value).filter((name) => this.has(name) && !this.taken.has(name) && !this.opened.has(name));
  }

  /** Reads the field's whole value. */
  public take(name: string): unknown {
    this.taken.add(name);
    return this.peek(name);
  }

  /** Reads all fields that were not read. */
  public takeRest(): { [field: string]: unknown } {
    return Object.fromEntries(this.unreadNames.map((name) => [name, this.take(name)]));
  }

  /** @throws MigrationError if it has another type, like each method below */
  public text(name: string): string | undefined {
    return this.typed(name, (value) => typeof value === 'string', 'must be a string') as string | undefined;
  }

  /** A whole number that is not negative. */
  public count(name: string): number | undefined {
    return this.typed(name, (value) => Number.isInteger(value) && (value as number) >= 0, 'must be a whole number, 0 or more') as number | undefined;
  }

  public flag(name: string): boolean | undefined {
    return this.typed(name, (value) => typeof value === 'boolean', 'must be true or false') as boolean | undefined;
  }

  public texts(name: string): string[] | undefined {
    return this.typed(name, (value) => Array.isArray(value) && value.every((item) => typeof item === 'string'), 'must be a list of strings') as
      string[] | undefined;
  }

  /** A map of strings. Numbers and booleans, which unquoted YAML strings can become, are converted to strings. */
  public textMap(name: string): { [key: string]: string } | undefined {
    const map = this.typed(name, (value) => isRecord(value) && Object.values(value).every(isScalar), 'must be a map of names to strings');
    return map === undefined ? undefined : Object.fromEntries(Object.entries(map as JsonObject).map(([key, value]) => [key, String(value)]));
  }

  /** One of a few words. */
  public oneOf<T extends string>(name: string, words: readonly T[]): T | undefined {
    return this.typed(name, (value) => words.includes(value as T), `must be one of ${words.join(', ')}`) as T | undefined;
  }

  /** An object, whose fields must be read in turn. */
  public object(name: string): Fields | undefined {
    const value = this.typed(name, isRecord, 'must be an object');
    return value === undefined ? undefined : this.open(name, [new Fields(value as JsonObject, this.at(name), [...this.keys, name])])[0];
  }

  /** A list of objects, whose fields must be read in turn; empty if the field is absent. */
  public list(name: string): readonly Fields[] {
    const value = this.typed(name, (items) => Array.isArray(items) && items.every(isRecord), 'must be a list of objects') as
      JsonObject[] | undefined;
    return value === undefined ? [] : this.open(name, value.map((item, index) =>
      new Fields(item, `${this.at(name)}[${index}]`, [...this.keys, name, index])));
  }

  /** The entries of a map from names to objects. */
  public entries(name: string): readonly (readonly [string, Fields])[] {
    const map = this.object(name);
    return Object.keys(map?.value ?? {}).filter((key) => map!.has(key)).map((key) => [key, map!.object(key)!]);
  }

  /** A required object. @param what what it is, for the error; empty if that is obvious */
  public requiredObject(name: string, what = ''): Fields {
    return this.required(name, this.object(name), what === '' ? 'is required.' : `is required: ${what}.`);
  }

  /** A required string. @param what what it is, for the error */
  public requiredText(name: string, what: string): string {
    return this.required(name, this.text(name), `is required: ${what}.`);
  }

  /** @throws MigrationError if the field is absent */
  public required<T>(name: string, value: T | undefined, why: string): T {
    if (value === undefined) {
      throw new MigrationError(this.at(name), undefined, why);
    }
    return value;
  }

  /**
   * Unread fields, including those of nested objects.
   * @param whole whether an object without any read field is listed as a whole, and not field by field
   */
  public unread(whole = false): UnreadField[] {
    return Object.keys(this.value).filter((name) => this.has(name) && !this.taken.has(name)).flatMap((name) => {
      const own = { keys: [...this.keys, name], path: this.at(name), value: this.value[name] };
      const views = this.opened.get(name);
      const isUntouched = views === undefined || (whole && views.length > 0 && views.every((view) => !view.isTouched));
      return isUntouched ? [own] : views.flatMap((view) => view.unread(whole));
    });
  }

  /** Whether any field was read, or there is none. */
  private get isTouched(): boolean {
    return this.taken.size > 0 || Object.keys(this.value).length === 0
      || [...this.opened.values()].some((views) => views.some((view) => view.isTouched));
  }

  private open(name: string, views: readonly Fields[]): readonly Fields[] {
    this.taken.delete(name);
    const earlier = this.opened.get(name) ?? views;
    this.opened.set(name, earlier);
    return earlier;
  }

  private typed(name: string, isRight: (value: unknown) => boolean, rule: string): unknown {
    const value = this.take(name);
    if (value !== undefined && !isRight(value)) {
      throw new MigrationError(this.at(name), value, `${rule}.`);
    }
    return value;
  }
}

function isScalar(value: unknown): boolean {
  return ['string', 'number', 'boolean'].includes(typeof value);
}
