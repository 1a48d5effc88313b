/**
 * The programs and the library as JavaScript, with the settings of the package's own build (tsconfig.jsii.json), and the library joined as the
 * package has it: what is measured is what a user's `node main.js` does, without the time that a compiler takes.
 */
import fs from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { joinLibrary } from '../../scripts/join-library.mjs';

const ROOT = path.resolve(__dirname, '..', '..');

/** Inside node_modules, so that the programs find cdk8s, and git and eslint do not find them. */
const OUT = path.join(ROOT, 'node_modules', '.cache', 'trainyard-synth-bench');

/** What makes up the package, and the programs. */
const SOURCES = ['src/index.ts', 'src/programs', 'src/model', 'src/manifests', 'src/constructs', 'bench/synth/programs'];

/** @returns the folder of the compiled programs */
export async function compilePrograms(): Promise<string> {
  const file = path.join(ROOT, 'tsconfig.jsii.json');
  const { compilerOptions } = ts.readConfigFile(file, (name) => ts.sys.readFile(name)).config as { readonly compilerOptions: object };
  const { options } = ts.convertCompilerOptionsFromJson({ ...compilerOptions, module: 'commonjs' }, ROOT);
  fs.rmSync(OUT, { recursive: true, force: true });
  // Programs in other languages, which the joining puts in the place of the calls that read them.
  fs.cpSync(path.join(ROOT, 'src', 'programs'), path.join(OUT, 'src', 'programs'), { recursive: true, filter: (name) => !name.endsWith('.ts') });
  for (const source of SOURCES.flatMap(filesOf)) {
    const target = path.join(OUT, source.replace(/\.ts$/, '.js'));
    fs.mkdirSync(path.dirname(target), { recursive: true });
    const { outputText } = ts.transpileModule(fs.readFileSync(path.join(ROOT, source), 'utf8'), { fileName: source, compilerOptions: options });
    fs.writeFileSync(target, outputText);
  }
  await joinLibrary(path.join(OUT, 'src'));
  return path.join(OUT, 'bench', 'synth', 'programs');
}

/** TypeScript files of a file or folder, relative to the repository. */
function filesOf(source: string): string[] {
  if (source.endsWith('.ts')) {
    return [source];
  }
  return fs.readdirSync(path.join(ROOT, source), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts')).map((name) => path.join(source, name));
}
