/** A graph as text, in the languages of Graphviz and of Mermaid. */
import { CATEGORIES, categoryOf, type Category } from './categories';
import { kindText, type GraphNode, type NodeOrigin, type ResourceGraph } from './resource-graph';
import { printable } from '../../model/text/printable';

/**
 * Writes the digraph.
 *
 * A graph in the language of Graphviz.
 * @see https://graphviz.org/doc/info/lang.html
 */
export function dotText({ nodes, edges, boxes }: ResourceGraph): string {
  const nodeNames = new Map(nodes.map(({ id }, index) => [id, `n${index}`]));
  const boxNames = new Map(boxes.map(({ id }, index) => [id, `cluster_${index}`]));
  const inside = (box: string | undefined, indent: string): string[] => [
    ...nodes.filter((node) => node.box === box).map((node) => `${indent}${nodeNames.get(node.id)} [${nodeAttributes(node)}];`),
    ...boxes.filter(({ parent }) => parent === box).flatMap(({ id, title }) => [
      `${indent}subgraph ${boxNames.get(id)} {`, `${indent}  label=${quoted(title)};`, ...inside(id, `${indent}  `), `${indent}}`,
    ]),
  ];
  return [
    'digraph resources {',
    '  rankdir=LR;',
    '  node [shape=box, fontname="sans-serif"];',
    '  edge [fontname="sans-serif", fontsize=10];',
    ...inside(undefined, '  '),
    ...edges.map(({ from, to, verbs }) => `  ${nodeNames.get(from)} -> ${nodeNames.get(to)} [label=${quoted(verbs.join(', '))}${verbs.includes('makes') ? ', style=dashed' : ''}];`),
    '}',
  ].join('\n');
}

function nodeAttributes(node: GraphNode): string {
  const lines = [kindText(node), node.name, ...(node.namespace === undefined ? [] : [node.namespace])];
  const { fill, stroke } = CATEGORIES[categoryOf(node)];
  const look = { given: `style=filled, fillcolor="${fill}", color="${stroke}"`, made: `style="filled,dashed", fillcolor="${fill}", color="${stroke}"`, outside: 'style=dotted' };
  return `label=${lines.map(quotedInner).join('\\n').replace(/^|$/g, '"')}, ${look[node.origin]}`;
}

function quoted(text: string): string {
  return `"${quotedInner(text)}"`;
}

/** Backslashes begin escapes in labels, quotes end them. */
function quotedInner(text: string): string {
  return printable(text.replace(/\s+/g, ' ')).replace(/[\\"]/g, '\\$&');
}

/** How nodes look by their origin. */
const ORIGIN_STYLES: { readonly [origin in Exclude<NodeOrigin, 'given'>]: string } = {
  made: 'stroke-dasharray:5 3',
  outside: 'fill:#ffffff,stroke:#8c959f,color:#57606a,stroke-dasharray:2 2',
};

/**
 * Writes the flowchart.
 *
 * A graph as a Mermaid flowchart, which GitHub, GitLab and many editors draw.
 * @see https://mermaid.js.org/syntax/flowchart.html
 */
export function mermaidText({ nodes, edges, boxes }: ResourceGraph): string {
  const nodeNames = new Map(nodes.map(({ id }, index) => [id, `n${index}`]));
  const boxNames = new Map(boxes.map(({ id }, index) => [id, `b${index}`]));
  const nodeLine = (node: GraphNode) => {
    const namespace = node.namespace === undefined ? '' : `<br/>${escaped(node.namespace)}`;
    const classes = node.origin === 'outside' ? 'outside' : categoryOf(node);
    return `${nodeNames.get(node.id)}["${escaped(kindText(node))}<br/><b>${escaped(node.name)}</b>${namespace}"]:::${classes}`;
  };
  const inside = (box: string | undefined, indent: string): string[] => [
    ...nodes.filter((node) => node.box === box).map((node) => `${indent}${nodeLine(node)}`),
    ...boxes.filter(({ parent }) => parent === box).flatMap(({ id, title }) => [
      `${indent}subgraph ${boxNames.get(id)}["${escaped(title)}"]`, ...inside(id, `${indent}  `), `${indent}end`,
    ]),
  ];
  const used = new Set<Category>(nodes.filter(({ origin }) => origin !== 'outside').map(categoryOf));
  const made = nodes.filter(({ origin }) => origin === 'made').map(({ id }) => nodeNames.get(id));
  return [
    'flowchart LR',
    ...inside(undefined, '  '),
    ...edges.map(({ from, to, verbs }) => `  ${nodeNames.get(from)} ${arrowOf(verbs)} ${nodeNames.get(to)}`),
    ...[...used].sort().map((category) => `  classDef ${category} fill:${CATEGORIES[category].fill},stroke:${CATEGORIES[category].stroke},color:#1f2328`),
    ...(nodes.some(({ origin }) => origin === 'outside') ? [`  classDef outside ${ORIGIN_STYLES.outside}`] : []),
    ...(made.length > 0 ? [`  classDef made ${ORIGIN_STYLES.made}`, `  class ${made.join(',')} made`] : []),
  ].join('\n');
}

/** What is made is drawn as made, which needs no words. */
function arrowOf(verbs: readonly string[]): string {
  const words = verbs.filter((verb) => verb !== 'makes').join(', ');
  return `${verbs.includes('makes') ? '-.->' : '-->'}${words === '' ? '' : `|"${escaped(words)}"|`}`;
}

/** Text within quotes: what would end them, or be read as markup or as an entity, is written by its number. */
function escaped(text: string): string {
  return printable(text.replace(/\s+/g, ' ')).replace(/["#%&<>\\`[\]{}|;]/g, (character) => `#${character.codePointAt(0)};`);
}
