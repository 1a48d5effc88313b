import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { Testing } from 'cdk8s';
import ts from 'typescript';
import { program } from './other-cdk8s-plus';
import { compile } from '../../../scripts/public-api';

const PROGRAM = path.join(__dirname, 'other-cdk8s-plus.ts');
const CONSTRUCTS = path.join(__dirname, '..', '..', '..', 'src', 'constructs');

/** Types of cdk8s-plus that only the inside of constructs has, or that callers get and do not give. */
const INSIDE = ['Container', 'ContainerResources', 'HorizontalPodAutoscaler', 'IResource', 'IScalable', 'Resource', 'k8s'];

/** Names that the constructs take from cdk8s-plus. */
function usedTypes(): string[] {
  const texts = readdirSync(CONSTRUCTS, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts')).map((file) => readFileSync(path.join(CONSTRUCTS, file), 'utf8'));
  const named = texts.flatMap((text) => [...text.matchAll(/import (?:type )?\{([^}]*)\} from 'cdk8s-plus-28'/g)]).flatMap(([, names]) => names.split(',').map((name) => name.replace('type ', '').trim()));
  return [...new Set([...named, ...texts.flatMap((text) => [...text.matchAll(/kplus\.([A-Z]\w+)/g)]).map(([, name]) => name)])].sort();
}

test('objects of another version of cdk8s-plus compile', () => {
  const compiled = compile([PROGRAM]);
  const errors = compiled.getSemanticDiagnostics(compiled.getSourceFile(PROGRAM));
  expect(errors.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))).toEqual([]);
}, 120_000);

test('and synthesize', () => {
  const app = Testing.app();
  program(app);
  expect(app.synthYaml()).toContain('kind: MLTrainingJob');
});

test('the program has every type of cdk8s-plus that is used', () => {
  const text = readFileSync(PROGRAM, 'utf8');
  expect(usedTypes().filter((name) => !INSIDE.includes(name) && !new RegExp(`\\b${name}\\b`).test(text))).toEqual([]);
});
