/**
 * Every option of the public interfaces of these families is given in some test of the family. The compiler says which option a test gives: `image`
 * of a worker group is another one than `image` of a cluster, and what stands in an expected manifest is none. That a test looks at what becomes of
 * it, only its reader can say.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import * as ts from 'typescript';

const ROOT = path.join(__dirname, '..');
const FAMILIES = [
  'credentials', 'events', 'monitoring', 'notifications', 'pipelines', 'ray', 'runs', 'serving', 'spark', 'tuning', 'workbench',
  'gitops', 'gpu-operator', 'platform', 'policy', 'queues', 'storage',
];

/** Tests of what several families have, and programs that tests of families run and look at. */
const SHARED = [
  'test/constructs/credentials/credential-users.test.ts', 'test/constructs/monitoring/attached.test.ts', 'test/support/queues/program.ts',
];

/** What constructs give, and nobody gives to them. */
const RESULTS = ['StorePodParts', 'SecurityFinding'];

/** Files that a folder's index exports, or the indexes of folders in it. */
function publicFiles(folder: string): string[] {
  return [...readFileSync(path.join(ROOT, folder, 'index.ts'), 'utf8').matchAll(/^export \* from '\.\/(.*)';$/gm)].map(([, name]) => `${folder}/${name}`)
    .flatMap((name) => (existsSync(path.join(ROOT, name, 'index.ts')) ? publicFiles(name) : [`${name}.ts`]));
}

function testsOf(family: string): string[] {
  return readdirSync(path.join(ROOT, 'test', 'constructs', family), { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts')).map((file) => `test/constructs/${family}/${file}`);
}

const TESTS = [...FAMILIES.flatMap(testsOf), ...SHARED].map((file) => path.join(ROOT, file));
const { options: settings } = ts.parseJsonConfigFileContent(ts.readConfigFile(path.join(ROOT, 'tsconfig.json'), ts.sys.readFile).config, ts.sys, ROOT);
const program = ts.createProgram([path.join(ROOT, 'src/index.ts'), ...TESTS], { ...settings, noEmit: true, skipLibCheck: true });
const checker = program.getTypeChecker();

/** Options by where they are declared, as `INTERFACE.PROPERTY`; interfaces of constructs (`IRayCluster`) have none. */
function optionsOf(file: string): Map<ts.Node, string> {
  return new Map(program.getSourceFile(path.join(ROOT, file))!.statements.filter(ts.isInterfaceDeclaration)
    .filter(({ name, modifiers }) => !/^I[A-Z]/.test(name.text) && !RESULTS.includes(name.text) && modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword))
    .flatMap(({ name, members }) => members.filter(ts.isPropertySignature).map((member): [ts.Node, string] => [member, `${name.text}.${member.name.getText()}`])));
}

/** Where the options are declared that tests give. */
const given = new Set<ts.Node>();

/** Properties of a type, or of the types that it is one of. */
function propertyOf(type: ts.Type, name: string): ts.Symbol[] {
  const types = type.isUnion() ? type.types : [type];
  return types.flatMap((one) => checker.getPropertyOfType(one, name) ?? []);
}

function giveProperty(wanted: ts.Type, name: string): void {
  propertyOf(wanted, name).flatMap(({ declarations = [] }) => declarations).forEach((declaration) => given.add(declaration));
}

const compared = new Map<ts.Type, Set<ts.Type>>();

/** Notes what an object gives that is not written where it is wanted: a constant, a row of a table, what a function returns. */
function giveAll(wanted: ts.Type, actual: ts.Type, at: ts.Node): void {
  const seen = compared.get(wanted) ?? new Set();
  if (seen.has(actual)) {
    return;
  }
  compared.set(wanted, seen.add(actual));
  const [wantedOne, actualOne] = [elementOf(wanted), elementOf(actual)];
  if (wantedOne !== undefined && actualOne !== undefined) {
    giveAll(wantedOne, actualOne, at);
  }
  for (const one of actual.isUnion() ? actual.types : [actual]) {
    for (const property of one.getProperties().filter(({ declarations = [] }) => declarations.some(isWritten))) {
      giveProperty(wanted, property.name);
      for (const field of propertyOf(wanted, property.name)) {
        giveAll(checker.getTypeOfSymbolAtLocation(field, at), checker.getTypeOfSymbolAtLocation(property, at), at);
      }
    }
  }
}

/** What lists are of, of a type that may be a list or undefined. */
function elementOf(type: ts.Type): ts.Type | undefined {
  return checker.getIndexTypeOfType(checker.getNonNullableType(type), ts.IndexKind.Number);
}

/** Whether somebody wrote the property, in an object: all properties of a variable with a declared type may be missing. */
function isWritten(node: ts.Node): boolean {
  return ts.isPropertyAssignment(node) || ts.isShorthandPropertyAssignment(node);
}

function visit(node: ts.Node): void {
  if (ts.isObjectLiteralExpression(node)) {
    visitObject(node);
  } else if ((ts.isIdentifier(node) || ts.isCallExpression(node) || ts.isPropertyAccessExpression(node)) && isPassedOn(node)) {
    const wanted = checker.getContextualType(node);
    if (wanted !== undefined) {
      giveAll(wanted, checker.getTypeAtLocation(node), node);
    }
  }
  ts.forEachChild(node, visit);
}

function visitObject(node: ts.ObjectLiteralExpression): void {
  const wanted = checker.getContextualType(node);
  for (const property of wanted === undefined ? [] : node.properties) {
    if (ts.isSpreadAssignment(property)) {
      giveAll(wanted!, checker.getTypeAtLocation(property.expression), node);
    } else if (property.name !== undefined && (ts.isIdentifier(property.name) || ts.isStringLiteral(property.name))) {
      giveProperty(wanted!, property.name.text);
    }
    if (ts.isShorthandPropertyAssignment(property)) {
      const actual = checker.getTypeAtLocation(property.name);
      propertyOf(wanted!, property.name.text).forEach((field) => giveAll(checker.getTypeOfSymbolAtLocation(field, node), actual, node));
    }
  }
}

/** An argument, the value of a property, or one of a list. */
function isPassedOn(node: ts.Expression): boolean {
  const { parent } = node;
  return ((ts.isCallExpression(parent) || ts.isNewExpression(parent)) && parent.arguments?.some((one) => one === node) === true)
    || (ts.isPropertyAssignment(parent) && parent.initializer === node) || ts.isArrayLiteralExpression(parent);
}

beforeAll(() => {
  new Set(TESTS).forEach((file) => visit(program.getSourceFile(file)!));
});

test.each(FAMILIES)('every option of %s is given in a test', (family) => {
  const options = new Map(publicFiles(`src/constructs/${family}`).flatMap((file) => [...optionsOf(file)]));
  expect(options.size).toBeGreaterThan(5);
  expect([...options].filter(([declaration]) => !given.has(declaration)).map(([, option]) => option)).toEqual([]);
});
