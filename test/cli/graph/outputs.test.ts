import fc from 'fast-check';
import { buildGraph } from '../../../src/cli/graph/build-graph';
import { GROUPINGS } from '../../../src/cli/graph/boxes';
import { layoutOf } from '../../../src/cli/graph/layout';
import { dotText, mermaidText } from '../../../src/cli/graph/output-text';
import { svgText } from '../../../src/cli/graph/output-svg';
import type { ResourceGraph } from '../../../src/cli/graph/resource-graph';
import type { Rectangle } from '../../../src/cli/graph/routes';
import type { ManifestObject } from '../../../src/model/objects/manifest-object';
import type { SourceObject } from '../../../src/cli/validate/sources';
import { printable, printableLines } from '../../../src/model/text/printable';
import { graphOf } from './graphs';
import { allElements, parseXml } from './xml';

/** Names as they are, and as nobody should give them: markup, quotes, control characters, halves of characters. */
const someName = fc.oneof(
  fc.constantFrom('a', 'b', 'c', 'digits', 'constructor', '__proto__', 'toString'),
  fc.constantFrom('<b>&"\'', '"]:::x', 'a"b', '#35;', 'end', 'x\ny', '\\', '\\"', ']]>', '<!--', '&amp;', '\u0000\u0007', '\ud800', '\u202e\u2066x\u0085\u009b', '\u2028', '数据', 'a|b{c}', '%%', ';'),
  fc.string({ maxLength: 12, unit: 'binary' }),
);

const someKind = fc.constantFrom(['v1', 'ConfigMap'], ['v1', 'Secret'], ['v1', 'Pod'], ['v1', 'Service'], ['v1', 'Namespace'], ['x/v1', 'constructor'], ['batch/v1', 'Job']);

/** Objects that name each other by chance, in files and charts. */
const someObjects: fc.Arbitrary<readonly SourceObject[]> = fc.array(fc.record({
  kind: someKind, name: someName, namespace: fc.option(someName, { nil: undefined }), named: fc.array(someName, { maxLength: 3 }), label: someName,
  chart: fc.constantFrom('ml', '<chart>', undefined), team: someName,
}), { maxLength: 14 }).map((entries) => entries.map((entry, index): SourceObject => {
  const { kind: [apiVersion, kind], name, namespace, named, label, chart, team } = entry;
  const object: ManifestObject = {
    apiVersion, kind, metadata: { name, namespace, labels: { app: label }, ownerReferences: named.slice(2).map((owner) => ({ apiVersion: 'v1', kind: 'ConfigMap', name: owner })) },
    spec: {
      containers: [{ name: 'c', envFrom: named.map((secret) => ({ secretRef: { name: secret } })) }],
      volumes: named.slice(1).map((configMap) => ({ configMap: { name: configMap } })), selector: { app: named[0] ?? 'a' },
    },
  };
  const file = `${chart}.k8s.yaml`;
  return {
    located: { object, where: `document ${index}`, file, base: [], source: undefined as never }, file: 'main.ts', place: 'main.ts', hasText: chart === undefined,
    construct: chart === undefined ? undefined : `${chart}/${team.replaceAll('/', '-')}/Resource`,
  };
}));

const someGraph = fc.tuple(someObjects, fc.constantFrom(...GROUPINGS), fc.boolean())
  .map(([objects, grouping, made]) => ({ objects, graph: buildGraph(objects, { grouping, made }).graph }));

const idOf = ({ apiVersion, kind, metadata }: ManifestObject) => JSON.stringify([apiVersion, kind, kind === 'Namespace' ? undefined : metadata?.namespace, metadata?.name ?? '']);

test('every object is one node, and every edge begins and ends at one', () => {
  fc.assert(fc.property(someGraph, ({ objects, graph }) => {
    const ids = graph.nodes.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const named = objects.filter(({ located: { object } }) => object.metadata?.name !== '');
    expect(graph.nodes.filter(({ origin }) => origin === 'given').length - (objects.length - named.length)).toBe(new Set(named.map(({ located: { object } }) => idOf(object))).size);
    expect(graph.edges.flatMap(({ from, to }) => [from, to]).filter((end) => !ids.includes(end))).toEqual([]);
    expect(new Set(graph.edges.map(({ from, to }) => JSON.stringify([from, to]))).size).toBe(graph.edges.length);
    // What is not there is there because something names it.
    expect(graph.nodes.filter(({ id, origin }) => origin === 'outside' && !graph.edges.some(({ to }) => to === id))).toEqual([]);
    const boxes = graph.boxes.map(({ id }) => id);
    expect(new Set(boxes).size).toBe(boxes.length);
    graph.boxes.forEach(({ parent }, index) => expect(parent === undefined || boxes.slice(0, index).includes(parent)).toBe(true));
    boxes.forEach((box) => expect(graph.nodes.some((node) => node.box === box) || graph.boxes.some(({ parent }) => parent === box)).toBe(true));
    expect(graph.nodes.filter(({ box }) => box !== undefined && !boxes.includes(box))).toEqual([]);
  }));
});

test('the same objects give the same texts', () => {
  fc.assert(fc.property(someObjects, (objects) => {
    const texts = () => {
      const { graph } = buildGraph(objects, { grouping: 'construct', made: true });
      return [svgText(graph, 't'), mermaidText(graph), dotText(graph)];
    };
    expect(texts()).toEqual(texts());
  }), { numRuns: 30 });
});

test('nothing in them is a control character or turns the direction of writing', () => {
  fc.assert(fc.property(someGraph, ({ graph }) => {
    for (const text of [svgText(graph, '\u202e\u001b'), mermaidText(graph), dotText(graph)]) {
      expect(text).toBe(printableLines(text));
    }
  }));
});

describe('SVG', () => {
  const isNode = (node: ResourceGraph['nodes'][number]) => `${node.id}${{ given: '', made: ' (created by the operator)', outside: ' (not in these manifests)' }[node.origin]}`;
  const clean = (text: string) => printable(text.replace(/\s+/g, ' ')).replace(/[\ufffe\uffff]/g, '\ufffd');

  test('is well-formed whatever things are called, refers to nothing outside, and has every node and every edge once', () => {
    fc.assert(fc.property(someGraph, ({ graph }) => {
      const text = svgText(graph, '<title> & more');
      const root = parseXml(text);
      const elements = allElements(root);
      expect([root.name, root.attributes.xmlns, root.attributes.role]).toEqual(['svg', 'http://www.w3.org/2000/svg', 'img']);
      expect(elements.find(({ attributes }) => attributes.id === 'title')?.text).toBe('<title> & more');
      expect(elements.filter(({ name, attributes }) => name === 'title' && attributes.id === undefined).map((title) => title.text).sort())
        .toEqual(graph.nodes.map((node) => clean(isNode(node))).sort());
      expect(elements.filter(({ name, attributes }) => name === 'path' && attributes['marker-end'] !== undefined)).toHaveLength(graph.edges.length);
      expect(new Set(elements.map(({ name }) => name))).not.toContain('script');
      expect(elements.flatMap(({ attributes }) => Object.entries(attributes)).filter(([name]) => /href|src|^on/.test(name))).toEqual([]);
      expect(text).not.toContain('NaN');
    }), { numRuns: 60 });
  });

  test('tells what it shows to those who do not see it', () => {
    const { graph } = graphOf('apiVersion: v1\nkind: Pod\nmetadata: { name: p }\nspec: { serviceAccountName: s, containers: [] }');
    const root = parseXml(svgText(graph, 'Resources of x'));
    expect(root.attributes['aria-labelledby']).toBe('title description');
    expect(allElements(root).find(({ attributes }) => attributes.id === 'description')?.text).toBe('Pod p runs as ServiceAccount s');
  });
});

describe('the layout', () => {
  const overlaps = (a: Rectangle, b: Rectangle) => a.x < b.x + b.width - 0.01 && b.x < a.x + a.width - 0.01
    && a.y < b.y + b.height - 0.01 && b.y < a.y + a.height - 0.01;
  const holds = (outer: Rectangle, inner: Rectangle) => inner.x >= outer.x - 0.01 && inner.y >= outer.y - 0.01
    && inner.x + inner.width <= outer.x + outer.width + 0.01 && inner.y + inner.height <= outer.y + outer.height + 0.01;

  test('puts no resource over another, each into its box, and all into the picture', () => {
    fc.assert(fc.property(someGraph, ({ graph }) => {
      const { width, height, nodes, boxes, lines } = layoutOf(graph);
      const rectangles = graph.nodes.map(({ id }) => nodes.get(id)!);
      rectangles.forEach((one, index) => rectangles.slice(index + 1).forEach((other) => expect(overlaps(one, other)).toBe(false)));
      graph.nodes.filter(({ box }) => box !== undefined).forEach(({ id, box }) => expect(holds(boxes.get(box!)!, nodes.get(id)!)).toBe(true));
      [...rectangles, ...boxes.values()].forEach((rectangle) => expect(holds({ x: 0, y: 0, width, height }, rectangle)).toBe(true));
      lines.forEach(({ points }) => expect(points.length).toBeGreaterThan(1));
    }), { numRuns: 60 });
  });

  test('puts many resources that have nothing to do with each other into a grid and not into a column', () => {
    const many = Array.from({ length: 60 }, (_, index) => `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: settings-${index} }\n`).join('---\n');
    const { width, height } = layoutOf(graphOf(many).graph);
    expect(height / width).toBeLessThan(2);
    expect(width / height).toBeLessThan(2);
  });
});

describe('Mermaid', () => {
  const TEXT = '"(?:[^"\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}\\p{Cs}#]|#\\d+;)*"';
  const LINES = [
    /^flowchart LR$/, new RegExp(`^ +n\\d+\\[${TEXT}\\]:::\\w+$`, 'u'), new RegExp(`^ +subgraph b\\d+\\[${TEXT}\\]$`, 'u'), /^ +end$/, new RegExp(`^ +n\\d+ -\\.?->(\\|${TEXT}\\|)? n\\d+$`, 'u'),
    /^ {2}classDef \w+ [\w#:,. -]+$/, /^ {2}class (n\d+)(,n\d+)* made$/,
  ];

  test('has only lines that its grammar knows, every node once, and edges between these', () => {
    fc.assert(fc.property(someGraph, ({ graph }) => {
      const lines = mermaidText(graph).split('\n');
      expect(lines.filter((line) => !LINES.some((form) => form.test(line)))).toEqual([]);
      const declared = lines.flatMap((line) => /^ +(n\d+)\[/.exec(line)?.[1] ?? []);
      expect([...declared].sort()).toEqual(graph.nodes.map((_node, index) => `n${index}`).sort());
      const edges = lines.flatMap((line) => (/^ +n\d+ -/.test(line) ? [[...line.replace(/".*"/, '').matchAll(/n\d+/g)].map(([name]) => name)] : []));
      expect(edges.length).toBe(graph.edges.length);
      expect(edges.flat().filter((name) => !declared.includes(name))).toEqual([]);
      expect(lines.filter((line) => line.includes(' subgraph ')).length).toBe(lines.filter((line) => line.trim() === 'end').length);
    }));
  });
});

describe('DOT', () => {
  const TEXT = '"(?:[^"\\\\\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}\\p{Cs}]|\\\\["\\\\n])*"';
  const LINES = [
    /^digraph resources {$/, /^ {2}rankdir=LR;$/, /^ {2}(node|edge) \[.*\];$/, new RegExp(`^ +n\\d+ \\[label=${TEXT}, [\\w=", #]+\\];$`, 'u'), /^ +subgraph cluster_\d+ {$/,
    new RegExp(`^ +label=${TEXT};$`, 'u'), /^ *}$/, new RegExp(`^ {2}n\\d+ -> n\\d+ \\[label=${TEXT}(, style=dashed)?\\];$`, 'u'),
  ];

  test('has only lines that its grammar knows, and every node and edge once', () => {
    fc.assert(fc.property(someGraph, ({ graph }) => {
      const lines = dotText(graph).split('\n');
      expect(lines.filter((line) => !LINES.some((form) => form.test(line)))).toEqual([]);
      expect(lines.filter((line) => /^ +n\d+ \[/.test(line))).toHaveLength(graph.nodes.length);
      expect(lines.filter((line) => /^ +n\d+ -> /.test(line))).toHaveLength(graph.edges.length);
    }));
  });
});
