/**
 * Whether an expression can take more than linear time, because it can read the same text in one way or go on in another at each of many places:
 * a search for `-a.*$` runs to the end from each `-a` of `-a-a-a`, and `a.*b.*c` tries each `b` that an `a` can have. eslint-plugin-regexp sees only
 * repetitions that touch each other or begin an expression. Automata propose texts here, and whether they take long is measured.
 */
import { CharSet, JS, NFA, type Assertion, type Concatenation, type Element, type NoParent } from 'refa';
import { computingMs } from './cpu-time';
import { everywhere } from '../../src/model/text/expressions';

type Part = NoParent<Element>;
type Row = NoParent<Concatenation>;

/** A repetition that is allowed more often than this is taken for one without an end, so that automata stay small. */
const OFTEN = 4;

/** What stands for the beginning of a text, and for the end of what a look-ahead looks at: the expression cannot end behind it. */
const EDGE = 0x10ffff;

/**
 * Lengths of the texts that are tried one after the other: with the square of the last a search takes a second, and else no millisecond.
 * With the third power of it no search ends.
 */
const LENGTHS = [1_000, 8_000, 60_000];

/** What follows a text that repeats itself, so that no match ends there. */
const ENDS = ['', '\n', '\n\u0000', '\u0000', '!'];

const row = (elements: readonly Part[]): Row => ({ type: 'Concatenation', elements: [...elements] });
const character = (characters: CharSet): Part => ({ type: 'CharacterClass', characters });

/** A text, told as its beginning, what is repeated, and its end, for which a search takes longer than the limit; undefined where there is none. */
export function slowText(expression: RegExp, limitMs: number): readonly string[] | undefined {
  const { source, flags } = expression;
  for (const { start, repeated } of proposals({ source, flags })) {
    for (const end of ENDS) {
      const isSlow = LENGTHS.some((length) => {
        const text = start + repeated.repeat(Math.ceil(length / repeated.length)) + end;
        return computingMs(() => text.replace(everywhere(expression), ''), limitMs) > limitMs;
      });
      if (isSlow) {
        return [start, repeated, end];
      }
    }
  }
  return undefined;
}

interface Proposal {
  readonly start: string;
  readonly repeated: string;
}

/** Texts that may take long. Assertions are read roughly, in favour of proposing something. */
function proposals(literal: { readonly source: string; readonly flags: string }): Proposal[] {
  const { expression: parsed, maxCharacter } = JS.Parser.fromLiteral(literal).parse({ backreferences: 'unknown', maxBackreferenceWords: 0 });
  const maximum = Math.max(maxCharacter, EDGE);
  const reading = new Reading(maximum);
  const alternatives = parsed.alternatives.map((each) => row(reading.start(each.elements)));
  const nfa = NFA.fromRegex({ type: 'Expression', alternatives }, { maxCharacter: maximum }, { unknowns: 'disable', infinityThreshold: OFTEN });
  return new Automaton(nfa, maximum).proposals();
}

/** Replaces assertions by what a search reads because of them. */
class Reading {
  constructor(private readonly maximum: number) {}

  /** What a search looks back to at its start is read there. */
  start(elements: readonly Part[]): Part[] {
    const [first, ...rest] = elements;
    switch (first?.type) {
      case 'Assertion': {
        const before = first.kind === 'behind' ? this.oneCharacter(first) : undefined;
        return [before === undefined ? this.looked(first) : character(this.orEdge(first.negate ? before.negate() : before)), ...this.start(rest)];
      }
      case 'Alternation': return [{ type: 'Alternation', alternatives: first.alternatives.map((each) => row(this.start([...each.elements, ...rest]))) }];
      default: return this.inner(elements);
    }
  }

  private inner(elements: readonly Part[]): Part[] {
    return elements.map((element): Part => {
      switch (element.type) {
        case 'Assertion': return this.looked(element);
        case 'Alternation': return { type: 'Alternation', alternatives: this.rows(element.alternatives) };
        case 'Quantifier': return { ...element, alternatives: this.rows(element.alternatives) };
        case 'Unknown': return character(CharSet.all(this.maximum));
        case 'CharacterClass': return character(this.widened(element.characters));
      }
    });
  }

  private rows(alternatives: readonly Row[]): Row[] {
    return alternatives.map(({ elements }) => row(this.inner(elements)));
  }

  /** A look-ahead is read, or not. */
  private looked({ kind, alternatives }: NoParent<Assertion>): Part {
    const end = character(this.orEdge(CharSet.empty(this.maximum)));
    const looks = kind === 'ahead' ? this.rows(alternatives).map(({ elements }) => row([...elements, end])) : [];
    return { type: 'Alternation', alternatives: [row([]), ...looks] };
  }

  private oneCharacter({ alternatives }: NoParent<Assertion>): CharSet | undefined {
    const none = CharSet.empty(this.maximum);
    const sets = alternatives.map(({ elements: [one, more] }) => (
      more !== undefined ? undefined : one?.type === 'CharacterClass' ? this.widened(one.characters) : one?.type === 'Assertion' ? none : undefined
    ));
    return sets.includes(undefined) ? undefined : none.union(...sets as CharSet[]);
  }

  private orEdge(set: CharSet): CharSet {
    return set.isEmpty ? set.union([{ min: EDGE, max: EDGE }]) : set;
  }

  private widened({ ranges }: CharSet): CharSet {
    return CharSet.empty(this.maximum).union(ranges);
  }
}

/** State of a search that has not begun: it reads any text. */
const SEARCHING = 0;

/** The automaton of a search, with numbers as states and the characters that it tells apart as symbols. */
class Automaton {
  private readonly symbols: readonly number[];

  /** By state and symbol. */
  private readonly next: readonly (readonly (readonly number[])[])[];

  constructor({ initial }: NFA, maximum: number) {
    const nodes = [...reached(initial)];
    this.symbols = toldApart([CharSet.all(maximum), ...nodes.flatMap((node) => [...node.out.values()])]);
    const stateOf = new Map(nodes.map((node, index) => [node, index + 1]));
    const successors = (node: NFA.ReadonlyNode) => this.symbols.map((symbol) => (
      [...node.out].filter(([, read]) => read.has(symbol)).map(([to]) => stateOf.get(to)!)
    ));
    const started = successors(initial);
    this.next = [started.map((states) => [SEARCHING, ...states]), ...nodes.map(successors)];
  }

  /** A word for each two states of which it leads the one to itself and to the other, and the other to itself. */
  proposals(): Proposal[] {
    const words = new Map<string, Proposal>();
    const loops = this.next.map((_, state) => state).filter((state) => this.reachable(state).has(state));
    for (const first of loops) {
      const later = this.reachable(first);
      for (const second of loops) {
        const repeated = second !== first && later.has(second) ? this.word([first, first, second], [first, second, second]) : undefined;
        if (repeated !== undefined) {
          const start = (this.word([SEARCHING], [first]) ?? '').replace(String.fromCodePoint(EDGE), '');
          words.set(`${start}|${repeated}`, { start, repeated });
        }
      }
    }
    return [...words.values()];
  }

  private reachable(state: number): Set<number> {
    const states = new Set(this.next[state].flat());
    for (const each of states) {
      this.next[each].flat().forEach((to) => states.add(to));
    }
    return states;
  }

  /** The shortest word that leads each of some states to its target. */
  private word(from: readonly number[], to: readonly number[]): string | undefined {
    const seen = new Set<number>();
    const queue = [{ states: from, word: '' }];
    const key = (states: readonly number[]) => states.reduce((sum, state) => sum * this.next.length + state, 0);
    for (const { states, word } of queue) {
      for (const [index, symbol] of this.symbols.entries()) {
        const targets = states.reduce<number[][]>(
          (all, state) => all.flatMap((some) => this.next[state][index].map((each) => [...some, each])), [[]],
        );
        for (const target of targets) {
          const longer = word + String.fromCodePoint(symbol);
          if (target.every((state, at) => state === to[at])) {
            return longer;
          }
          if (!seen.has(key(target))) {
            seen.add(key(target));
            queue.push({ states: target, word: longer });
          }
        }
      }
    }
    return undefined;
  }
}

function reached(initial: NFA.ReadonlyNode): Set<NFA.ReadonlyNode> {
  const nodes = new Set([initial]);
  for (const node of nodes) {
    [...node.out.keys()].forEach((to) => nodes.add(to));
  }
  return nodes;
}

/** One of the characters that are in the same sets, of each kind. */
function toldApart(sets: readonly CharSet[]): number[] {
  const different = [...new Map(sets.map((set) => [set.toString(), set])).values()];
  const starts = new Set(different.flatMap(({ ranges, maximum }) => ranges.flatMap(({ min, max }) => (max < maximum ? [min, max + 1] : [min]))));
  return [...new Map([...starts].sort((a, b) => b - a).map((start) => [different.map((set) => (set.has(start) ? 1 : 0)).join(''), start])).values()];
}
