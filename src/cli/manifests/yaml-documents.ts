/**
 * YAML as kubectl reads it, with the position of every field. Where YAML 1.1 and 1.2 differ, kubectl's parser follows 1.1: an unquoted `yes` is true
 * and `010` is 8. Dates stay strings, as in kubectl.
 * @see https://github.com/kubernetes-sigs/yaml
 */
import {
  Composer, Lexer, LineCounter, Parser, isAlias, isNode, isScalar, visit, type CST, type Document, type ParsedNode, type Tags,
} from 'yaml';
import { addTo } from '../../model/lists';

/** A position in a text; both numbers start at 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

export interface YamlDocument {
  /** Index in the text, from 0; empty documents count. */
  readonly index: number;
  /** Whether the fields of `metadata` are next to it. */
  readonly isFlat: boolean;
  readonly value: unknown;
  /** The parsed text, for the positions of fields. */
  readonly source: YamlSource;
}

/** A parsed document: its nodes and their lines. */
export interface YamlSource {
  readonly document: Document.Parsed<ParsedNode>;
  readonly lines: LineCounter;
}

/** The reason why a document cannot be read. */
export interface YamlProblem extends Position {
  readonly index: number;
  readonly message: string;
  /** Whether the fields of `metadata` are next to it. */
  readonly isFlat?: boolean;
}

export interface YamlText {
  readonly documents: readonly YamlDocument[];
  readonly problems: readonly YamlProblem[];
  /** Number of documents, including empty and unreadable ones. */
  readonly count: number;
}

/** Tags of YAML 1.1 that kubectl's parser does not support, at least not for untyped data. */
const LEFT_OUT = ['timestamp', 'binary', 'set', 'omap', 'pairs'].map((name) => `tag:yaml.org,2002:${name}`);

/** Levels of nesting. Manifests have 20; reading a document is recursive. */
const MAX_DEPTH = 100;

/** Documents of a text. A whole platform has a few hundred. */
const MAX_DOCUMENTS = 20_000;

/** Aliases of a document: the parser searches the whole document for each. */
const MAX_ALIASES = 500;

/** Values of a document with all aliases expanded: checks visit all of them. */
const MAX_VALUES = 1_000_000;

/** Longest document, in characters: the API server accepts 3 MiB. */
const MAX_LENGTH = 3 * 1024 * 1024;

/** Reads all documents of a text. Never throws: a document that cannot be read becomes a problem, and the others are read. */
export function parseYaml(text: string): YamlText {
  const whole = text.length > MAX_LENGTH ? undefined : parseStream({ text, line: 0 });
  // A quote or bracket that is never closed hides the documents after it, which may be valid. So each is read again on its own.
  const isReadAgain = whole === undefined || (whole.problems.length > 0 && whole.count > 0 && whole.count <= MAX_DOCUMENTS);
  return isReadAgain ? joined(documentTexts(text).map(parseStream)) : whole;
}

/** A part of a text, and the number of lines before it. */
interface TextPart {
  readonly text: string;
  readonly line: number;
}

/** Lines of a part, counted from the start of the whole text. */
class PartLines extends LineCounter {
  public constructor(before: number) {
    super();
    const { linePos } = this;
    this.linePos = (offset) => {
      const { line, col } = linePos(offset);
      return { line: line + before, col };
    };
  }
}

function parseStream({ text, line: before }: TextPart): YamlText {
  const lines = new PartLines(before);
  if (text.length > MAX_LENGTH) {
    const message = `the document has ${text.length} characters, and the API server accepts at most ${MAX_LENGTH}. Split it.`;
    return { documents: [], problems: [{ index: 0, line: before + 1, column: 1, message }], count: 1 };
  }
  const composer = new Composer({
    lineCounter: lines,
    schema: 'yaml-1.1',
    merge: true,
    // The library's own check takes quadratic time.
    uniqueKeys: false,
    customTags: (tags: Tags) => tags.filter((tag) => typeof tag === 'string' || (!LEFT_OUT.includes(tag.tag) && !('format' in tag && tag.format === 'TIME'))),
  });
  const found: Document.Parsed<ParsedNode>[] = [];
  const documents: YamlDocument[] = [];
  const problems: YamlProblem[] = [];
  const addProblem = (index: number, offset: number, message: string, isFlat?: boolean) => {
    const { line, col } = lines.linePos(offset);
    problems.push({ index, line, column: col, message, isFlat });
  };
  // The composer creates an error object for each mistake, and most of its cost is the stack trace.
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    for (const document of composer.compose(tokensOf(text, lines))) {
      if (found.length === MAX_DOCUMENTS) {
        addProblem(found.length, document.range[0], `the text has more than ${MAX_DOCUMENTS} documents. Split it.`);
        break;
      }
      found.push(document as Document.Parsed<ParsedNode>);
    }
  } catch (error) {
    if (!(error instanceof TooDeepError)) {
      throw error;
    }
    addProblem(found.length, error.offset, `objects and lists are nested more than ${MAX_DEPTH} levels deep here. Reduce the nesting.`);
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
  found.forEach((document, index) => {
    const [error] = document.errors;
    const isFlat = hasLostIndentation(text.slice(document.range[0], document.range[2]));
    const read = error === undefined ? valueOf(document) : { offset: error.pos[0], message: error.message.split('\n')[0] };
    if ('message' in read) {
      addProblem(index, read.offset, read.message, isFlat);
    } else {
      documents.push({ index, isFlat, value: read.value, source: { document, lines } });
    }
  });
  problems.sort((one, other) => one.index - other.index);
  return { documents, problems, count: problems.reduce((most, { index }) => Math.max(most, index + 1), found.length) };
}

/** Whether a manifest was copied from a web page without its indentation. */
function hasLostIndentation(text: string): boolean {
  return /^metadata:[ \t]*\r?\n(?!(?:apiVersion|kind|spec|status|data|stringData|type):)[A-Za-z]/m.test(text) && !/^[ \t]+\S/m.test(text);
}

interface DocumentProblem {
  readonly offset: number;
  readonly message: string;
}

function valueOf(document: Document.Parsed<ParsedNode>): { readonly value: unknown } | DocumentProblem {
  const problem = secondKey(document) ?? wrongAlias(document);
  if (problem !== undefined) {
    return problem;
  }
  const start = document.contents?.range[0] ?? 0;
  try {
    // MAX_ALIASES and MAX_VALUES limit the expansion.
    const value: unknown = document.toJS({ maxAliasCount: -1 });
    return valuesIn(value, new Map()) <= MAX_VALUES ? { value }
      : { offset: start, message: `the document has more than ${MAX_VALUES} values when all aliases are expanded. Use fewer aliases.` };
  } catch (error) {
    // Such as an anchor that contains itself, or a merge of something that is not an object.
    return { offset: start, message: (error as Error).message.split('\n')[0] };
  }
}

/** Number of values in a value. Repeated objects are counted each time, but visited once. */
function valuesIn(value: unknown, known: Map<object, number>): number {
  if (typeof value !== 'object' || value === null) {
    return 1;
  }
  let sum = known.get(value);
  if (sum === undefined) {
    sum = 1;
    for (const entry of Object.values(value)) {
      sum += valuesIn(entry, known);
    }
    known.set(value, sum);
  }
  return sum;
}

/** The first alias without an anchor, or above the limit. */
function wrongAlias(document: Document.Parsed<ParsedNode>): DocumentProblem | undefined {
  const anchors = new Set<string>();
  let count = 0;
  let problem: DocumentProblem | undefined;
  visit(document, (_key, node) => {
    if (isNode(node) && !isAlias(node) && node.anchor !== undefined) {
      anchors.add(node.anchor);
    }
    if (!isAlias(node)) {
      return undefined;
    }
    count++;
    const message = !anchors.has(node.source) ? `*${node.source}: there is no anchor with this name before it`
      : count > MAX_ALIASES ? `the document has more than ${MAX_ALIASES} aliases. Replace some of them with their values.` : undefined;
    problem = message === undefined ? undefined : { offset: node.range?.[0] ?? 0, message };
    return problem && visit.BREAK;
  });
  return problem;
}

/** The first repeated key of a map. */
function secondKey(document: Document.Parsed<ParsedNode>): DocumentProblem | undefined {
  let offset: number | undefined;
  visit(document, {
    Map(_key, { items }) {
      const keys = new Set<unknown>();
      for (const { key } of items) {
        if (isScalar(key) && key.value !== '<<') {
          if (keys.has(key.value)) {
            offset = key.range?.[0] ?? 0;
            return visit.BREAK;
          }
          keys.add(key.value);
        }
      }
      return undefined;
    },
  });
  return offset === undefined ? undefined : { offset, message: 'Map keys must be unique' };
}

/** The nesting is too deep at an offset of the text. */
class TooDeepError extends Error {
  public constructor(public readonly offset: number) {
    super('too deep');
  }
}

/** The tokens for the composer. The depth is checked after each token, because composing is recursive and lexing is not. */
function* tokensOf(text: string, lines: LineCounter): Generator<CST.Token> {
  const parser = new Parser(lines.addNewLine);
  lines.addNewLine(0);
  for (const lexeme of new Lexer().lex(text)) {
    yield* parser.next(lexeme);
    if (parser.stack.length > MAX_DEPTH) {
      throw new TooDeepError(parser.offset);
    }
  }
  yield* parser.end();
}

/**
 * The texts of the documents, and the number of lines before each. `---` at the start of a line always starts a document: quoted strings and blocks
 * must not contain it.
 * @see https://yaml.org/spec/1.2.2/#rule-c-forbidden
 */
function documentTexts(text: string): TextPart[] {
  const texts: TextPart[] = [];
  let start = '';
  let line = 0;
  for (const part of text.split(/^(?=---(?:[ \t\r\n]|$))/m)) {
    const isStart = part.split('\n').every((row) => /^\s*($|#|%)/.test(row));
    if (isStart) {
      // Comments and directives belong to the next document.
      start += part;
    } else {
      texts.push({ text: start + part, line });
      line += (start + part).split('\n').length - 1;
      start = '';
    }
  }
  return texts;
}

function joined(texts: readonly YamlText[]): YamlText {
  let count = 0;
  const documents: YamlDocument[] = [];
  const problems: YamlProblem[] = [];
  for (const part of texts) {
    const before = count;
    addTo(documents, part.documents.map((document) => ({ ...document, index: before + document.index })));
    addTo(problems, part.problems.map((problem) => ({ ...problem, index: before + problem.index })));
    count += part.count;
  }
  return { documents, problems, count };
}
