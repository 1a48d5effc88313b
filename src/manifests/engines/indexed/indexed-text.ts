/**
 * Texts that depend on an index: one description of a variable's values in all replicas of a pod template, inferred from the values.
 *
 * A text is split at its numbers. A number that is the same in two successive replicas is text; one that grows by one is the index plus a constant;
 * anything else begins a new segment. The description always reproduces the exact values, because each further value is compared with it. In the
 * worst case there is one segment per replica.
 */

/** A number in the metadata of each pod of a set. */
export interface IndexVariable {
  /** Variable of the container that has the number. */
  readonly name: string;
  /** The number is the pod's index in its set plus this. */
  readonly plus: number;
  /** Field of the pod that holds it. */
  readonly fieldPath: string;
}

/** Pods that are numbered row by row. They read the numbers of their row and of their place in it, and a shell computes the index. */
export interface IndexGrid {
  readonly row: IndexVariable;
  readonly place: IndexVariable;
  /** Number of places in each row. */
  readonly width: number;
}

/** The index of a replica in its template, plus a constant: a whole number in decimal. */
export interface IndexPart {
  readonly plus: number;
}

/** A piece of a text. */
export type Part = string | IndexPart;

/** Text of the replicas `from` to `to`; without `parts` they have none. */
export interface Segment {
  readonly from: number;
  readonly to: number;
  readonly parts?: readonly Part[];
}

/** A text for each index from 0 on, in segments that follow each other. */
export type IndexedText = readonly Segment[];

/** Numbers as programs print them: no sign, no leading zero, and exact in arithmetic. */
const NUMBER = /^(0|[1-9]\d{0,14})$/;

/** Takes the values one after the other and keeps only their description. */
export class IndexedTextBuilder {
  private readonly segments: { from: number; to: number; parts?: readonly Part[] }[] = [];
  private count = 0;

  /**
   * Adds the value of the next index.
   * @param value undefined if it has none
   * @param isFirst whether another role begins here, whose values are unrelated to the earlier ones
   */
  public add(value: string | undefined, isFirst = false): void {
    const index = this.count++;
    const last = this.segments.at(-1);
    if (last === undefined || isFirst) {
      this.segments.push({ from: index, to: index, parts: literal(value) });
    } else if (expand(last.parts, index) === value) {
      last.to = index;
    } else {
      const both = last.from === last.to ? between(expand(last.parts, last.from), value, last.from) : undefined;
      if (both === undefined) {
        this.segments.push({ from: index, to: index, parts: literal(value) });
      } else {
        last.parts = both;
        last.to = index;
      }
    }
  }

  /** The description of the values so far. */
  public build(): IndexedText {
    const merged: Segment[] = [];
    for (const segment of this.segments) {
      const last = merged.at(-1);
      const common = last && commonDescription(last, segment);
      if (common === undefined) {
        merged.push({ ...segment });
      } else {
        merged[merged.length - 1] = common;
      }
    }
    return merged;
  }
}

/**
 * Describes values, the first of which belongs to index 0.
 * @param firsts indexes at which another role begins
 */
export function inferIndexedText(values: readonly (string | undefined)[], firsts: ReadonlySet<number> = new Set()): IndexedText {
  const builder = new IndexedTextBuilder();
  values.forEach((value, index) => builder.add(value, firsts.has(index)));
  return builder.build();
}

/** The text at an index; undefined if there is none. */
export function textAt(text: IndexedText, index: number): string | undefined {
  return expand(text.find(({ from, to }) => from <= index && index <= to)?.parts, index);
}

function literal(value: string | undefined): readonly Part[] | undefined {
  return value === undefined ? undefined : [value];
}

function expand(parts: readonly Part[] | undefined, index: number): string | undefined {
  return parts?.map((part) => (typeof part === 'string' ? part : String(index + part.plus))).join('');
}

/** A description of the values at `index` and the next one; undefined if they differ in more than numbers that grow by one. */
function between(one: string | undefined, next: string | undefined, index: number): readonly Part[] | undefined {
  if (one === undefined || next === undefined || one.includes('$')) {
    // The kubelet replaces references after a dollar, so the text would change.
    return undefined;
  }
  const ones = cut(one);
  const nexts = cut(next);
  if (ones.length !== nexts.length) {
    return undefined;
  }
  const parts: Part[] = [];
  for (const [position, token] of ones.entries()) {
    const other = nexts[position];
    if (token === other) {
      parts.push(`${typeof parts.at(-1) === 'string' ? parts.pop() as string : ''}${token}`);
    } else if (NUMBER.test(token) && NUMBER.test(other) && Number(other) === Number(token) + 1) {
      parts.push({ plus: Number(token) - index });
    } else {
      return undefined;
    }
  }
  return parts;
}

function cut(text: string): string[] {
  return text.match(/\d+|\D+/g) ?? [''];
}

/** One segment for two neighbours, if the description of one of them, or one that counts from one to the other, describes both. */
function commonDescription(one: Segment, next: Segment): Segment | undefined {
  const both = { from: one.from, to: next.to };
  if (one.parts === undefined || next.parts === undefined) {
    return one.parts === next.parts ? both : undefined;
  }
  const areSingle = one.from === one.to && next.from === next.to;
  const counted = areSingle ? between(expand(one.parts, one.from), expand(next.parts, next.from), one.from) : undefined;
  const parts = [next.parts, one.parts, counted].find((candidate) => candidate && describes(candidate, one) && describes(candidate, next));
  return parts && { ...both, parts };
}

function describes(parts: readonly Part[] | undefined, segment: Segment): boolean {
  if (parts === segment.parts) {
    return true;
  }
  for (let index = segment.from; index <= segment.to; index++) {
    if (expand(parts, index) !== expand(segment.parts, index)) {
      return false;
    }
  }
  return true;
}
