/**
 * The packaged schemas of upstream systems, in the folder `upstream/`. A file is read when one of its kinds is needed. Shared schemas are one object
 * in memory, too.
 */
import fs from 'node:fs';
import path from 'node:path';
import {
  systemFileName, type CompactNode, type CompactSchema, type KindFacts, type Parts, type SystemEntry, type SystemFile, type UpstreamIndex,
} from './compact-format';
import type { StructuralSchema } from '../structural-schema';
import { entryFor } from '../../../model/lists';

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

  /** The packaged schemas. */
  public static packaged(): UpstreamSchemas {
    return this.ofPackage ??= this.of(packageFolder());
  }

  /** The schemas of a folder; none without an index. */
  public static of(folder: string): UpstreamSchemas {
    return entryFor(this.known, folder, () => new UpstreamSchemas(folder));
  }

  public get entries(): readonly SystemEntry[] {
    return this.index.systems;
  }

  /** A kind in all systems that define versions of it. */
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

  /** All kinds of a system, and how they were read; undefined for an unknown system. */
  public facts(system: string, version: string): { readonly kinds: readonly KindFacts[]; readonly readFrom: SystemEntry['readFrom'] } | undefined {
    const entry = this.index.systems.find((candidate) => candidate.system === system && candidate.version === version);
    return entry && { kinds: this.kindsOf(entry), readFrom: entry.readFrom };
  }

  /** All kinds that a system defines. */
  public kindsOf(system: SystemEntry): readonly KindFacts[] {
    return entryFor(this.systems, system, () => {
      const { kinds, parts } = read<SystemFile>(path.join(this.folder, `${systemFileName(system)}.json`));
      this.shared ??= read<Parts>(path.join(this.folder, 'shared.json'));
      const expansion = new Expansion([parts, this.shared]);
      return kinds.map((kind) => expansion.kind(kind));
    });
  }
}

/** `lib/cli/` is two folders below the package, `src/cli/crd/upstream/` four. */
function packageFolder(): string {
  const above = [path.join(__dirname, '..', '..'), path.join(__dirname, '..', '..', '..', '..')];
  return path.join(above.find((folder) => fs.existsSync(path.join(folder, 'upstream', 'index.json'))) ?? above[0], 'upstream');
}

function read<T>(file: string): T {
  return JSON.parse(fs.readFileSync(file, 'utf8')) as T;
}

/** Replaces names of parts by schemas. A part is expanded once. */
export class Expansion {
  private readonly expanded = new Map<string, StructuralSchema>();

  /** @param parts by precedence: those of the system first */
  public constructor(private readonly parts: readonly Parts[]) {}

  /** @throws Error for an unknown part */
  public schema(compact: CompactSchema): StructuralSchema {
    if (typeof compact !== 'string') {
      return this.node(compact);
    }
    return entryFor(this.expanded, compact, () => {
      const parts = this.parts.find((some) => Object.hasOwn(some, compact));
      if (parts === undefined) {
        throw new Error(`the schemas of upstream/ have no part '${compact}'. Regenerate them: npm run upstream.`);
      }
      return this.node(parts[compact]);
    });
  }

  public kind({ versions, ...names }: KindFacts<CompactSchema>): KindFacts {
    return { ...names, versions: versions.map(({ schema, ...version }) => ({ ...version, schema: this.schema(schema) })) };
  }

  private node(node: CompactNode): StructuralSchema {
    return mapSchemas(node as StructuralSchema, (inner) => this.schema(inner as CompactSchema));
  }
}

/** Replaces the schemas directly below a schema. */
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
