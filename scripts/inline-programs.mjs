/**
 * A plug-in of esbuild that puts the text of each program (`src/programs`) in the place of the call that asks for it, so that a bundle needs no files
 * and has no program in it that it does not use.
 */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const programs = path.join(path.dirname(path.dirname(fileURLToPath(import.meta.url))), 'src', 'programs');

/** A call as we write it, and as TypeScript compiles it for CommonJS. */
const CALL = /(?:\(0, \w+\.programText\)|\bprogramText)\('([^']+)'\)/g;

/** What looks like a call once all others are replaced. */
const OTHER_CALL = /\bprogramText\)?\((?!file\b)/;

/** A file of a package. The bench of synthesis compiles ours into the cache folder beside them. */
const OF_PACKAGE = /[\\/]node_modules[\\/](?!\.cache[\\/])/;

/** In a bundle nobody asks for files any more. */
const EMPTY = 'exports.programText = () => { throw new Error(\'a program was asked for that is not in the bundle\'); };';

/** @see the top of this file */
export function inlinePrograms() {
  return {
    name: 'inline-programs',
    setup({ onLoad }) {
      onLoad({ filter: /\.[jt]s$/ }, async ({ path: file }) => {
        if (OF_PACKAGE.test(file)) {
          return undefined;
        }
        if (/[\\/]programs[\\/]program-text\.[jt]s$/.test(file)) {
          return { contents: EMPTY, loader: 'js' };
        }
        const source = await readFile(file, 'utf8');
        if (!source.includes('programText')) {
          return undefined;
        }
        const texts = new Map(await Promise.all([...source.matchAll(CALL)].map(async ([, name]) => [name, await readFile(path.join(programs, name), 'utf8')])));
        const contents = source.replace(CALL, (_call, name) => JSON.stringify(texts.get(name)));
        if (OTHER_CALL.test(contents)) {
          throw new Error(`${file}: programText takes one literal in single quotes, which is what the bundler replaces`);
        }
        return { contents, loader: file.endsWith('.ts') ? 'ts' : 'js' };
      });
    },
  };
}
