/**
 * Manifests as users write them, in `manifests/`: beside each stand the program and the report that it is migrated to. Every program has the right
 * types, and writes what the direct migration writes. `TRAINYARD_UPDATE=1` writes the files anew, to be read before they are kept.
 */
import fs from 'node:fs';
import path from 'node:path';
import { migrateTexts } from '../../../src/cli/migrate/migration';
import { reportLines } from '../../../src/cli/migrate/report';
import { OPERATOR_ENGINE } from '../../../src/manifests/engines/operator';
import { objectsOf, runProgram, typeErrors, withoutDefaults } from '../program/programs';

const FOLDER = path.join(__dirname, 'manifests');

const CASES = fs.readdirSync(FOLDER).filter((file) => file.endsWith('.yaml')).map((file) => {
  const input = { name: file, text: fs.readFileSync(path.join(FOLDER, file), 'utf8') };
  const program = migrateTexts([input], { engine: OPERATOR_ENGINE, form: 'typescript' });
  const yaml = migrateTexts([input], { engine: OPERATOR_ENGINE, form: 'yaml' });
  return { name: path.basename(file, '.yaml'), program, yaml, report: `${reportLines(program, (text) => text).join('\n')}\n` };
});

function expectFile(file: string, text: string): void {
  const target = path.join(FOLDER, file);
  if (process.env.TRAINYARD_UPDATE === '1') {
    fs.writeFileSync(target, text);
  }
  expect(text).toBe(fs.readFileSync(target, 'utf8'));
}

describe.each(CASES)('$name', ({ name, program, yaml, report }) => {
  test('is the program that stands beside it', () => {
    expectFile(`${name}.ts.txt`, program.outputs.map(({ text }) => text).join(''));
  });

  test('has the report that stands beside it', () => {
    expectFile(`${name}.report.txt`, report);
  });

  test('is the same as a program and as a manifest', () => {
    expect(yaml.report.map(({ outcome, notes }) => [outcome, notes])).toEqual(program.report.map(({ outcome, notes }) => [outcome, notes]));
    if (program.report.some(({ broken }) => broken.length > 0)) {
      // It says so, and synth says it again.
      expect(() => runProgram(program.outputs[0].text)).toThrow('Validation failed');
      return;
    }
    const [direct, synthesized] = [objectsOf(yaml.outputs[0].text), runProgram(program.outputs[0].text)];
    const byKind = (objects: ReturnType<typeof objectsOf>) => objects.map(withoutDefaults).sort((one, other) => (one.kind < other.kind ? -1 : 1));
    expect(byKind(synthesized)).toEqual(byKind(direct));
  });
});

test('all programs have the right types', () => {
  expect(typeErrors(CASES.map(({ program }) => program.outputs[0].text))).toEqual([]);
});
