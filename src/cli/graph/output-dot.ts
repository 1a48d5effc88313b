/** A graph in the language of Graphviz. @see https://graphviz.org/doc/info/lang.html */
import { CATEGORIES, categoryOf } from './categories';
import { kindText, type GraphNode, type ResourceGraph } from './resource-graph';
import { printable } from '../../model/text/printable';

/** Writes the digraph. */
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
