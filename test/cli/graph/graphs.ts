/** Graphs of manifests for tests, and short forms to compare. */
import { buildGraph, type BuiltGraph, type GraphOptions } from '../../../src/cli/graph/build-graph';
import type { ResourceGraph } from '../../../src/cli/graph/resource-graph';
import { readManifestText } from '../../../src/cli/read-manifests';
import type { SourceObject } from '../../../src/cli/validate/sources';

/** Objects of a text, as if they stood in a file. */
export function sourcesOf(text: string, file = 'jobs.yaml'): SourceObject[] {
  const { objects, unreadable } = readManifestText(text, file);
  if (unreadable.length > 0) {
    throw new Error(unreadable[0].message);
  }
  return objects.map((located) => ({ located, file, place: file, hasText: true }));
}

/** The graph of a text; without what is made, unless asked for. */
export function graphOf(text: string, options: Partial<GraphOptions> = {}): BuiltGraph {
  return buildGraph(sourcesOf(text), { grouping: 'construct', made: false, ...options });
}

/** `Service web selects Deployment web`, for each edge; the group of kinds left out. */
export function edgeLines({ nodes, edges }: ResourceGraph): string[] {
  const shown = new Map(nodes.map(({ id, kind, name, namespace, origin }) => (
    [id, `${origin === 'given' ? '' : `(${origin}) `}${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`])));
  return edges.map(({ from, to, verbs }) => `${shown.get(from)} ${verbs.join(', ')} ${shown.get(to)}`);
}
