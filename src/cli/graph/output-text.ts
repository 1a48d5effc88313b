/** A graph as text, in the languages of Graphviz and of Mermaid. */
import { CATEGORIES, categoryOf, type Category } from './categories';
import { edgeText, kindText, type GraphBox, type GraphEdge, type GraphNode, type ResourceGraph } from './resource-graph';
import { printable } from '../../model/text/printable';

/** A graph in the language of Graphviz. @see https://graphviz.org/doc/info/lang.html */
export function dotText({ nodes, edges, boxes }: ResourceGraph): string {
  const nodeNames = new Map(nodes.map(({ id }, index) => [id, `n${index}`]));
  const boxNames = new Map(boxes.map(({ id }, index) => [id, `cluster_${index}`]));
  const inside = nested({ nodes, boxes }, (node) => `${nodeNames.get(node.id)} [${nodeAttributes(node)}];`,
    ({ id, title }) => [`subgraph ${boxNames.get(id)} {`, `  label=${quoted(title)};`], '}');
  return [
    'digraph resources {',
    '  rankdir=LR;',
    '  node [shape=box, fontname="sans-serif"];',
    '  edge [fontname="sans-serif", fontsize=10];',
    ...inside,
    ...edges.map(({ from, to, verbs }) => `  ${nodeNames.get(from)} -> ${nodeNames.get(to)} [label=${quoted(verbs.join(', '))}${verbs.includes('makes') ? ', style=dashed' : ''}];`),
    '}',
  ].join('\n');
}

/** Lines of all nodes, indented in their boxes. */
function nested(
  { nodes, boxes }: Pick<ResourceGraph, 'nodes' | 'boxes'>, nodeLine: (node: GraphNode) => string, begin: (box: GraphBox) => readonly string[], end: string,
): string[] {
  const inside = (parent: string | undefined): string[] => [
    ...nodes.filter(({ box }) => box === parent).map((node) => `  ${nodeLine(node)}`),
    ...boxes.filter((box) => box.parent === parent).flatMap((box) => [...begin(box), ...inside(box.id), end].map((line) => `  ${line}`)),
  ];
  return inside(undefined);
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

/** In labels, a backslash starts an escape and a quote ends the text. */
function quotedInner(text: string): string {
  return printable(text.replace(/\s+/g, ' ')).replace(/[\\"]/g, '\\$&');
}

/** A graph as a Mermaid flowchart, which GitHub, GitLab and many editors draw. @see https://mermaid.js.org/syntax/flowchart.html */
export function mermaidText({ nodes, edges, boxes }: ResourceGraph): string {
  const nodeNames = new Map(nodes.map(({ id }, index) => [id, `n${index}`]));
  const boxNames = new Map(boxes.map(({ id }, index) => [id, `b${index}`]));
  const nodeLine = (node: GraphNode) => {
    const namespace = node.namespace === undefined ? '' : `<br/>${escaped(node.namespace)}`;
    const classes = node.origin === 'outside' ? 'outside' : categoryOf(node);
    return `${nodeNames.get(node.id)}["${escaped(kindText(node))}<br/><b>${escaped(node.name)}</b>${namespace}"]:::${classes}`;
  };
  const inside = nested({ nodes, boxes }, nodeLine, ({ id, title }) => [`subgraph ${boxNames.get(id)}["${escaped(title)}"]`], 'end');
  const used = new Set<Category>(nodes.filter(({ origin }) => origin !== 'outside').map(categoryOf));
  const made = nodes.filter(({ origin }) => origin === 'made').map(({ id }) => nodeNames.get(id));
  return [
    'flowchart LR',
    ...inside,
    ...edges.map((edge) => `  ${nodeNames.get(edge.from)} ${arrowOf(edge)} ${nodeNames.get(edge.to)}`),
    ...[...used].sort().map((category) => `  classDef ${category} fill:${CATEGORIES[category].fill},stroke:${CATEGORIES[category].stroke},color:#1f2328`),
    ...(nodes.some(({ origin }) => origin === 'outside') ? ['  classDef outside fill:#ffffff,stroke:#8c959f,color:#57606a,stroke-dasharray:2 2'] : []),
    ...(made.length > 0 ? ['  classDef made stroke-dasharray:5 3', `  class ${made.join(',')} made`] : []),
  ].join('\n');
}

function arrowOf(edge: GraphEdge): string {
  const words = edgeText(edge);
  return `${edge.verbs.includes('makes') ? '-.->' : '-->'}${words === '' ? '' : `|"${escaped(words)}"|`}`;
}

/** Quoted text: characters that would end it, or be read as markup or an entity, are written as numbers. */
function escaped(text: string): string {
  return printable(text.replace(/\s+/g, ' ')).replace(/["#%&<>\\`[\]{}|;]/g, (character) => `#${character.codePointAt(0)};`);
}
