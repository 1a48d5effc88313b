/**
 * Makes one file of the library's many, because reading six hundred files takes longer than synthesizing a hundred jobs.
 *
 * The file takes the place of index.js, and the others go: two copies of a class would be two classes. It is made of jsii's output and not of the
 * sources, because jsii writes the names into it by which other languages know its classes.
 *
 * What it exports is loaded when it is first asked for: a program with one training job reads nothing of Spark.
 */
import { appendFile, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { build } from 'esbuild';
import { inlinePrograms } from './inline-programs.mjs';

/**
 * Joins the compiled files of a folder, if there are any.
 * @param folder with index.js and the folders programs, model, manifests and constructs
 * @returns the size of the file and the number of files that it is made of; undefined where nothing was to be joined
 */
export async function joinLibrary(folder) {
  const compiled = (await readdir(folder, { recursive: true }).catch(() => []))
    .filter((file) => /^(programs|model|manifests|constructs)\/.*\.js$/.test(file.replaceAll(path.sep, '/')));
  if (compiled.length === 0) {
    return undefined;
  }
  const index = path.join(folder, 'index.js');
  const names = await exportsByName(index);
  await writeFile(index, lazyIndex(folder, names));
  const { metafile } = await build({
    entryPoints: [index], outfile: index, allowOverwrite: true, bundle: true, format: 'cjs', platform: 'node', target: 'node20', packages: 'external',
    legalComments: 'none', logLevel: 'warning', metafile: true, plugins: [inlinePrograms()],
  });
  // Node finds the names that an ES module may import by reading the text, where the joined file has none.
  await appendFile(index, `0 && (module.exports = { ${[...names.keys()].join(', ')} });\n`);
  await Promise.all(compiled.map((file) => rm(path.join(folder, file))));
  return { bytes: Object.values(metafile.outputs)[0].bytes, files: Object.keys(metafile.inputs).length };
}

/** Files that export something, by the names of what they export: those that an index re-exports, and those that their indexes do. */
async function exportsByName(index) {
  const require = createRequire(index);
  const exported = [...(await readFile(index, 'utf8')).matchAll(/^__exportStar\(require\("([^"]+)"\), exports\);$/gm)].map(([, file]) => require.resolve(file));
  if (exported.length === 0) {
    return new Map(Object.keys(require(index)).map((name) => [name, index]));
  }
  const found = await Promise.all(exported.map(exportsByName));
  return new Map(found.flatMap((names) => [...names]));
}

function lazyIndex(folder, names) {
  const lines = [...names].map(([name, file]) => `lazy('${name}', () => require('./${path.relative(folder, file).replaceAll(path.sep, '/')}'));`);
  return [
    "'use strict';",
    "Object.defineProperty(exports, '__esModule', { value: true });",
    'const lazy = (name, load) => Object.defineProperty(exports, name, { enumerable: true, configurable: true, get: () => load()[name] });',
    ...lines,
    '',
  ].join('\n');
}
