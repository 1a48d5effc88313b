/**
 * The position of everything in the picture. dagre lays out related resources from left to right. It would place the unrelated resources of a box
 * in one long column, so they are in a grid that dagre sees as one node.
 */
import * as dagre from '@dagrejs/dagre';
import { edgeText, enclosingBoxes, kindText, type GraphEdge, type GraphNode, type ResourceGraph } from './resource-graph';
import { routesOf, type Point, type Rectangle } from './routes';

export interface Line {
  readonly edge: GraphEdge;
  /** Each pair of points is a straight piece; the line bends between pairs. */
  readonly points: readonly Point[];
  readonly words: string;
  /** The middle of the words. */
  readonly label: Point;
}

export interface Layout {
  readonly width: number;
  readonly height: number;
  readonly nodes: ReadonlyMap<string, Rectangle>;
  readonly boxes: ReadonlyMap<string, Rectangle>;
  readonly lines: readonly Line[];
}

/** Sizes of letters; pixels. */
export const FONT = { small: 11, name: 13 } as const;

/** Space to the left and right of a node's text, and the node's height; pixels. */
const NODE = { padding: 12, height: 40, heightWithNamespace: 54 } as const;

/** Space between nodes of a grid; pixels. */
const GAP = 16;

/** Space around everything; pixels. */
const MARGIN = 20;

/** Space between neighbours, and between the frame of a box and its content, where its title is; pixels. */
const SEPARATION = 26;

export function layoutOf(graph: ResourceGraph): Layout {
  const sizes = withRoomForTitles(graph, new Map(graph.nodes.map((node) => [node.id, sizeOf(node)])));
  const grids = gridsOf(graph, sizes);
  const inGrid = new Set(grids.flatMap(({ cells }) => [...cells.keys()]));
  // Generated names, so that no resource has the name of one of dagre's own nodes.
  const nodeNames = new Map(graph.nodes.map(({ id }, index) => [id, `node ${index}`]));
  const boxNames = new Map(graph.boxes.map(({ id }, index) => [id, `box ${index}`]));
  const arrange = (edges: readonly GraphEdge[]) => {
    const layout = new dagre.Graph({ compound: true })
      .setGraph({ rankdir: 'LR', nodesep: SEPARATION, edgesep: SEPARATION, ranksep: 56, marginx: MARGIN, marginy: MARGIN }).setDefaultEdgeLabel(() => ({}));
    const place = (name: string, { width, height }: Size, box: string | undefined) => {
      layout.setNode(name, { width, height });
      if (box !== undefined) {
        layout.setParent(name, boxNames.get(box));
      }
    };
    graph.boxes.forEach(({ id, parent }) => place(boxNames.get(id)!, { width: 0, height: 0 }, parent));
    graph.nodes.filter(({ id }) => !inGrid.has(id)).forEach(({ id, box }) => place(nodeNames.get(id)!, sizes.get(id)!, box));
    grids.forEach((grid, index) => place(`grid ${index}`, grid, grid.box));
    edges.forEach((edge) => layout.setEdge(nodeNames.get(edge.from)!, nodeNames.get(edge.to)!, { ...sizeOfWords(edgeText(edge)), labelpos: 'c' }));
    dagre.layout(layout);
    return layout;
  };
  const layout = arrangedWithFallback(graph, arrange);
  const nodes = new Map(graph.nodes.filter(({ id }) => !inGrid.has(id)).map(({ id }) => [id, cornered(layout.node(nodeNames.get(id)!))]));
  const wholeGrids = grids.map((_grid, index) => cornered(layout.node(`grid ${index}`)));
  const lines = linesOf(graph, nodes, wholeGrids, ({ from, to }) => (
    layout.edge(nodeNames.get(from)!, nodeNames.get(to)!) as Routed | undefined ?? straight(nodes.get(from)!, nodes.get(to)!)
  ));
  grids.forEach((grid, index) => {
    const { x, y } = wholeGrids[index];
    grid.cells.forEach((cell, id) => nodes.set(id, { ...cell, x: x + cell.x, y: y + cell.y }));
  });
  const boxes = new Map(graph.boxes.map(({ id }) => [id, cornered(layout.node(boxNames.get(id)!))]));
  return { ...extent([...nodes.values(), ...boxes.values()], lines), nodes, boxes, lines };
}

/**
 * Arranges all lines, or, if dagre fails, all except those from one outermost box to another: in some graphs of hundreds of resources in many boxes,
 * coordinates become NaN, which dagre reports as an impossible intersection.
 */
function arrangedWithFallback<T>({ nodes, boxes, edges }: ResourceGraph, arrange: (edges: readonly GraphEdge[]) => T): T {
  try {
    return arrange(edges);
  } catch {
    const around = enclosingBoxes(boxes);
    const boxOf = new Map(nodes.map(({ id, box }) => [id, around(box).at(-1)]));
    return arrange(edges.filter(({ from, to }) => boxOf.get(from) === boxOf.get(to)));
  }
}

/** A line that dagre has not routed. */
function straight(from: Rectangle, to: Rectangle): Routed {
  const [start, end] = [from, to].map(({ x, y, width, height }) => ({ x: x + width / 2, y: y + height / 2 }));
  return { points: [start, end], x: (start.x + end.x) / 2, y: (start.y + end.y) / 2 };
}

/** A line as dagre returns it. */
interface Routed {
  readonly points: readonly Point[];
  readonly x?: number;
  readonly y?: number;
}

function linesOf(
  { edges }: ResourceGraph, nodes: ReadonlyMap<string, Rectangle>, grids: readonly Rectangle[], routed: (edge: GraphEdge) => Routed,
): Line[] {
  const labels = edges.map((edge) => {
    const { x = 0, y = 0 } = routed(edge);
    return { ...cornered({ x, y, ...sizeOfWords(edgeText(edge)) }), label: { x, y } };
  });
  const connections = edges.map((edge) => ({ from: nodes.get(edge.from)!, to: nodes.get(edge.to)!, points: routed(edge).points }));
  const routes = routesOf(connections, [...nodes.values(), ...grids, ...labels]);
  return edges.map((edge, index) => ({ edge, points: routes[index], words: edgeText(edge), label: labels[index].label }));
}

function sizeOfWords(words: string): Size {
  return words === '' ? { width: 0, height: 0 } : { width: textWidth(words, FONT.small) + 10, height: FONT.small + 4 };
}

/** A box is as wide as its content. If its title is wider, the first resource is widened. */
function withRoomForTitles({ nodes, boxes }: ResourceGraph, sizes: ReadonlyMap<string, Size>): ReadonlyMap<string, Size> {
  const widened = new Map(sizes);
  const around = enclosingBoxes(boxes);
  for (const { id, title } of boxes) {
    const inside = nodes.filter(({ box }) => around(box).includes(id)).map((node) => node.id);
    const needed = textWidth(title, FONT.small, true);
    if (inside.length > 0 && inside.every((node) => widened.get(node)!.width < needed)) {
      widened.set(inside[0], { ...widened.get(inside[0])!, width: needed });
    }
  }
  return widened;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

/** Unrelated resources of one box. */
interface Grid extends Size {
  readonly box?: string;
  readonly cells: ReadonlyMap<string, Rectangle>;
}

function sizeOf(node: GraphNode): Size {
  const { name, namespace = '' } = node;
  const width = Math.max(textWidth(kindText(node), FONT.small), textWidth(name, FONT.name, true), textWidth(namespace, FONT.small));
  return { width: width + 2 * NODE.padding, height: namespace === '' ? NODE.height : NODE.heightWithNamespace };
}

function gridsOf({ nodes, edges }: ResourceGraph, sizes: ReadonlyMap<string, Size>): Grid[] {
  const related = new Set(edges.flatMap(({ from, to }) => [from, to]));
  const alone = nodes.filter(({ id }) => !related.has(id));
  return [...new Set(alone.map(({ box }) => box))].map((box) => {
    const ids = alone.filter((node) => node.box === box).map(({ id }) => id);
    const columns = Math.ceil(Math.sqrt(ids.length / 2));
    const width = most(ids.map((id) => sizes.get(id)!.width));
    const height = most(ids.map((id) => sizes.get(id)!.height));
    const cells = new Map(ids.map((id, index) => [id, {
      x: (index % columns) * (width + GAP), y: Math.floor(index / columns) * (height + GAP), width, height: sizes.get(id)!.height,
    }]));
    return { box, cells, width: columns * (width + GAP) - GAP, height: Math.ceil(ids.length / columns) * (height + GAP) - GAP };
  });
}

/** dagre returns the middle of a rectangle. */
function cornered({ x = 0, y = 0, width, height }: Size & { readonly x?: number; readonly y?: number }): Rectangle {
  return { x: x - width / 2, y: y - height / 2, width, height };
}

function extent(rectangles: readonly Rectangle[], lines: readonly Line[]): Size {
  const points = lines.flatMap((line) => line.points);
  const right = [...rectangles.map(({ x, width }) => x + width), ...points.map(({ x }) => x)];
  const bottom = [...rectangles.map(({ y, height }) => y + height), ...points.map(({ y }) => y)];
  return { width: most(right) + MARGIN, height: most(bottom) + MARGIN };
}

/** The largest value, 0 at least. `Math.max(...values)` fails for long lists. */
function most(values: readonly number[]): number {
  return values.reduce((one, other) => Math.max(one, other), 0);
}

/** Widths of letters relative to the font size, for the widest of the usual sans-serif fonts. */
const WIDTHS = new Map(([['iljtfI.,:;|!\'()[]/ -', 0.4], ['mwMW@%', 0.98], ['ABCDEFGHJKLNOPQRSTUVXYZ&', 0.76]] as const)
  .flatMap(([letters, width]) => [...letters].map((letter) => [letter, width] as const)));

/** Width of all other ASCII letters, and of all other letters. */
const [USUAL, WIDE] = [0.62, 1.05];

/** Estimated width of a text; pixels. The viewer's fonts are unknown, so the result is too wide rather than too narrow. */
export function textWidth(text: string, size: number, bold = false): number {
  const width = [...text].reduce((sum, letter) => sum + (WIDTHS.get(letter) ?? (letter <= '~' ? USUAL : WIDE)), 0);
  return Math.ceil(width * size * (bold ? 1.06 : 1));
}
