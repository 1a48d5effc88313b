/**
 * Finds what the schemas of all systems have in common. Equal schemas are one node of a graph; a node that several places share, and whose name is
 * shorter than it is, becomes a part: of the system's file, or of the shared one when two systems have it. So the templates of pods, nine tenths of
 * what upstream publishes, are written once. Names are those of fields, with a few digits of the content's hash: they change with the content alone.
 */
import { createHash } from 'node:crypto';
import type { CompactNode, CompactSchema, KindFacts, Parts, SystemFile } from '../../src/cli/crd/upstream/compact-format';
import { mapSchemas } from '../../src/cli/crd/upstream/upstream-schemas';
import type { StructuralSchema } from '../../src/cli/crd/structural-schema';

/** Files of all systems by name, and what they share. */
export interface CompactFiles {
  readonly systems: ReadonlyMap<string, SystemFile>;
  readonly shared: Parts;
}

/** A schema that occurs somewhere. */
interface Node {
  /** With indexes of nodes in the place of schemas. */
  readonly content: StructuralSchema;
  readonly hash: string;
  /** Places in other nodes, and in kinds, where it stands. */
  places: number;
  readonly systems: Set<string>;
  readonly fields: Map<string, number>;
  /** Its name, once it is a part. */
  part?: string;
}

/** Characters that a part costs once, and a name each time. */
const PART_COST = 20;
const NAME_COST = 15;

/** See the top of this file. @param systems facts of each, by the name of its file */
export function compact(systems: ReadonlyMap<string, readonly KindFacts[]>): CompactFiles {
  const graph = new Graph();
  const roots = [...systems].map(([system, kinds]) => (
    { system, kinds: kinds.map((kind) => withSchemas(kind, (schema) => graph.place(schema, system))) }));
  graph.nameParts();
  return {
    shared: graph.parts(({ systems: of }) => of.size > 1),
    systems: new Map(roots.map(({ system, kinds }) => [system, {
      kinds: kinds.map((kind) => withSchemas(kind, (index) => graph.written(index))),
      parts: graph.parts(({ systems: of }) => of.size === 1 && of.has(system)),
    }])),
  };
}

function withSchemas<One, Other>({ versions, ...names }: KindFacts<One>, map: (schema: One) => Other): KindFacts<Other> {
  return { ...names, versions: versions.map(({ schema, ...version }) => ({ ...version, schema: map(schema) })) };
}

class Graph {
  /** Nodes after all nodes that they hold. */
  private readonly nodes: Node[] = [];
  private readonly byContent = new Map<string, number>();

  /** @returns the index of the schema's node, which stands in one place more */
  public place(schema: StructuralSchema, system: string, field = 'root'): number {
    const index = this.find(schema, system);
    this.count(index, field);
    return index;
  }

  private find(schema: StructuralSchema, system: string): number {
    const content = mapSchemas(schema, (inner) => this.find(inner, system));
    const key = JSON.stringify(content);
    let index = this.byContent.get(key);
    if (index === undefined) {
      const hashes = mapSchemas(content, (inner) => this.nodes[inner as unknown as number].hash);
      index = this.nodes.length;
      this.nodes.push({ content, hash: createHash('sha256').update(JSON.stringify(hashes)).digest('hex'), places: 0, systems: new Set(), fields: new Map() });
      this.byContent.set(key, index);
      // Only now: what a known node holds was counted when it was new.
      mapSchemas(content, (inner, field) => this.count(inner as unknown as number, field));
    }
    this.nodes[index].systems.add(system);
    return index;
  }

  private count(index: number, field = 'item'): void {
    const node = this.nodes[index];
    node.places += 1;
    node.fields.set(field, (node.fields.get(field) ?? 0) + 1);
  }

  /** Decides which nodes are parts, from the smallest to the largest: what a node costs depends on the parts in it. */
  public nameParts(): void {
    const taken = new Set<string>();
    this.nodes.forEach((node, index) => {
      const size = JSON.stringify(this.written(index)).length;
      if ((node.places - 1) * size > node.places * NAME_COST + PART_COST) {
        node.part = freeName(node, taken);
        taken.add(node.part);
      }
    });
  }

  /** How a node is written where it stands. */
  public written(index: number): CompactSchema {
    return this.nodes[index].part ?? this.content(index);
  }

  /** Parts of some nodes, in the order of their names. */
  public parts(isWanted: (node: Node) => boolean): Parts {
    const wanted = this.nodes.map((node, index) => ({ node, index })).filter(({ node }) => node.part !== undefined && isWanted(node));
    const named = wanted.map(({ node, index }) => [node.part!, this.content(index)] as const);
    return Object.fromEntries(named.sort(([one], [other]) => (one < other ? -1 : 1)));
  }

  private content(index: number): CompactNode {
    return mapSchemas(this.nodes[index].content, (inner) => this.written(inner as unknown as number)) as CompactNode;
  }
}

/** `string` and `int32` for what is no more than that; else the most common name of its fields and as much of the hash as makes it one of a kind. */
function freeName({ content, hash, fields }: Node, taken: ReadonlySet<string>): string {
  const { type, format, ...rest } = content;
  const plain = format ?? type;
  if (plain !== undefined && Object.keys(rest).length === 0 && !taken.has(plain)) {
    return plain;
  }
  const [[field]] = [...fields].sort(([one, often], [other, oftener]) => oftener - often || (one < other ? -1 : 1));
  let length = 3;
  while (taken.has(`${field}-${hash.slice(0, length)}`)) {
    length += 1;
  }
  return `${field}-${hash.slice(0, length)}`;
}
