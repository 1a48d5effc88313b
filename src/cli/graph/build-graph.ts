/** Builds the graph of objects: each object is a node, each relation an edge, and each missing object that another one refers to is a node too. */
import { boxesOf, type Boxed, type Grouping } from './boxes';
import { madeObjects } from './made-objects';
import { textIn } from '../../model/json-parts';
import { keyOf, podLabels, relationsOf } from '../../model/references/relations';
import { mergedEdges, nodeId, type GraphEdge, type GraphNode, type ResourceGraph } from './resource-graph';
import {
  isClusterScoped, isSelected, kindKey, selectorText, splitKey, type Labels, type NamedTarget, type SelectedTarget, type Target,
} from '../../model/references/targets';
import { groupOf } from '../../model/objects/builtin-kinds';
import type { ManifestObject } from '../../model/objects/manifest-object';
import { shownName } from '../../model/text/printable';
import type { SourceObject } from '../validate/sources';
import { entryFor } from '../../model/lists';

export interface GraphOptions {
  readonly grouping: Grouping;
  /** Whether to show what the operator will create; else the job has the relations of these objects. */
  readonly made: boolean;
}

/** A graph, and notes for the user. */
export interface BuiltGraph {
  readonly graph: ResourceGraph;
  readonly notes: readonly string[];
}

/** A node and its object. */
interface Entry extends Boxed {
  readonly object: ManifestObject;
}

/** Builds the graph. The result depends only on the objects and their order. */
export function buildGraph(objects: readonly SourceObject[], { grouping, made }: GraphOptions): BuiltGraph {
  const { entries, edges: makes, makers, notes } = entriesOf(objects);
  const outside = new Map<string, GraphNode>();
  const finder = new Finder(entries);
  const related = entries.flatMap(({ node, object }): GraphEdge[] => {
    return relationsOf(object, makers.has(node.id)).flatMap(({ verb, target }) => {
      const found = finder.find(target, node);
      const missing = found.length === 0 ? outsideNode(target, node) : undefined;
      if (missing !== undefined) {
        outside.set(missing.id, missing);
        found.push(missing.id);
      }
      return found.map((to) => ({ from: node.id, to, verbs: [verb] }));
    });
  });
  const { boxes, boxOf } = boxesOf(entries.filter(({ node }) => made || node.origin === 'given'), grouping);
  const nodes = [...entries.map(({ node }) => node), ...outside.values()].map((node) => ({
    ...node, name: shownName(node.name), namespace: node.namespace && shownName(node.namespace), kind: shownName(node.kind), box: boxOf.get(node.id),
  }));
  const graph = { nodes, edges: mergedEdges([...makes, ...related]), boxes: boxes.map((box) => ({ ...box, title: shownName(box.title) })) };
  return { graph: made ? graph : withoutMade(graph, entries), notes };
}

/** Every object as a node, once, and then what the operator creates for each. */
function entriesOf(objects: readonly SourceObject[]) {
  const entries = new Map<string, Entry>();
  const edges: GraphEdge[] = [];
  const makers = new Set<string>();
  const repeated: RepeatedObject[] = [];
  objects.forEach((source, index) => {
    const { object, where } = source.located;
    const node = nodeOf(object, 'given', index);
    const earlier = entries.get(node.id);
    if (earlier !== undefined) {
      repeated.push({ id: node.id, first: earlier.source.located.where, again: where });
    } else {
      entries.set(node.id, { node, object, source });
    }
  });
  const notes = notesOfRepeated(repeated);
  for (const { node, object, source } of [...entries.values()]) {
    const { made, problem } = madeObjects(object);
    if (problem !== undefined) {
      notes.push(problem);
    }
    for (const { object: one, name, count } of made) {
      const madeNode = { ...nodeOf(one, 'made', 0, name), count };
      if (!entries.has(madeNode.id)) {
        entries.set(madeNode.id, { node: madeNode, object: one, maker: node.id, source });
      }
      makers.add(node.id);
      edges.push({ from: node.id, to: madeNode.id, verbs: ['makes'] });
    }
  }
  return { entries: [...entries.values()], edges, makers, notes };
}

/** An object that is defined a second time. */
interface RepeatedObject {
  readonly id: string;
  readonly first: string;
  readonly again: string;
}

/** How many repeated objects a note names. */
const NAMED_REPETITIONS = 3;

/** One line, also for several objects: a folder that is given twice repeats all of them. */
function notesOfRepeated(repeated: readonly RepeatedObject[]): string[] {
  if (repeated.length <= 1) {
    return repeated.map(({ id, first, again }) => `${id} is defined twice: in ${first} and in ${again}. The first is shown.`);
  }
  const named = repeated.slice(0, NAMED_REPETITIONS).map(({ id, first, again }) => `${id} (${first}; ${again})`).join(', ');
  const others = repeated.length - NAMED_REPETITIONS;
  return [`${repeated.length} objects are defined again: ${named}${others > 0 ? ` and ${others} more` : ''}. The first of each is shown.`];
}

function nodeOf(object: ManifestObject, origin: GraphNode['origin'], index: number, called?: string): GraphNode {
  const { apiVersion = '', kind = '', metadata } = object;
  const group = groupOf(apiVersion);
  const namespace = isClusterScoped(group, kind) ? undefined : textIn(metadata?.namespace);
  // A name that the server will generate is unique.
  const name = called ?? (textIn(metadata?.name) || `${textIn(metadata?.generateName) ?? 'nameless-'}* (${index + 1})`);
  return { id: nodeId(group, kind, namespace, name), kind, group, namespace, name, origin };
}

/** Finds the objects that a target refers to. */
class Finder {
  private readonly byName = new Map<string, Entry[]>();
  private readonly byKind = new Map<string, Entry[]>();
  private readonly withPods: readonly { readonly entry: Entry; readonly labels: readonly Labels[] }[];

  public constructor(entries: readonly Entry[]) {
    for (const entry of entries) {
      const key = keyOf(entry.object);
      entryFor(this.byKind, key, () => []).push(entry);
      // By its own name too, if the node represents several objects.
      new Set([entry.node.name, entry.object.metadata?.name]).forEach((name) => entryFor(this.byName, `${key} ${name}`, () => []).push(entry));
    }
    this.withPods = entries.map((entry) => ({ entry, labels: podLabels(entry.object) })).filter(({ labels }) => labels.length > 0);
  }

  public find(target: Target, from: GraphNode): string[] {
    if ('defines' in target) {
      return (this.byKind.get(kindKey(target.defines.group, target.defines.kind)) ?? []).map(({ node }) => node.id);
    }
    return 'selector' in target ? this.select(target, from) : this.named(target, from);
  }

  /** An object without a namespace can be in any. */
  private named({ group, kind, name, namespace }: NamedTarget, from: GraphNode): string[] {
    const wanted = namespace ?? from.namespace;
    const called = this.byName.get(`${kindKey(group, kind)} ${name}`) ?? [];
    const found = called.find(({ node }) => node.namespace === wanted)
      ?? (called.length === 1 && (wanted === undefined || called[0].node.namespace === undefined) ? called[0] : undefined);
    return found === undefined ? [] : [found.node.id];
  }

  private select({ of, selector, namespaces }: SelectedTarget, from: GraphNode): string[] {
    const wanted = namespaces ?? (from.namespace === undefined ? 'all' : [from.namespace]);
    const isNear = ({ node }: Entry) => wanted === 'all' || node.namespace === undefined || wanted.includes(node.namespace);
    const candidates = of === 'pods' ? this.withPods
      : (this.byKind.get(of) ?? []).map((entry) => ({ entry, labels: [(entry.object.metadata?.labels ?? {}) as Labels] }));
    return candidates.filter(({ entry, labels }) => isNear(entry) && labels.some((set) => isSelected(selector, set)))
      .map(({ entry }) => entry.node.id);
  }
}

/** The node of a missing object; undefined for selectors that select everything, and for definitions. */
function outsideNode(target: Target, from: GraphNode): GraphNode | undefined {
  if ('defines' in target) {
    return undefined;
  }
  if ('selector' in target) {
    const text = selectorText(target.selector);
    const { group, kind } = splitKey(target.of === 'pods' ? 'Pod' : target.of);
    return text === '' ? undefined : outsideOf(group, kind, from.namespace, `with ${text}`);
  }
  return outsideOf(target.group, target.kind, target.namespace ?? from.namespace, target.name);
}

function outsideOf(group: string, kind: string, scope: string | undefined, name: string): GraphNode {
  const namespace = isClusterScoped(group, kind) ? undefined : scope;
  return { id: nodeId(group, kind, namespace, name), kind, group, namespace, name, origin: 'outside' };
}

/** The graph without what the operator creates: the job has its relations. */
function withoutMade({ nodes, edges, boxes }: ResourceGraph, entries: readonly Entry[]): ResourceGraph {
  const makers = new Map(entries.flatMap(({ node, maker }) => (maker === undefined ? [] : [[node.id, maker] as const])));
  const lifted = edges.map((edge) => ({ ...edge, from: makers.get(edge.from) ?? edge.from, to: makers.get(edge.to) ?? edge.to }))
    .filter((edge) => edge.from !== edge.to);
  return { nodes: nodes.filter(({ origin }) => origin !== 'made'), edges: mergedEdges(lifted), boxes };
}
