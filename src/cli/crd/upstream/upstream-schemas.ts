/**
 * The schemas of upstream systems that come with Trainyard, in the package's folder `upstream/`. A file is read when a kind of it is asked for.
 *
 * Schemas as everybody else reads them, from compact ones. What several places share is one object afterwards, too.
 */
import fs from 'node:fs';
import path from 'node:path';
import {
  systemFileName, type CompactNode, type CompactSchema, type KindFacts, type Parts, type SystemEntry, type SystemFile, type UpstreamIndex,
} from './compact-format';
import type { StructuralSchema } from '../structural-schema';

/** A kind, and the system that defines it. */
export interface UpstreamKind {
  readonly system: SystemEntry;
  readonly facts: KindFacts;
}

export class UpstreamSchemas {
  private static readonly known = new Map<string, UpstreamSchemas>();
  private static ofPackage?: UpstreamSchemas;

  private readonly index: UpstreamIndex;
  private readonly systems = new Map<SystemEntry, readonly KindFacts[]>();
  private shared?: Parts;

  private constructor(private readonly folder: string) {
    const file = path.join(folder, 'index.json');
    this.index = fs.existsSync(file) ? read<UpstreamIndex>(file) : { systems: [] };
  }

  /** Those of the package that this program is part of: `lib/cli/` once bundled, `src/cli/crd/upstream/` before. Each object asks. */
  public static packaged(): UpstreamSchemas {
    return this.ofPackage ??= this.of(packageFolder());
  }

  /** Those of a folder; one without an index has none. */
  public static of(folder: string): UpstreamSchemas {
    const schemas = this.known.get(folder) ?? new UpstreamSchemas(folder);
    this.known.set(folder, schemas);
    return schemas;
  }

  public get entries(): readonly SystemEntry[] {
    return this.index.systems;
  }

  /** A kind as systems define it: two of them may have versions of the same. */
  public find(group: string, kind: string): UpstreamKind[] {
    return this.index.systems.filter(({ kinds }) => Object.hasOwn(kinds, group) && kinds[group].includes(kind))
      .flatMap((system) => this.kindsOf(system).filter((facts) => facts.group === group && facts.kind === kind).map((facts) => ({ system, facts })));
  }

  public groupsOf(kind: string): string[] {
    return [...new Set(this.index.systems.flatMap(({ kinds }) => Object.keys(kinds).filter((group) => kinds[group].includes(kind))))];
  }

  public kindsOfGroup(group: string): string[] {
    return [...new Set(this.index.systems.flatMap(({ kinds }) => (Object.hasOwn(kinds, group) ? kinds[group] : [])))];
  }

  /** All kinds of a system, and how they were read; undefined for one that is not here. */
  public facts(system: string, version: string): { readonly kinds: readonly KindFacts[]; readonly readFrom: SystemEntry['readFrom'] } | undefined {
    const entry = this.index.systems.find((candidate) => candidate.system === system && candidate.version === version);
    return entry && { kinds: this.kindsOf(entry), readFrom: entry.readFrom };
  }

  /** All kinds that a system defines. */
  public kindsOf(system: SystemEntry): readonly KindFacts[] {
    let kinds = this.systems.get(system);
    if (kinds === undefined) {
      const { kinds: compact, parts } = read<SystemFile>(path.join(this.folder, `${systemFileName(system)}.json`));
      this.shared ??= read<Parts>(path.join(this.folder, 'shared.json'));
      const expansion = new Expansion([parts, this.shared]);
      kinds = compact.map((kind) => expansion.kind(kind));
      this.systems.set(system, kinds);
    }
    return kinds;
  }
}

function packageFolder(): string {
  const above = [path.join(__dirname, '..', '..'), path.join(__dirname, '..', '..', '..', '..')];
  return path.join(above.find((folder) => fs.existsSync(path.join(folder, 'upstream', 'index.json'))) ?? above[0], 'upstream');
}

function read<T>(file: string): T {
  return JSON.parse(fs.readFileSync(file, 'utf8')) as T;
}

/** Writes schemas out. Each part once: a pod that eight fields share costs as much as one. */
export class Expansion {
  private readonly expanded = new Map<string, StructuralSchema>();

  /** @param parts by precedence: a system's own before those that systems share */
  public constructor(private readonly parts: readonly Parts[]) {}

  /** @throws Error for the name of no part */
  public schema(compact: CompactSchema): StructuralSchema {
    if (typeof compact !== 'string') {
      return this.node(compact);
    }
    let schema = this.expanded.get(compact);
    if (schema === undefined) {
      const parts = this.parts.find((some) => Object.hasOwn(some, compact));
      if (parts === undefined) {
        throw new Error(`the schemas of upstream/ have no part '${compact}'. Regenerate them: npm run upstream.`);
      }
      schema = this.node(parts[compact]);
      this.expanded.set(compact, schema);
    }
    return schema;
  }

  public kind({ versions, ...names }: KindFacts<CompactSchema>): KindFacts {
    return { ...names, versions: versions.map(({ schema, ...version }) => ({ ...version, schema: this.schema(schema) })) };
  }

  private node(node: CompactNode): StructuralSchema {
    return mapSchemas(node as StructuralSchema, (inner) => this.schema(inner as CompactSchema));
  }
}

/** A schema with something else in the place of each schema right below it. */
export function mapSchemas(node: StructuralSchema, map: (inner: StructuralSchema, field?: string) => unknown): StructuralSchema {
  const { items, properties, additionalProperties, not } = node;
  const fields = properties && Object.entries(properties).map(([field, inner]) => [field, map(inner, field)]);
  const lists = (['allOf', 'anyOf', 'oneOf'] as const).filter((name) => node[name] !== undefined);
  return {
    ...node,
    ...(items !== undefined && { items: map(items) }),
    ...(fields !== undefined && { properties: Object.fromEntries(fields) as object }),
    ...(additionalProperties !== undefined && typeof additionalProperties !== 'boolean' && { additionalProperties: map(additionalProperties) }),
    ...(not !== undefined && { not: map(not) }),
    ...Object.fromEntries(lists.map((name) => [name, node[name]!.map((inner) => map(inner))])),
  } as StructuralSchema;
}
