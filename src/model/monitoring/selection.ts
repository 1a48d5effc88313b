/** Which of several systems of one kind is looked at: all, those of some namespaces, or one by its name. */
import { equals, isOneOf, matches, quoted, type Matchers } from './promql';

/** See the top of this file. */
export interface Selection {
  /** Namespaces, or undefined for all. */
  readonly namespaces?: readonly string[];
  /** Name of the one, in the only namespace. */
  readonly name?: string;
  /**
   * What an operator puts behind `name` when it makes the systems, as a regular expression: a RayJob's cluster is `NAME-x7k2p`.
   *
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

/** Words that tell the selected one from others of its kind; none where all are selected. */
export function identityOf({ namespaces = [], name }: Selection): string[] {
  return name === undefined ? [] : [...namespaces, name];
}
