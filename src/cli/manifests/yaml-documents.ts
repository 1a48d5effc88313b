/**
 * YAML as kubectl reads it, with the place of every field. kubectl's parser follows YAML 1.1 where it differs from 1.2: an unquoted `yes` is true and
 * `010` is 8. Dates stay texts, as they do there.
 * @see https://github.com/kubernetes-sigs/yaml
 */
import { LineCounter, parseAllDocuments, type Document, type ParsedNode, type Tags } from 'yaml';

/** A place in a text; both count from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** A document that can be read. */
export interface YamlDocument {
  /** Place among the documents of the text, from 0; empty ones count. */
  readonly index: number;
  readonly value: unknown;
  /** Where things stand in it. */
  readonly source: YamlSource;
}

/** What is left of a parsed document: nodes, and the lines that they stand on. */
export interface YamlSource {
  readonly document: Document.Parsed<ParsedNode>;
  readonly lines: LineCounter;
}

/** Why a document cannot be read. */
export interface YamlProblem extends Position {
  readonly index: number;
  readonly message: string;
}

/** What a text holds. */
export interface YamlText {
  readonly documents: readonly YamlDocument[];
  readonly problems: readonly YamlProblem[];
  /** Documents of the text, empty and unreadable ones too. */
  readonly count: number;
}

/** Tags of YAML 1.1 that kubectl's parser does not have, or not for untyped data. */
const LEFT_OUT = ['timestamp', 'binary', 'set', 'omap', 'pairs'].map((name) => `tag:yaml.org,2002:${name}`);

/** Reads all documents of a text. Never throws: what cannot be read is a problem of its document, and of no other. */
export function parseYaml(text: string): YamlText {
  const whole = parseStream(text);
  // A quote or a bracket that is never closed takes all documents behind it along, which are in order by themselves.
  return whole.problems.length > 0 && whole.count > 0 ? joined(documentTexts(text).map(parseStream)) : whole;
}

function parseStream(text: string): YamlText {
  const lines = new LineCounter();
  const parsed = parseAllDocuments<ParsedNode>(text, {
    lineCounter: lines,
    schema: 'yaml-1.1',
    merge: true,
    customTags: (tags: Tags) => tags.filter((tag) => typeof tag === 'string' || (!LEFT_OUT.includes(tag.tag) && !('format' in tag && tag.format === 'TIME'))),
  });
  const found = Array.isArray(parsed) ? parsed : [];
  const documents: YamlDocument[] = [];
  const problems: YamlProblem[] = [];
  found.forEach((document, index) => {
    const [error] = document.errors;
    if (error !== undefined) {
      const { line, col } = lines.linePos(error.pos[0]);
      problems.push({ index, line, column: col, message: error.message.split('\n')[0].replace(/ at line \d+, column \d+:?$/, '') });
      return;
    }
    // Anchors are used in manifests to say things once; a file of a user's own needs no guard against their explosion.
    documents.push({ index, value: document.toJS({ maxAliasCount: -1 }), source: { document, lines } });
  });
  return { documents, problems, count: found.length };
}

/**
 * The texts of single documents, each behind as many empty lines as stand before it. `---` at the beginning of a line is the beginning of a document
 * wherever it stands: no quoted text and no block may hold it.
 * @see https://yaml.org/spec/1.2.2/#rule-c-forbidden
 */
function documentTexts(text: string): string[] {
  const texts: string[] = [];
  let start = '';
  let line = 0;
  for (const part of text.split(/^(?=---(?:[ \t\r\n]|$))/m)) {
    const isStart = part.split('\n').every((row) => /^\s*($|#|%)/.test(row));
    if (isStart) {
      // Comments and directives are those of the document that follows.
      start += part;
    } else {
      texts.push('\n'.repeat(line) + start + part);
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
    documents.push(...part.documents.map((document) => ({ ...document, index: before + document.index })));
    problems.push(...part.problems.map((problem) => ({ ...problem, index: before + problem.index })));
    count += part.count;
  }
  return { documents, problems, count };
}
