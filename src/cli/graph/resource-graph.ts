/**
 * Resources and their relations: what `trainyard graph` draws, whatever it draws it as.
 *
 * The part of a graph that is asked for, with what it has to do with directly.
 */
import { CliError } from '../cli-error';
import { didYouMean } from '../../model/violations';

/** Where a resource comes from. */
export type NodeOrigin =
  /** It is in the manifests. */
  | 'given'
  /** The operator will create it. */
  | 'made'
  /** It is referenced, but is not in the manifests. */
  | 'outside';

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
  /** The box around it. @default - none */
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
  /** The box around it. @default - none */
  readonly parent?: string;
}

/** A graph. Every edge begins and ends at one of the nodes, no box is empty, and parents come before their boxes. */
export interface ResourceGraph {
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
  readonly boxes: readonly GraphBox[];
}

/** `KIND.GROUP NAMESPACE/NAME`, which identifies a resource. */
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

/** What is asked for: nodes that keep all that is given. */
export interface GraphFilter {
  readonly namespace?: string;
  /** In any spelling of capitals. */
  readonly kind?: string;
  readonly name?: string;
}

/** How the filters are read from a node. */
const FIELDS = {
  namespace: ({ namespace }: GraphNode) => namespace,
  kind: ({ kind }: GraphNode) => kind.toLowerCase(),
  name: ({ name }: GraphNode) => name,
} as const;

/**
 * Keeps what is asked for, what is made of it, and whatever these are related to.
 * @throws CliError when nothing is left
 */
export function filteredGraph(graph: ResourceGraph, filter: GraphFilter): ResourceGraph {
  const given = givenFields({ ...filter, kind: filter.kind?.toLowerCase() });
  if (given.length === 0) {
    return graph;
  }
  const chosen = new Set(graph.nodes.filter((node) => given.every(([field, value]) => FIELDS[field](node) === value)).map(({ id }) => id));
  if (chosen.size === 0) {
    throw nothingLeft(graph, filter);
  }
  const makes = graph.edges.filter(({ from, verbs }) => chosen.has(from) && verbs.includes('makes')).map(({ to }) => to);
  makes.forEach((id) => chosen.add(id));
  const edges = graph.edges.filter(({ from, to }) => chosen.has(from) || chosen.has(to));
  const kept = new Set([...chosen, ...edges.flatMap(({ from, to }) => [from, to])]);
  const nodes = graph.nodes.filter(({ id }) => kept.has(id));
  return { nodes, edges, boxes: boxesAround(nodes, graph.boxes) };
}

function givenFields(filter: GraphFilter): [keyof typeof FIELDS, string][] {
  return Object.entries(filter).filter((entry): entry is [keyof typeof FIELDS, string] => entry[1] !== undefined);
}

/** Boxes of the nodes, and the boxes around these. */
function boxesAround(nodes: readonly GraphNode[], boxes: readonly GraphBox[]): GraphBox[] {
  const needed = new Set(nodes.flatMap(({ box }) => (box === undefined ? [] : [box])));
  for (const { id, parent } of [...boxes].reverse()) {
    if (needed.has(id) && parent !== undefined) {
      needed.add(parent);
    }
  }
  return boxes.filter(({ id }) => needed.has(id));
}

function nothingLeft({ nodes }: ResourceGraph, filter: GraphFilter): CliError {
  const given = givenFields(filter);
  const hints = given.map(([field, value]) => didYouMean(value, nodes.flatMap((node) => (field === 'kind' ? node.kind : FIELDS[field](node)) ?? [])));
  return new CliError(`There is no resource with ${given.map(([field, value]) => `${field} ${value}`).join(' and ')}.${hints.find((hint) => hint !== '') ?? ''}`);
}
