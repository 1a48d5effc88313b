/**
 * A graph as SVG: one file that needs neither fonts nor scripts. It has a background, so that it looks the same on light and dark pages. The picture
 * has a title and a description as text, and each resource has a title.
 * @see https://www.w3.org/TR/SVG2/
 */
import { CATEGORIES, categoryOf, type Category } from './categories';
import { FONT, layoutOf, textWidth, type Line } from './layout';
import { kindText, type GraphBox, type GraphNode, type ResourceGraph } from './resource-graph';
import type { Point, Rectangle } from './routes';
import { printable, shortened } from '../../model/text/printable';

/** Colours that have no category. */
const COLOURS = { background: '#ffffff', text: '#1f2328', muted: '#57606a', line: '#6e7781', box: '#d0d7de', boxFill: '#8c959f' } as const;

const FONTS = 'system-ui, -apple-system, \'Segoe UI\', Helvetica, Arial, sans-serif';

/** Texts of the legend for resources that are not in the manifests. */
const ORIGINS = { made: 'created by the operator', outside: 'not in these manifests' } as const;

/** Height of the legend, and the size of the swatch of each entry; pixels. */
const [LEGEND, SWATCH] = [34, 12];

/** @param title of the picture */
export function svgText(graph: ResourceGraph, title: string): string {
  const { width, height, nodes, boxes, lines } = layoutOf(graph);
  const legend = legendOf(graph);
  const [fullWidth, fullHeight] = [Math.ceil(Math.max(width, legend.width)), Math.ceil(height + LEGEND)];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${fullWidth}" height="${fullHeight}" viewBox="0 0 ${fullWidth} ${fullHeight}" role="img" aria-labelledby="title description" `
    + `font-family="${FONTS}" font-size="${FONT.small}">`,
    `  <title id="title">${escaped(title)}</title>`,
    `  <desc id="description">${escaped(description(graph))}</desc>`,
    '  <defs>',
    `    <marker id="arrow" viewBox="0 0 8 8" refX="7.5" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8z" fill="${COLOURS.line}"/></marker>`,
    '  </defs>',
    `  <rect width="${fullWidth}" height="${fullHeight}" fill="${COLOURS.background}"/>`,
    ...graph.boxes.map((box) => boxElement(box, boxes.get(box.id)!)),
    ...lines.map(lineElement),
    ...graph.nodes.map((node) => nodeElement(node, nodes.get(node.id)!)),
    // Texts of lines are drawn over lines and nodes.
    ...lines.filter(({ words }) => words !== '').map(labelElement),
    ...legend.elements(fullHeight - LEGEND / 2),
    '</svg>',
  ].join('\n');
}

function boxElement({ title }: GraphBox, { x, y, width, height }: Rectangle): string {
  return `  <g><rect ${corner(x, y)} ${size(width, height)} rx="8" fill="${COLOURS.boxFill}" fill-opacity="0.06" stroke="${COLOURS.box}"/>`
    + `<text ${corner(x + 10, y + 15)} font-weight="600" fill="${COLOURS.muted}">${escaped(title)}</text></g>`;
}

/** Longest id in the title of a node: kind, group, namespace and name at their longest. */
const MAX_ID = 650;

function nodeElement(node: GraphNode, rectangle: Rectangle): string {
  const { x, y, width } = rectangle;
  const middle = x + width / 2;
  const namespace = node.namespace === undefined ? '' : textElement(middle, y + 46, node.namespace, `fill="${COLOURS.muted}"`);
  const origin = node.origin === 'given' ? '' : ` (${ORIGINS[node.origin]})`;
  return `  <g><title>${escaped(`${shortened(node.id, MAX_ID)}${origin}`)}</title>${frame(node, rectangle)}`
    + textElement(middle, y + 15, kindText(node), `fill="${COLOURS.muted}"`)
    + textElement(middle, y + 31, node.name, `font-size="${FONT.name}" font-weight="600" fill="${node.origin === 'outside' ? COLOURS.muted : COLOURS.text}"`)
    + `${namespace}</g>`;
}

function frame(node: Pick<GraphNode, 'group' | 'kind' | 'origin'>, { x, y, width, height }: Rectangle): string {
  const { fill, stroke } = node.origin === 'outside' ? { fill: COLOURS.background, stroke: COLOURS.line } : CATEGORIES[categoryOf(node)];
  const dashes = { given: '', made: ' stroke-dasharray="6 3"', outside: ' stroke-dasharray="2 3"' }[node.origin];
  return `<rect ${corner(x, y)} ${size(width, height)} rx="5" fill="${fill}" stroke="${stroke}"${dashes}/>`;
}

function textElement(x: number, y: number, text: string, attributes: string): string {
  return `<text ${corner(x, y)} text-anchor="middle" ${attributes}>${escaped(text)}</text>`;
}

function lineElement({ edge, points }: Line): string {
  const dashes = edge.verbs.includes('makes') ? ' stroke-dasharray="6 3"' : '';
  return `  <path d="${pathOf(points)}" fill="none" stroke="${COLOURS.line}"${dashes} marker-end="url(#arrow)"/>`;
}

/** Straight from the first to the second point of each pair, and a curve from there to the next pair. */
function pathOf([first, ...rest]: readonly Point[]): string {
  let before = first;
  const pieces = rest.map((point, index) => {
    const middle = at((before.x + point.x) / 2);
    const piece = index % 2 === 0 ? `L${at(point.x)} ${at(point.y)}` : `C${middle} ${at(before.y)} ${middle} ${at(point.y)} ${at(point.x)} ${at(point.y)}`;
    before = point;
    return piece;
  });
  return `M${at(first.x)} ${at(first.y)}${pieces.join('')}`;
}

function labelElement({ words, label }: Line): string {
  const width = textWidth(words, FONT.small);
  return `  <g><rect ${corner(label.x - width / 2, label.y - 8)} ${size(width, 15)} fill="${COLOURS.background}" fill-opacity="0.8"/>`
    + `${textElement(label.x, label.y + 3.5, words, `fill="${COLOURS.text}"`)}</g>`;
}

/** What the colours and frames of this graph mean. */
function legendOf({ nodes }: ResourceGraph): { readonly width: number; readonly elements: (y: number) => string[] } {
  const inside = nodes.filter(({ origin }) => origin !== 'outside').map(categoryOf);
  const categories = (Object.keys(CATEGORIES) as Category[]).filter((category) => inside.includes(category)).map((category) => CATEGORIES[category]);
  const origins = (['made', 'outside'] as const).filter((origin) => nodes.some((node) => node.origin === origin));
  const entries = [
    ...categories.map(({ title, fill, stroke }) => ({ text: title, swatch: ({ x, y, width: across, height }: Rectangle) => (
      `<rect ${corner(x, y)} ${size(across, height)} rx="3" fill="${fill}" stroke="${stroke}"/>`) })),
    ...origins.map((origin) => ({ text: ORIGINS[origin], swatch: (place: Rectangle) => frame({ kind: '', group: '', origin }, place) })),
  ];
  let width = 20;
  const placed = entries.map((entry) => {
    const x = width;
    width += SWATCH + 6 + textWidth(entry.text, FONT.small) + 16;
    return { ...entry, x };
  });
  return {
    width,
    elements: (y) => placed.map(({ x, text, swatch }) => `  <g>${swatch({ x, y: y - SWATCH / 2, width: SWATCH, height: SWATCH })}`
      + `<text ${corner(x + SWATCH + 6, y + 4)} fill="${COLOURS.muted}">${escaped(text)}</text></g>`),
  };
}

/** The graph in words, for screen readers. */
function description({ nodes, edges }: ResourceGraph): string {
  const byId = new Map(nodes.map((node) => [node.id, `${node.kind} ${node.name}`]));
  return edges.map(({ from, to, verbs }) => `${byId.get(from)} ${verbs.join(', ')} ${byId.get(to)}`).join('; ');
}

function corner(x: number, y: number): string {
  return `x="${at(x)}" y="${at(y)}"`;
}

function size(width: number, height: number): string {
  return `width="${at(width)}" height="${at(height)}"`;
}

/** A tenth of a pixel is enough. */
function at(value: number): string {
  return String(Math.round(value * 10) / 10);
}

/**
 * Text of an element or of an attribute. Invisible characters are written out, so that none reverses the direction of the text. This leaves two
 * characters that XML 1.0 does not allow; they are replaced. @see https://www.w3.org/TR/xml/#charsets
 */
function escaped(text: string): string {
  return printable(text.replace(/\s+/g, ' ')).replace(/[\ufffe\uffff]/g, '\ufffd')
    .replace(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`);
}
