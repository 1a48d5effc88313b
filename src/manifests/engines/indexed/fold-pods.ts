/**
 * Folds pods into one template: what is the same in all of them, and how their variables depend on the index. Everything except the variables must be
 * equal; differences are reported.
 */
import { IndexedTextBuilder, type IndexedText } from './indexed-text';
import { expandReferences } from '../../../model/variable-references';
import type { Container, EnvVar, PodSpec } from '../../kubernetes';

/** A variable of a container in all replicas. */
export interface FoldedVariable {
  readonly name: string;
  /** Its value in each replica, before the kubelet resolves references. Replicas without the variable have no text. */
  readonly text: IndexedText;
  /** Source of the value: {@link text} then only determines which replicas have the variable. */
  readonly valueFrom?: EnvVar['valueFrom'];
}

/** A difference between replicas that a template cannot express. */
export interface PodDifference {
  /** What differs, such as `image of the container training`. */
  readonly what: string;
  /** The first replica that differs from replica 0. */
  readonly index: number;
}

/** The result of {@link foldPods}. */
export interface FoldedPods {
  /** The pod of replica 0. */
  readonly pod: PodSpec;
  /** Variables of each container and init container, by its name. */
  readonly variables: ReadonlyMap<string, readonly FoldedVariable[]>;
  /** One for each thing that differs. */
  readonly differences: readonly PodDifference[];
}

/**
 * Folds the pods of replicas 0 to `count - 1`. `podAt` is called once for each, and pods are not kept.
 * @param firsts indexes at which another role begins
 */
export function foldPods(count: number, podAt: (index: number) => PodSpec, firsts: ReadonlySet<number> = new Set()): FoldedPods {
  const pod = podAt(0);
  const folds = new Map(containersOf(pod).map(({ name }) => [name, new EnvironmentFold()]));
  const differences = new Map<string, number>();
  for (let index = 0; index < count; index++) {
    const current = index === 0 ? pod : podAt(index);
    const found = index === 0 ? [] : differencesBetween(pod, current);
    for (const [name, fold] of folds) {
      const env = containersOf(current).find((container) => container.name === name)?.env ?? [];
      found.push(...fold.add(env, firsts.has(index)).map((variable) => `variable ${variable} of the container ${name}`));
    }
    found.filter((what) => !differences.has(what)).forEach((what) => differences.set(what, index));
  }
  const environments = [...folds].map(([container, fold]) => ({ container, ...fold.build() }));
  for (const { container, disorder } of environments) {
    if (disorder !== undefined) {
      differences.set(`order of the variables ${disorder.names.join(', ')} of the container ${container}`, disorder.index);
    }
  }
  return {
    pod,
    variables: new Map(environments.map(({ container, variables }) => [container, variables])),
    differences: [...differences].map(([what, index]) => ({ what, index })),
  };
}

/** All containers of a pod, in the order in which they run. */
export function containersOf({ initContainers = [], containers }: PodSpec): readonly Container[] {
  return [...initContainers, ...containers];
}

/** Variables that refer to each other and whose order differs between replicas, so that no order is right for all. */
interface Disorder {
  readonly names: readonly string[];
  /** The first replica with another order. */
  readonly index: number;
}

/** The variables of one container. */
class EnvironmentFold {
  private readonly variables = new Map<string, { text: IndexedTextBuilder; valueFrom?: object; isKnown: boolean }>();
  /** Names in an order that is right where replicas allow several. */
  private order: string[] = [];
  /** The variables that directly follow a variable in some replica, with the first such replica. */
  private readonly followers = new Map<string, Map<string, number>>();
  private count = 0;

  /** Adds the variables of the next replica. @returns names of those whose `valueFrom` differs from an earlier replica's */
  public add(env: readonly EnvVar[], isFirst: boolean): string[] {
    const given = new Map(env.map((entry) => [entry.name, entry]));
    const differing: string[] = [];
    let previous: string | undefined;
    for (const name of given.keys()) {
      this.note(name, previous);
      if (previous !== undefined && !this.followers.get(previous)?.has(name)) {
        this.followers.set(previous, (this.followers.get(previous) ?? new Map<string, number>()).set(name, this.count));
      }
      previous = name;
    }
    for (const [name, variable] of this.variables) {
      const entry = given.get(name);
      if (entry !== undefined) {
        if (variable.isKnown && !isSame(variable.valueFrom, entry.valueFrom)) {
          differing.push(name);
        }
        variable.isKnown = true;
        variable.valueFrom ??= entry.valueFrom;
      }
      variable.text.add(entry && (entry.valueFrom === undefined ? entry.value ?? '' : ''), isFirst);
    }
    this.count++;
    return differing;
  }

  /** The variables, each after all that precede it in any replica, because values may refer to earlier variables. */
  public build(): { readonly variables: FoldedVariable[]; readonly disorder?: Disorder } {
    if (this.isInOrder()) {
      return { variables: this.order.map((name) => this.folded(name)) };
    }
    const left = new Map(this.order.map((name) => [name, this.folded(name)]));
    const after = new Map(this.order.map((name) => [name, this.allAfter(name)]));
    const variables: FoldedVariable[] = [];
    let disorder: Disorder | undefined;
    while (left.size > 0) {
      const names = [...left.keys()];
      // No remaining variable precedes it, except those that also follow it.
      const next = names.find((name) => names.every((other) => !after.get(other)!.has(name) || after.get(name)!.has(other)))!;
      const rivals = names.filter((other) => after.get(next)!.has(other) && after.get(other)!.has(next));
      if (refersToOneOf(rivals.map((name) => left.get(name)!), new Set(rivals))) {
        disorder ??= { names: rivals, index: Math.max(...rivals.flatMap((name) => [...this.followers.get(name)!.values()])) };
      }
      variables.push(left.get(next)!);
      left.delete(next);
    }
    return { variables, ...(disorder && { disorder }) };
  }

  /** Whether the order is that of every replica, the usual case. Finding another one takes time quadratic in the number of variables. */
  private isInOrder(): boolean {
    const place = new Map(this.order.map((name, at) => [name, at]));
    return this.order.every((name, at) => [...this.followers.get(name)?.keys() ?? []].every((follower) => place.get(follower)! > at));
  }

  /** Names of all variables that follow one in some replica, directly or indirectly. */
  private allAfter(name: string): ReadonlySet<string> {
    const found = new Set<string>(this.followers.get(name)?.keys());
    // The loop also visits names that are added meanwhile.
    for (const other of found) {
      this.followers.get(other)?.forEach((_index, follower) => found.add(follower));
    }
    return found;
  }

  private folded(name: string): FoldedVariable {
    const { text, valueFrom } = this.variables.get(name)!;
    return { name, text: text.build(), ...(valueFrom && { valueFrom: valueFrom as FoldedVariable['valueFrom'] }) };
  }

  /** Inserts a new variable after the one that precedes it in this replica, because values may refer to earlier variables. */
  private note(name: string, previous: string | undefined): void {
    if (this.variables.has(name)) {
      return;
    }
    const text = new IndexedTextBuilder();
    for (let index = 0; index < this.count; index++) {
      text.add(undefined);
    }
    this.variables.set(name, { text, isKnown: false });
    if (previous === this.order.at(-1)) {
      this.order.push(name);
    } else {
      this.order.splice(previous === undefined ? 0 : this.order.indexOf(previous) + 1, 0, name);
    }
  }
}

/** Whether the value of one of the variables refers to a variable with one of the names. */
function refersToOneOf(variables: readonly FoldedVariable[], names: ReadonlySet<string>): boolean {
  let found = false;
  for (const part of variables.flatMap(({ text }) => text.flatMap(({ parts = [] }) => parts))) {
    expandReferences(typeof part === 'string' ? part : '', (name) => {
      found ||= names.has(name);
      return undefined;
    });
  }
  return found;
}

/** What differs between two pods, except variables. */
function differencesBetween(one: PodSpec, other: PodSpec): string[] {
  const { containers: _ones, initContainers: _oneInits, ...onePod } = one;
  const { containers: _others, initContainers: _otherInits, ...otherPod } = other;
  const found = differingFields(onePod, otherPod).map((field) => `${field} of the pod`);
  const names = (pod: PodSpec) => containersOf(pod).map(({ name }) => name);
  for (const name of new Set([...names(one), ...names(other)])) {
    const [container, counterpart] = [one, other].map((pod) => containersOf(pod).find((candidate) => candidate.name === name));
    if (container === undefined || counterpart === undefined) {
      found.push(`container ${name}`);
    } else {
      found.push(...differingFields({ ...container, env: undefined }, { ...counterpart, env: undefined }).map((field) => `${field} of the container ${name}`));
    }
  }
  return found;
}

type Fields = { readonly [field: string]: unknown };

function differingFields(one: Fields, other: Fields): string[] {
  return [...new Set([...Object.keys(one), ...Object.keys(other)])].filter((field) => !isSame(one[field], other[field]));
}

/** Deep equality of JSON. An undefined field equals a missing one. */
export function isSame(one: unknown, other: unknown): boolean {
  if (one === other) {
    return true;
  }
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null || Array.isArray(one) !== Array.isArray(other)) {
    return false;
  }
  return (!Array.isArray(one) || one.length === (other as unknown[]).length) && differingFields(one as Fields, other as Fields).length === 0;
}
