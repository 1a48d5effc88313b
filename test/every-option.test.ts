/**
 * Every option of the public interfaces of these families is given in some test of the family: an option that nobody has tried is found by its name,
 * as a property of an object in the tests. That a test looks at what becomes of it, only its reader can say.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import * as ts from 'typescript';

const ROOT = path.join(__dirname, '..');
const FAMILIES = ['credentials', 'events', 'monitoring', 'pipelines', 'ray', 'runs', 'serving', 'spark', 'tuning', 'workbench'];

/** Tests of what several families have. */
const SHARED = ['test/constructs/credentials/credential-users.test.ts', 'test/constructs/monitoring/attached.test.ts'];

function parse(file: string): ts.SourceFile {
  return ts.createSourceFile(file, readFileSync(path.join(ROOT, file), 'utf8'), ts.ScriptTarget.Latest);
}

/** Files that a folder's index exports. */
function publicFiles(folder: string): string[] {
  return [...readFileSync(path.join(ROOT, folder, 'index.ts'), 'utf8').matchAll(/^export \* from '\.\/(.*)';$/gm)].map(([, name]) => `${folder}/${name}.ts`);
}

/** `INTERFACE.PROPERTY` of all exported interfaces; those of constructs (`IRayCluster`) have no options. */
function optionsOf(file: string): string[] {
  return parse(file).statements.filter(ts.isInterfaceDeclaration)
    .filter(({ name, modifiers }) => !/^I[A-Z]/.test(name.text) && modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword))
    .flatMap(({ name, members }) => members.filter(ts.isPropertySignature).map((member) => `${name.text}.${(member.name as ts.Identifier).text}`));
}

/** Names of properties in the objects that a file writes. */
function propertiesIn(file: string): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if ((ts.isPropertyAssignment(node) || ts.isShorthandPropertyAssignment(node)) && ts.isIdentifier(node.name)) {
      found.push(node.name.text);
    }
    ts.forEachChild(node, visit);
  };
  visit(parse(file));
  return found;
}

test.each(FAMILIES)('every option of %s is given in a test', (family) => {
  const tests = readdirSync(path.join(ROOT, 'test', 'constructs', family)).filter((file) => file.endsWith('.ts')).map((file) => `test/constructs/${family}/${file}`);
  const given = new Set([...tests, ...SHARED].flatMap(propertiesIn));
  const options = publicFiles(`src/constructs/${family}`).flatMap(optionsOf);
  expect(options.length).toBeGreaterThan(5);
  expect(options.filter((option) => !given.has(option.split('.')[1]))).toEqual([]);
});
