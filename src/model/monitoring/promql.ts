/** Pieces of PromQL that more than one system asks with. */

/** Conditions on labels, such as `namespace="ml"`. */
export type Matchers = readonly string[];

/** A selector: the metric's name, and the conditions in braces where there are any. */
export function select(metric: string, ...matchers: readonly string[]): string {
  return matchers.length === 0 ? metric : `${metric}{${matchers.join(',')}}`;
}

/** A condition that a label has a value. */
export function equals(label: string, value: string): string {
  return `${label}="${escape(value)}"`;
}

/** A condition that a label matches a regular expression as a whole. */
export function matches(label: string, regex: string): string {
  return `${label}=~"${escape(regex)}"`;
}

/** A condition that a label has one of several values. */
export function isOneOf(label: string, values: readonly string[]): string {
  return values.length === 1 ? equals(label, values[0]) : matches(label, values.map(quoted).join('|'));
}

/** A condition that a label has none of several values. */
export function isNoneOf(label: string, values: readonly string[]): string {
  return `${label}!~"${escape(values.map(quoted).join('|'))}"`;
}

/** Text for a regular expression that matches nothing but it. */
export function quoted(text: string): string {
  return text.replace(/[.\\+*?()[\]{}|^$]/g, '\\$&');
}

/** `sum by (...)`, or `sum` where nothing is grouped by. */
export function sumBy(labels: readonly string[], expression: string): string {
  return labels.length === 0 ? `sum(${expression})` : `sum by (${labels.join(', ')}) (${expression})`;
}

/** Quantile of a histogram over a window. @param q from 0 to 1 */
export function quantile(q: number, metric: string, by: readonly string[], matchers: Matchers, range: string): string {
  return `histogram_quantile(${q}, ${sumBy([...by, 'le'], `rate(${select(`${metric}_bucket`, ...matchers)}[${range}])`)})`;
}

/** Part that some events have in all of them; nothing where there are none at all. */
export function ratio(part: string, whole: string): string {
  return `${part} / (${whole} > 0)`;
}

/** A time as alerts write it: `90s`, `15m`, `2h`. */
export function promDuration(seconds: number): string {
  for (const [unit, size] of [['d', 86_400], ['h', 3_600], ['m', 60]] as const) {
    if (seconds >= size && seconds % size === 0) {
      return `${seconds / size}${unit}`;
    }
  }
  return `${seconds}s`;
}

function escape(value: string): string {
  return value.replace(/\\/g, '\\\\').replace(/"/g, '\\"');
}

/** Which of several systems of one kind is looked at: all, those of some namespaces, or one by its name. */
export interface Selection {
  /** Namespaces, or undefined for all. */
  readonly namespaces?: readonly string[];
  /** Name of the one, in the only namespace. */
  readonly name?: string;
  /**
   * What an operator appends to `name` when it creates the systems, as a regular expression: a RayJob's cluster is `NAME-x7k2p`.
   * @default - nothing: `name` is that of the system
   */
  readonly suffix?: string;
}

/** Regular expression for the names that are selected; undefined where a name alone says it, or there is none. */
export function nameRegex({ name, suffix }: Selection): string | undefined {
  return name === undefined || suffix === undefined ? undefined : quoted(name) + suffix;
}

/** Conditions of the selection on series. @param nameLabel label that has the name */
export function selectionMatchers(selection: Selection, nameLabel: string): Matchers {
  const { namespaces, name } = selection;
  const regex = nameRegex(selection);
  return [
    ...(namespaces === undefined ? [] : [isOneOf('namespace', namespaces)]),
    ...(name === undefined ? [] : [regex === undefined ? equals(nameLabel, name) : matches(nameLabel, regex)]),
  ];
}

/** What a monitor says about the label of pods that has the name. */
export function scrapeSelection(selection: Selection, nameLabel: string): {
  readonly matchLabels: { readonly [label: string]: string };
  readonly matchExpressions?: readonly { readonly key: string; readonly operator: 'Exists' }[];
  readonly keep?: { readonly label: string; readonly regex: string };
} {
  const regex = nameRegex(selection);
  if (selection.name !== undefined && regex === undefined) {
    return { matchLabels: { [nameLabel]: selection.name } };
  }
  return { matchLabels: {}, matchExpressions: [{ key: nameLabel, operator: 'Exists' }], ...(regex !== undefined && { keep: { label: nameLabel, regex } }) };
}

/** Words that distinguish the selected one from others of its kind; none where all are selected. */
export function identityOf({ namespaces = [], name }: Selection): string[] {
  return name === undefined ? [] : [...namespaces, name];
}
