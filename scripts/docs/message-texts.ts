/** Texts of findings, as the source has them: what is put in when a program runs is shown as `…`. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { ROOT } from '../public-api';

/** Texts that an expression can be: both branches of a condition, `…` for what is known at run time only. */
function textsOf(node: ts.Expression): string[] {
  if (ts.isStringLiteralLike(node)) {
    return [node.text];
  }
  if (ts.isTemplateExpression(node)) {
    return [node.head.text + node.templateSpans.map(({ literal }) => `…${literal.text}`).join('')];
  }
  if (ts.isConditionalExpression(node)) {
    return [node.whenTrue, node.whenFalse].flatMap(textsOf);
  }
  if (ts.isParenthesizedExpression(node) || ts.isAsExpression(node)) {
    return textsOf(node.expression);
  }
  if (ts.isArrowFunction(node) && !ts.isBlock(node.body)) {
    return textsOf(node.body);
  }
  if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken) {
    return textsOf(node.left).flatMap((left) => textsOf(node.right).map((right) => left + right));
  }
  return [];
}

/** Without what is only `…`, which says nothing. */
function worthwhile(texts: readonly string[]): string[] {
  return [...new Set(texts.map((text) => text.replace(/…[… ]*…/g, '…').trim()).filter((text) => /\w{3}/.test(text)))];
}

/** Files of a folder that contain a word: parsing all of `src` would take a minute. */
function sourceFiles(folder: string, word: string): ts.SourceFile[] {
  return readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts')).sort().map((file) => path.posix.join(folder, file))
    .map((file) => ({ file, text: readFileSync(path.join(ROOT, file), 'utf8') })).filter(({ text }) => text.includes(word))
    .map(({ file, text }) => ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true));
}

function walk(node: ts.Node, visit: (inner: ts.Node) => void): void {
  visit(node);
  ts.forEachChild(node, (child) => walk(child, visit));
}

/** A message of a rule. */
export interface RuleMessage {
  readonly severity: 'error' | 'warning';
  readonly text: string;
}

/** Texts of a call of a FindingCollector, by the method. */
const METHODS: { readonly [method: string]: (parameters: readonly ts.Expression[]) => string[] } = {
  error: ([, , , message]) => textsOf(message),
  warn: ([, , , message]) => textsOf(message),
  form: ([, , , , message]) => textsOf(message),
  whole: ([, , , least, most, more]) => {
    const [from, to] = [least, most].map((bound) => (bound === undefined || bound.getText() === 'Infinity' ? undefined : ts.isNumericLiteral(bound) ? bound.text : '…'));
    return (more === undefined ? ['.'] : textsOf(more)).map((end) => `must be a whole number${to === undefined ? `, ${from} or more` : ` from ${from} to ${to}`}${end}`);
  },
};

/**
 * Messages by the name of a rule in the code, such as `CHECK_RULES.imageTag`: the texts that the functions of `src` give to a FindingCollector.
 * @param lists files that declare lists of rules, without extension
 */
export function ruleMessages(lists: readonly string[]): ReadonlyMap<string, readonly RuleMessage[]> {
  const found = new Map<string, RuleMessage[]>();
  for (const file of sourceFiles('src', 'rule-list')) {
    const imported = new Set(file.statements.filter(ts.isImportDeclaration)
      .filter(({ moduleSpecifier }) => lists.includes(path.posix.join(path.posix.dirname(file.fileName), (moduleSpecifier as ts.StringLiteral).text)))
      .map(({ importClause }) => importClause?.namedBindings)
      .flatMap((bindings) => (bindings !== undefined && ts.isNamedImports(bindings) ? bindings.elements : []))
      .map(({ name }) => name.text));
    walk(file, (node) => {
      if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) {
        return;
      }
      const method = node.expression.name.text;
      const [rule] = node.arguments;
      const isFinding = Object.hasOwn(METHODS, method) && node.arguments.length >= 4;
      if (isFinding && ts.isPropertyAccessExpression(rule) && imported.has(rule.expression.getText())) {
        const texts = worthwhile(METHODS[method](node.arguments));
        found.set(rule.getText(), [...found.get(rule.getText()) ?? [], ...texts.map((text) => ({ severity: method === 'warn' ? 'warning' : 'error', text } as const))]);
      }
    });
  }
  return found;
}

/** A finding with a name, as `trainyard doctor` and `trainyard explain` write them. */
export interface NamedFinding {
  readonly id: string;
  readonly what: readonly string[];
  readonly fix: readonly string[];
}

/** Findings of the files in a folder: objects with `id`, `what` and `fix`. */
export function namedFindings(folder: string): NamedFinding[] {
  const found = new Map<string, NamedFinding>();
  for (const file of sourceFiles(folder, 'what:')) {
    walk(file, (node) => {
      if (!ts.isObjectLiteralExpression(node)) {
        return;
      }
      const valueOf = (name: string): string[] => worthwhile(node.properties.filter(ts.isPropertyAssignment)
        .filter((property) => property.name.getText() === name).flatMap(({ initializer }) => textsOf(initializer)));
      const what = valueOf('what');
      for (const id of what.length === 0 ? [] : valueOf('id').filter((text) => /^[A-Z]\w+$/.test(text))) {
        const known = found.get(id) ?? { id, what: [], fix: [] };
        found.set(id, { id, what: [...new Set([...known.what, ...what])], fix: [...new Set([...known.fix, ...valueOf('fix')])] });
      }
    });
  }
  return [...found.values()].sort((one, other) => one.id.localeCompare(other.id));
}
