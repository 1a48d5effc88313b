/** Finds a field in the text of its document, by the path in a message. */
import { isAlias, isMap, isScalar, isSeq, type Node, type Pair, type YAMLMap } from 'yaml';
import type { Position, YamlSource } from './yaml-documents';
import { pathSteps, type PathStep } from '../../model/shapes';

/**
 * The position of a field, or of the nearest existing field above it.
 * @param base steps from the document to the object in which the path starts
 * @param atKey whether to return the position of the field's name, not of its value
 */
export function fieldPosition({ document, lines }: YamlSource, base: readonly PathStep[], path: string, atKey = false): Position {
  let node: Node | null | undefined = document.contents;
  let offset = startOf(node) ?? 0;
  for (const step of [...base, ...pathSteps(path)]) {
    const container: Node | null | undefined = isAlias(node) ? node.resolve(document) : node;
    const list: readonly Node[] = isSeq(container) ? container.items as Node[] : [];
    const found: Found | undefined = isMap(container) ? inMap(container, step) : inList(list, step);
    if (found === undefined) {
      break;
    }
    node = found.value;
    offset = (atKey ? undefined : found.inline) ?? found.start ?? offset;
  }
  const { line, col } = lines.linePos(offset);
  return { line, column: col };

  /** The position of a value on the line of its name; for a block on the lines below, that of the name. */
  function inMap(map: YAMLMap, step: PathStep): Found | undefined {
    const pair = pairsOf(map).get(String(step));
    if (pair === undefined) {
      return undefined;
    }
    const [key, value] = [startOf(pair.key), startOf(pair.value)];
    const sameLine = key !== undefined && value !== undefined && lines.linePos(key).line === lines.linePos(value).line;
    return { value: pair.value, start: key, inline: sameLine ? value : undefined };
  }
}

/** Pairs of a map by their keys, the first of each: thousands of messages can be about one map. */
const PAIRS = new WeakMap<YAMLMap, ReadonlyMap<string, Pair<Node, Node | null>>>();

function pairsOf(map: YAMLMap): ReadonlyMap<string, Pair<Node, Node | null>> {
  const items = map.items as Pair<Node, Node | null>[];
  const pairs = PAIRS.get(map) ?? new Map(items.flatMap((pair) => (isScalar(pair.key) ? [[String(pair.key.value), pair] as const] : [])).reverse());
  PAIRS.set(map, pairs);
  return pairs;
}

/** Entries of a list by their names, the first of each. */
const NAMED = new WeakMap<readonly Node[], ReadonlyMap<unknown, Node>>();

function namedOf(items: readonly Node[]): ReadonlyMap<unknown, Node> {
  const named = NAMED.get(items) ?? new Map(items.flatMap((item) => (isMap(item) ? [[item.get('name'), item] as const] : [])).reverse());
  NAMED.set(items, named);
  return named;
}

interface Found {
  readonly value: Node | null | undefined;
  readonly start: number | undefined;
  readonly inline?: number;
}

/** An entry by its index, or by its `name`, as in messages about variables and containers. */
function inList(items: readonly Node[], step: PathStep): Found | undefined {
  const value = typeof step === 'number' ? items[step] : namedOf(items).get(step);
  return value === undefined ? undefined : { value, start: startOf(value) };
}

function startOf(node: Node | null | undefined): number | undefined {
  return node?.range?.[0];
}

/** The text of a field's value, such as `yes` for true; undefined if it is not a plain scalar. */
export function writtenAs({ document }: YamlSource, base: readonly PathStep[], path: string): string | undefined {
  const node = document.getIn([...base, ...pathSteps(path)], true) as Node | undefined;
  return isScalar(node) && node.type === 'PLAIN' ? node.source : undefined;
}
