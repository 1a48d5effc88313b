/** Resources and their relations, which `trainyard graph` draws in several formats, and the filters of the command. */
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
  /** @default - none is set, or the kind is cluster-scoped */
  readonly namespace?: string;
  readonly name: string;
  readonly origin: NodeOrigin;
  /** Number of resources that it represents, such as the pods of a role. @default 1 */
  readonly count?: number;
  /** The box around it. @default - none */
  readonly box?: string;
}

/** The relation of one resource to another. */
export interface GraphEdge {
  readonly from: string;
  readonly to: string;
  /** Such as `mounts`, `reads`. */
  readonly verbs: readonly string[];
}

/** A group of resources. */
export interface GraphBox {
  readonly id: string;
  readonly title: string;
  /** The box around it. @default - none */
  readonly parent?: string;
}

/** A graph. Every edge starts and ends at one of the nodes, no box is empty, and parents come before their boxes. */
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

/** The label of an edge. `makes` has none: its dashed line says it. */
export function edgeText({ verbs }: GraphEdge): string {
  return verbs.filter((verb) => verb !== 'makes').join(', ');
}

/** Returns for a box its id and those of all boxes around it, from inside to outside. */
export function enclosingBoxes(boxes: readonly GraphBox[]): (box: string | undefined) => string[] {
  const parents = new Map(boxes.map(({ id, parent }) => [id, parent]));
  const around = (box: string | undefined): string[] => (box === undefined ? [] : [box, ...around(parents.get(box))]);
  return around;
}

/** Merges edges between the same two resources, in the order of their first ones. */
export function mergedEdges(edges: readonly GraphEdge[]): GraphEdge[] {
  const byEnds = new Map<string, GraphEdge>();
  for (const edge of edges) {
    const key = JSON.stringify([edge.from, edge.to]);
    const known = byEnds.get(key);
    byEnds.set(key, known === undefined ? edge : { ...edge, verbs: [...new Set([...known.verbs, ...edge.verbs])] });
  }
  return [...byEnds.values()];
}

/** Selects the nodes that match all given fields. */
export interface GraphFilter {
  readonly namespace?: string;
  /** In upper or lower case. */
  readonly kind?: string;
  readonly name?: string;
}

/** The fields of a node that filters compare. */
const FIELDS = {
  namespace: ({ namespace }: GraphNode) => namespace,
  kind: ({ kind }: GraphNode) => kind.toLowerCase(),
  name: ({ name }: GraphNode) => name,
} as const;

/**
 * Keeps the selected nodes, what the operator creates for them, and everything related to these.
 * @throws CliError when no node matches
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
  const around = enclosingBoxes(graph.boxes);
  const needed = new Set(nodes.flatMap(({ box }) => around(box)));
  return { nodes, edges, boxes: graph.boxes.filter(({ id }) => needed.has(id)) };
}

function givenFields(filter: GraphFilter): [keyof typeof FIELDS, string][] {
  return Object.entries(filter).filter((entry): entry is [keyof typeof FIELDS, string] => entry[1] !== undefined);
}

function nothingLeft({ nodes }: ResourceGraph, filter: GraphFilter): CliError {
  const given = givenFields(filter);
  const hints = given.map(([field, value]) => didYouMean(value, nodes.flatMap((node) => (field === 'kind' ? node.kind : FIELDS[field](node)) ?? [])));
  return new CliError(`There is no resource with ${given.map(([field, value]) => `${field} ${value}`).join(' and ')}.${hints.find((hint) => hint !== '') ?? ''}`);
}
