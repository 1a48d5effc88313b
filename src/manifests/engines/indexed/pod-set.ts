/**
 * A set of pods that an engine creates from one template. They differ only in variables that depend on the pod's index: a constant value is written
 * as it is, one that contains the index as `$(INDEX)`, which the kubelet replaces, and all others are set by a shell that runs the command.
 */
import { foldPods, containersOf, type FoldedPods, type FoldedVariable } from './fold-pods';
import { textAt, type IndexGrid, type IndexVariable, type Part } from './indexed-text';
import { gridScript, preludeScript, withPrelude } from './prelude';
import { VARIABLE_MAX_BYTES } from '../../../model/training-job/validation/variables';
import { TRAINING_CONTAINER } from '../../../model/names';
import { expandReferences, isShellName } from '../../../model/variable-references';
import type { Container, EnvVar, PodSpec } from '../../kubernetes';

/** Input of {@link constructPodSet}. */
export interface PodSetOptions {
  /** Number of pods. */
  readonly count: number;
  /** Spec of the pod with an index, without a template. */
  readonly podAt: (index: number) => PodSpec;
  /** Indexes at which another role begins. @default - none */
  readonly firsts?: ReadonlySet<number>;
  /** Numbers that pods can read; the first one is the index itself. With a grid, only its name is used. */
  readonly indexes: readonly [IndexVariable, ...IndexVariable[]];
  /** The two numbers that pods read instead of their index. @default - they read the index */
  readonly grid?: IndexGrid;
}

/** Why pods cannot come from one template. */
export type PodSetProblem =
  | { readonly kind: 'difference'; readonly what: string; readonly index: number }
  | { readonly kind: 'no-command'; readonly container: string; readonly variables: readonly string[] }
  | { readonly kind: 'referenced'; readonly container: string; readonly variable: string; readonly field: string }
  | { readonly kind: 'no-shell-name'; readonly container: string; readonly variable: string; readonly variables: readonly string[] }
  | { readonly kind: 'taken'; readonly container: string; readonly variable: string }
  | { readonly kind: 'too-long'; readonly bytes: number; readonly variables: readonly string[] };

/** A template and its pods. */
export interface PodSet {
  /** Spec of the template. */
  readonly spec: PodSpec;
  /** Empty if the template is right. */
  readonly problems: readonly PodSetProblem[];
  /** Containers whose command now runs in a shell. */
  readonly shells: readonly string[];
  /** Variables of the `training` container of the pod with an index, in order. */
  environmentAt(index: number): EnvVar[];
}

/** Creates one template for pods. */
export function constructPodSet({ count, podAt, firsts, indexes, grid }: PodSetOptions): PodSet {
  const folded = foldPods(count, podAt, firsts);
  const written = new Map(containersOf(folded.pod).map((container) => [container.name, writeContainer(container, folded, { count, indexes, grid })]));
  const list = (containers: readonly Container[]) => containers.map(({ name }) => written.get(name)!.container);
  const { initContainers, containers } = folded.pod;
  return {
    spec: { ...folded.pod, containers: list(containers), ...(initContainers && { initContainers: list(initContainers) }) },
    problems: [
      ...folded.differences.map((difference) => ({ kind: 'difference' as const, ...difference })),
      ...[...written.values()].flatMap(({ problems }) => problems),
    ],
    shells: [...written].filter(([, { hasShell }]) => hasShell).map(([name]) => name),
    environmentAt: (index) => [
      ...written.get(TRAINING_CONTAINER)!.declared.map((variable) => ({ name: variable.name, value: String(numberAt(index, variable, grid)) })),
      ...folded.variables.get(TRAINING_CONTAINER)!.flatMap(({ name, text, valueFrom }): EnvVar[] => {
        const value = textAt(text, index);
        return value === undefined ? [] : [valueFrom ? { name, valueFrom } : { name, value }];
      }),
    ],
  };
}

interface WrittenContainer {
  readonly container: Container;
  readonly declared: readonly IndexVariable[];
  readonly hasShell: boolean;
  readonly problems: readonly PodSetProblem[];
}

/** A number that the pod with an index reads. */
function numberAt(index: number, variable: IndexVariable, grid: IndexGrid | undefined): number {
  switch (variable) {
    case grid?.row: return Math.floor(index / grid!.width);
    case grid?.place: return index % grid!.width;
    default: return index + variable.plus;
  }
}

function writeContainer(
  container: Container, folded: FoldedPods, { count, indexes, grid }: Pick<PodSetOptions, 'count' | 'indexes' | 'grid'>,
): WrittenContainer {
  const found = grid === undefined ? indexes : [grid.row, grid.place];
  const variables = folded.variables.get(container.name)!;
  const used = new Set<IndexVariable>();
  const env: EnvVar[] = [];
  const computed: FoldedVariable[] = [];
  for (const variable of variables) {
    const { name, text, valueFrom } = variable;
    const [{ to, parts }] = text;
    const value = to === count - 1 && parts !== undefined ? substituted(parts, grid === undefined ? indexes : [], used) : undefined;
    if (valueFrom !== undefined) {
      env.push({ name, valueFrom });
    } else if (value !== undefined) {
      env.push({ name, value });
    }
    if (value === undefined) {
      computed.push(variable);
    }
  }
  const hasShell = computed.length > 0;
  if (hasShell) {
    (grid === undefined ? [indexes[0]] : found).forEach((index) => used.add(index));
  }
  const declared = found.filter((index) => used.has(index));
  const taken = variables.filter(({ name }) => [...indexes, ...found].some((index) => index.name === name))
    .map(({ name }) => ({ kind: 'taken' as const, container: container.name, variable: name }));
  const declarations = declared.map(({ name, fieldPath }): EnvVar => ({ name, valueFrom: { fieldRef: { fieldPath } } }));
  const plain = { ...container, ...((declared.length > 0 || env.length > 0) && { env: [...declarations, ...env] }) };
  if (!hasShell) {
    return { container: plain, declared, hasShell, problems: taken };
  }
  const script = (grid === undefined ? '' : gridScript(grid, indexes[0].name)) + preludeScript(computed, indexes[0].name, (name, before, index) => {
    const earlier = variables.slice(0, variables.indexOf(before)).find((variable) => variable.name === name);
    return earlier !== undefined && textAt(earlier.text, index) !== undefined;
  });
  return {
    container: { ...plain, command: withPrelude(container.command ?? [], script) },
    declared,
    hasShell,
    problems: [...taken, ...problemsOf(plain, computed, variables, script)],
  };
}

/** A value that contains the index, as a template has it; undefined if there is no variable for one of its numbers. */
function substituted(parts: readonly Part[], indexes: readonly IndexVariable[], used: Set<IndexVariable>): string | undefined {
  const needed: IndexVariable[] = [];
  const words = parts.map((part) => {
    const variable = typeof part === 'string' ? undefined : indexes.find(({ plus }) => plus === part.plus);
    needed.push(...(variable ? [variable] : []));
    return typeof part === 'string' ? part : variable && `$(${variable.name})`;
  });
  if (words.includes(undefined)) {
    return undefined;
  }
  needed.forEach((variable) => used.add(variable));
  return words.join('');
}

function problemsOf(
  container: Container, computed: readonly FoldedVariable[], variables: readonly FoldedVariable[], script: string,
): PodSetProblem[] {
  const names = computed.map(({ name }) => name);
  if ((container.command ?? []).length === 0) {
    return [{ kind: 'no-command', container: container.name, variables: names }];
  }
  const bytes = new TextEncoder().encode(script).length;
  return [
    ...variables.filter(({ name }) => !isShellName(name))
      .map(({ name }) => ({ kind: 'no-shell-name' as const, container: container.name, variable: name, variables: names })),
    ...referencesIn(container).filter(({ variable }) => names.includes(variable))
      .map((reference) => ({ kind: 'referenced' as const, container: container.name, ...reference })),
    ...(bytes > VARIABLE_MAX_BYTES ? [{ kind: 'too-long' as const, bytes, variables: names }] : []),
  ];
}

/** Every reference to a variable in a container, with its field. */
function referencesIn(container: Container): { readonly variable: string; readonly field: string }[] {
  const found = new Map<string, { readonly variable: string; readonly field: string }>();
  const visit = (value: unknown, field: string) => {
    if (typeof value === 'string') {
      expandReferences(value, (variable) => {
        found.set(`${field} ${variable}`, { variable, field });
        return undefined;
      });
    } else if (typeof value === 'object' && value !== null) {
      Object.values(value).forEach((entry) => visit(entry, field));
    }
  };
  const { env = [], ...fields } = container;
  Object.entries(fields).forEach(([field, value]) => visit(value, field));
  env.forEach((entry) => visit(entry.value, `env['${entry.name}']`));
  return [...found.values()];
}
