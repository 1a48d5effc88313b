/** Resources and their relations: what `trainyard graph` draws, whatever it draws it as. */

/** Where a resource comes from. */
export type NodeOrigin =
  /** It stands in the manifests. */
  | 'given'
  /** The operator will make it. */
  | 'made'
  /** It is named, and stands nowhere in the manifests. */
  | 'outside';

/** A resource. */
export interface GraphNode {
  /** Unique: `KIND.GROUP NAMESPACE/NAME`. */
  readonly id: string;
  readonly kind: string;
  /** API group; empty for the core group. */
  readonly group: string;
  /** @default - none is named, or the kind lives in none */
  readonly namespace?: string;
  readonly name: string;
  readonly origin: NodeOrigin;
  /** How many there will be of it, such as pods of a role. @default 1 */
  readonly count?: number;
  /** The box that it stands in. @default - in none */
  readonly box?: string;
}

/** What one resource has to do with another. */
export interface GraphEdge {
  readonly from: string;
  readonly to: string;
  /** Verbs from the one to the other: `mounts`, `reads`. */
  readonly verbs: readonly string[];
}

/** Resources that belong together. */
export interface GraphBox {
  readonly id: string;
  readonly title: string;
  /** The box that it stands in. @default - in none */
  readonly parent?: string;
}

/** A graph. Every edge begins and ends at one of the nodes, no box is empty, and parents come before their boxes. */
export interface ResourceGraph {
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
  readonly boxes: readonly GraphBox[];
}

/** `KIND.GROUP NAMESPACE/NAME`, by which resources are told apart. */
export function nodeId(group: string, kind: string, namespace: string | undefined, name: string): string {
  return `${kind}${group === '' ? '' : `.${group}`} ${namespace === undefined ? '' : `${namespace}/`}${name}`;
}

/** `Pod`, or `Pod ×4`. */
export function kindText({ kind, count = 1 }: GraphNode): string {
  return count === 1 ? kind : `${kind} ×${count}`;
}

/** Brings edges between the same two resources together, in the order in which they first came. */
export function mergedEdges(edges: readonly GraphEdge[]): GraphEdge[] {
  const byEnds = new Map<string, GraphEdge>();
  for (const edge of edges) {
    const key = JSON.stringify([edge.from, edge.to]);
    const known = byEnds.get(key);
    byEnds.set(key, known === undefined ? edge : { ...edge, verbs: [...new Set([...known.verbs, ...edge.verbs])] });
  }
  return [...byEnds.values()];
}
