/**
 * Reads the operator's code and holds the reasons that it gives against the list in the model. The code is read as syntax: every string that
 * stands for a reason, wherever it is given.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { REASONS, reasonEntry } from '../../../src/model/training-job/status/reasons';
import { RESTART_CAUSES } from '../../../src/model/training-job/status/recovery-status';
import { CONDITION_TYPES } from '../../../src/model/training-job/status/status';

const ROOT = path.resolve(__dirname, '..', '..', '..');
const FOLDERS = [
  'src/operator/training', 'src/operator/kueue', 'src/manifests/gang', 'src/model/progress', 'src/model/tuning', 'src/model/training-job',
];

/** Functions whose arguments are reasons; the phases that they take too are no reasons. */
const TAKES_REASON = new Set(['end', 'fail', 'failed', 'failForGood', 'finish', 'suspend', 'restart', 'release', 'QueueProblem']);

/** Words with a meaning of their own that stand beside reasons. */
const NO_REASONS = new Set<string>([...CONDITION_TYPES, ...RESTART_CAUSES, 'Pending', 'Completed', 'Normal', 'Warning']);

/** What the operator writes into Workloads, in Kueue's words. */
const KUEUES_OWN = new Set(['NoReservation', 'Recovered', 'Started', 'WaitForRecovery', 'Succeeded', 'Failed']);

const CAMEL_CASE = /^[A-Z][a-z]+([A-Z][a-z0-9]*)*$/;

/** The strings that an expression can be. */
function strings(node: ts.Expression): string[] {
  if (ts.isStringLiteralLike(node)) {
    return [node.text];
  }
  if (ts.isConditionalExpression(node)) {
    return [...strings(node.whenTrue), ...strings(node.whenFalse)];
  }
  if (ts.isBinaryExpression(node) && ['??', '||'].includes(node.operatorToken.getText())) {
    return [...strings(node.left), ...strings(node.right)];
  }
  if (ts.isParenthesizedExpression(node) || ts.isAsExpression(node)) {
    return strings(node.expression);
  }
  if (ts.isObjectLiteralExpression(node)) {
    return node.properties.flatMap((property) => (ts.isPropertyAssignment(property) ? strings(property.initializer) : []));
  }
  return ts.isIdentifier(node) ? constants.get(node.text) ?? [] : [];
}

/** Strings by the names of the constants that hold them, whichever file they are in. */
const constants = new Map<string, string[]>();

function parse(file: string): ts.SourceFile {
  return ts.createSourceFile(file, readFileSync(path.join(ROOT, file), 'utf8'), ts.ScriptTarget.Latest, true);
}

function learnConstants(file: string): void {
  const visit = (node: ts.Node): void => {
    if (ts.isVariableDeclaration(node) && /^[A-Z][A-Z_]+$/.test(node.name.getText()) && node.initializer && ts.isStringLiteral(node.initializer)) {
      constants.set(node.name.getText(), [node.initializer.text]);
    }
    ts.forEachChild(node, visit);
  };
  visit(parse(file));
}

/** Reasons of a file, with where they stand. */
function reasonsOf(file: string): { readonly reason: string; readonly where: string }[] {
  const source = parse(file);
  const found: { reason: string; where: string }[] = [];
  const add = (node: ts.Node, texts: readonly string[]) => {
    const where = `${file}:${source.getLineAndCharacterOfPosition(node.getStart()).line + 1}`;
    found.push(...texts.filter((text) => CAMEL_CASE.test(text)).map((reason) => ({ reason, where })));
  };
  const visit = (node: ts.Node): void => {
    if (ts.isPropertyAssignment(node) && node.name.getText() === 'reason') {
      add(node, strings(node.initializer));
    } else if (ts.isParameter(node) && node.name.getText() === 'reason' && node.initializer) {
      add(node, strings(node.initializer));
    } else if (ts.isVariableDeclaration(node) && /reasons?$/i.test(node.name.getText()) && node.initializer) {
      add(node, strings(node.initializer));
    } else if ((ts.isCallExpression(node) || ts.isNewExpression(node)) && TAKES_REASON.has(node.expression.getText().split('.').pop()!)) {
      add(node, (node.arguments ?? []).flatMap(strings).filter((text) => !NO_REASONS.has(text)));
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

const files = FOLDERS.flatMap((folder) => readdirSync(path.join(ROOT, folder), { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith('.ts') && entry.name !== 'reasons.ts')
  .map((entry) => path.relative(ROOT, path.join(entry.parentPath, entry.name)))
  // The API server's reasons of refused fields, and labels of metrics.
  .filter((file) => !file.includes('/schema/') && !file.endsWith('/role-specs.ts') && !file.includes('/metrics/')));
files.forEach(learnConstants);
const used = files.flatMap(reasonsOf);

describe('the reasons that the operator gives', () => {
  test('are found in the code: of decisions, of conditions, of events', () => {
    expect(used.map(({ reason }) => reason)).toEqual(expect.arrayContaining(['DeadlineExceeded', 'AllReplicasRunning', 'JobRunning', 'NameTaken']));
  });

  test('are all in the list of src/model/training-job/status/reasons.ts', () => {
    const unknown = used.filter(({ reason, where }) => reasonEntry(reason) === undefined && !(where.includes('/kueue/') && KUEUES_OWN.has(reason)))
      .map(({ reason, where }) => `${reason} (${where})`);
    expect(unknown).toEqual([]);
  });

  test('are all that the list has', () => {
    const code = files.map((file) => readFileSync(path.join(ROOT, file), 'utf8')).join('\n');
    expect(REASONS.map(({ reason }) => reason).filter((reason) => !code.includes(`'${reason}'`))).toEqual([]);
  });
});

describe('the list of reasons', () => {
  test('has each reason once, in CamelCase, with a place and a sentence', () => {
    expect(new Set(REASONS.map(({ reason }) => reason)).size).toBe(REASONS.length);
    for (const { reason, places, means } of REASONS) {
      expect(reason).toMatch(CAMEL_CASE);
      expect([reason, places.length > 0]).toEqual([reason, true]);
      expect(means).toMatch(/^(spec\.|[A-Z]).+\.$/);
    }
  });
});
