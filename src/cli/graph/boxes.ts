/** Boxes around resources that belong together: charts and constructs of an app, files of manifests, or namespaces. */
import path from 'node:path';
import type { GraphBox, GraphNode } from './resource-graph';
import { grouped } from '../text';
import type { SourceObject } from '../validate/sources';

/** What resources can be grouped by. */
export const GROUPINGS = ['construct', 'namespace', 'none'] as const;

/** One of {@link GROUPINGS}. */
export type Grouping = (typeof GROUPINGS)[number];

/** A node and where it comes from. */
export interface Boxed {
  readonly node: GraphNode;
  /** The node of the job for which the operator creates it. */
  readonly maker?: string;
  /** Where it was read; for what the operator creates, where its job was read. */
  readonly source: SourceObject;
}

/** Boxes, and the box of each node that has one. */
export interface Boxes {
  readonly boxes: readonly GraphBox[];
  readonly boxOf: ReadonlyMap<string, string>;
}

/** Puts nodes into boxes. */
export function boxesOf(entries: readonly Boxed[], grouping: Grouping): Boxes {
  switch (grouping) {
    case 'none': return { boxes: [], boxOf: new Map() };
    case 'namespace': return treeOf(entries.map(({ node }) => ({ id: node.id, path: namespaceOf(node) })), () => true);
    case 'construct': return constructBoxes(entries);
  }
}

function namespaceOf({ group, kind, name, namespace }: GraphNode): string[] {
  const own = kind === 'Namespace' && group === '' ? name : namespace;
  return own === undefined ? [] : [`namespace ${own}`];
}

/** Charts, their constructs, and in these the objects that the operator creates for a job. */
function constructBoxes(entries: readonly Boxed[]): Boxes {
  const paths = constructPaths([...new Set(entries.map(({ source }) => source))]);
  const placed = entries.map(({ node, maker, source }) => {
    const own = paths.get(source)!;
    return { id: node.id, path: maker === undefined ? own : [...own, `created by the operator for ${source.located.object.metadata?.name ?? ''}`] };
  });
  const levels = placed.map(({ path: steps }) => steps[0]);
  // One file of manifests, for which the operator creates nothing, needs no box.
  const isOneFile = entries.every(({ source }) => source.hasText) && new Set(levels).size === 1;
  return isOneFile
    ? treeOf(placed.map(({ id, path: steps }) => ({ id, path: steps.slice(1) })), (_depth, size) => size > 1)
    : treeOf(placed, (depth, size) => depth === 0 || size > 1);
}

/** The path of each object in the tree of constructs, the chart first; for manifests, the file. */
function constructPaths(sources: readonly SourceObject[]): ReadonlyMap<SourceObject, string[]> {
  const paths = new Map<SourceObject, string[]>();
  for (const inFile of grouped(sources, ({ located }) => located.file).values()) {
    const known = inFile.flatMap(({ construct }) => (construct === undefined ? [] : [construct.split('/')]));
    const charts = [...new Set(known.map(([chart]) => chart))];
    const chart = charts.length === 1 ? charts[0] : titleOf(inFile[0]);
    // The construct of an object is known only where names are unique, and a box without some of its objects would mislead.
    const isComplete = known.length === inFile.length;
    for (const source of inFile) {
      // The last step is the object's own, usually `Resource`.
      const steps = source.construct?.split('/').slice(0, -1) ?? [];
      paths.set(source, isComplete && steps.length > 0 ? steps : [chart]);
    }
  }
  return paths;
}

/** `queue` for `main.ts (queue.k8s.yaml)`, the output of an app; the name of the file for manifests. */
function titleOf({ file, hasText, located }: SourceObject): string {
  return hasText ? (file === '-' ? 'standard input' : file) : path.basename(located.file.replace(/^.*\(|\)$/g, '')).replace(/(\.k8s)?\.(ya?ml|json)$/, '');
}

interface Placed {
  readonly id: string;
  readonly path: readonly string[];
}

/**
 * Boxes for the steps of paths.
 * @param isWorth whether to draw a box at this depth, with this number of nodes in it and in its boxes
 */
function treeOf(placed: readonly Placed[], isWorth: (depth: number, size: number) => boolean): Boxes {
  const sizes = new Map<string, number>();
  const keyOf = (steps: readonly string[]) => JSON.stringify(steps);
  const prefixes = ({ path: steps }: Placed) => steps.map((_step, depth) => steps.slice(0, depth + 1));
  for (const prefix of placed.flatMap(prefixes)) {
    sizes.set(keyOf(prefix), (sizes.get(keyOf(prefix)) ?? 0) + 1);
  }
  const boxes = new Map<string, GraphBox>();
  const boxOf = new Map<string, string>();
  for (const node of placed) {
    let parent: string | undefined;
    let parentSize = Infinity;
    for (const prefix of prefixes(node)) {
      const key = keyOf(prefix);
      const size = sizes.get(key)!;
      // A box that holds just what the one around it holds says nothing.
      if (isWorth(prefix.length - 1, size) && size < parentSize) {
        if (!boxes.has(key)) {
          boxes.set(key, { id: prefix.join('/'), title: prefix[prefix.length - 1], parent });
        }
        parent = boxes.get(key)!.id;
        parentSize = size;
      }
    }
    if (parent !== undefined) {
      boxOf.set(node.id, parent);
    }
  }
  return { boxes: [...boxes.values()], boxOf };
}
