/**
 * The format of the definitions in `upstream/`. A schema that several places share is a part, which has a name, in the system's file or in
 * `shared.json`.
 */
import type { StructuralSchema } from '../structural-schema';

/** A schema, or the name of a part. */
export type CompactSchema = string | CompactNode;

/** A schema whose inner schemas are compact. */
export type CompactNode = Omit<StructuralSchema, 'items' | 'properties' | 'additionalProperties' | 'allOf' | 'anyOf' | 'oneOf' | 'not'> & {
  readonly items?: CompactSchema;
  readonly properties?: { readonly [field: string]: CompactSchema };
  readonly additionalProperties?: CompactSchema | boolean;
  readonly allOf?: readonly CompactSchema[];
  readonly anyOf?: readonly CompactSchema[];
  readonly oneOf?: readonly CompactSchema[];
  readonly not?: CompactSchema;
};

/** Schemas by their names. */
export interface Parts {
  readonly [name: string]: CompactNode;
}

export interface VersionFacts<Schema> {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly deprecated?: boolean;
  readonly subresources?: object;
  readonly schema: Schema;
}

export interface KindFacts<Schema = StructuralSchema> {
  readonly group: string;
  readonly kind: string;
  /** @default - the kind and `List` */
  readonly listKind?: string;
  readonly plural: string;
  readonly singular?: string;
  readonly shortNames?: readonly string[];
  readonly scope: 'Namespaced' | 'Cluster';
  readonly versions: readonly VersionFacts<Schema>[];
}

/** A file of `upstream/`: one system at one version. */
export interface SystemFile {
  readonly kinds: readonly KindFacts<CompactSchema>[];
  readonly parts: Parts;
}

/** Where the definitions of a system are published. */
export type UpstreamArchive =
  /** A module of Go, with its line of go.sum. */
  | { readonly module: string; readonly sum: string }
  /** A repository and a commit of it, for systems that no module archive has. */
  | { readonly repository: string; readonly commit: string };

export interface SystemEntry {
  /** Name, such as `kueue`. */
  readonly system: string;
  /** Version, such as `v0.19.2`. */
  readonly version: string;
  readonly archive: UpstreamArchive;
  /** Whether the definitions were read from the archive, or from a folder of definitions that were extracted from it. */
  readonly readFrom: 'archive' | 'folder';
  /** SHA-256 of the facts in canonical form. */
  readonly facts: string;
  readonly kinds: { readonly [group: string]: readonly string[] };
}

/** `upstream/index.json`. */
export interface UpstreamIndex {
  readonly systems: readonly SystemEntry[];
}

export function systemFileName({ system, version }: Pick<SystemEntry, 'system' | 'version'>): string {
  return `${system}-${version}`;
}
