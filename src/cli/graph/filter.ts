/** The part of a graph that is asked for, with what it has to do with directly. */
import type { GraphBox, GraphNode, ResourceGraph } from './resource-graph';
import { CliError } from '../cli-error';
import { didYouMean } from '../../model/violations';

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

/** Boxes that nodes stand in, and those around them. */
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
