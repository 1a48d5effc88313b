/** Programs as tests start them: the bundle, which starts in a moment, or the sources where those are newer. */
import fs from 'node:fs';
import path from 'node:path';

const ROOT = path.resolve(__dirname, '..', '..');

/** A program that `npm run bundle` makes. */
export interface BundledProgram {
  /** Path of the bundle in the repository. */
  readonly bundle: string;
  /** Path of its first source. */
  readonly entry: string;
  /** Folders of sources that it is made of. */
  readonly sources: readonly string[];
}

/** The operator. */
export const OPERATOR: BundledProgram = {
  bundle: 'assets/operator.mjs', entry: 'src/operator/training/main.ts', sources: ['src/operator', 'src/manifests', 'src/model'],
};

/** The `trainyard` command. */
export const COMMAND: BundledProgram = { bundle: 'lib/cli/trainyard.mjs', entry: 'src/cli/main.ts', sources: ['src'] };

/** The library in one file, for apps that import it by its name. */
const LIBRARY: BundledProgram = { bundle: '.trainyard/library/index.js', entry: 'src/index.ts', sources: ['src/index.ts', 'src/model', 'src/manifests', 'src/constructs'] };

/** What was found, once for a file of tests: hundreds of sources are looked at. */
const found = new Map<BundledProgram, readonly string[]>();

/** Arguments of node that start the program; absolute, so that it can be started in any folder. */
export function programArguments(program: BundledProgram): readonly string[] {
  const { bundle, entry, sources } = program;
  const file = path.join(ROOT, bundle);
  const known = found.get(program) ?? (isFresh(file, sources) ? [file] : ['--import', require.resolve('tsx'), path.join(ROOT, entry)]);
  found.set(program, known);
  return known;
}

/** The environment of what starts apps: these find the library in one file, which takes half the time, or in its sources where those are newer. */
export function appEnvironment(): { readonly [name: string]: string } {
  const [file] = programArguments(LIBRARY);
  return { TSX_TSCONFIG_PATH: file.startsWith(ROOT) ? path.join(__dirname, 'tsconfig.apps.json') : path.join(ROOT, 'tsconfig.json') };
}

function isFresh(bundle: string, sources: readonly string[]): boolean {
  if (!fs.existsSync(bundle)) {
    return false;
  }
  const built = fs.statSync(bundle).mtimeMs;
  const isOlder = (file: string) => fs.statSync(file).mtimeMs <= built;
  return sources.map((source) => path.join(ROOT, source)).every((source) => (source.endsWith('.ts') ? isOlder(source)
    : fs.readdirSync(source, { recursive: true, withFileTypes: true })
      .every((entry) => !entry.isFile() || isOlder(path.join(entry.parentPath, entry.name)))));
}
