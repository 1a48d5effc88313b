/**
 * Makes one file of the library's many, because reading six hundred files takes longer than synthesizing a hundred jobs.
 *
 * The file takes the place of index.js, and the others go: two copies of a class would be two classes. It is made of jsii's output and not of the
 * sources, because jsii writes the names into it by which other languages know its classes.
 *
 * What it exports is loaded when it is first asked for, and so is what one file uses of another: a program with one training job reads nothing of
 * Spark. Each submodule has a small file of its own beside index.js, for `trainyard/FOLDER`.
 */
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
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
  const submodules = await submodulesOf(index);
  const names = await exportsByName(index);
  await Promise.all(compiled.map((file) => path.join(folder, file)).map(async (file) => writeFile(file, withLazyImports(await readFile(file, 'utf8')))));
  await writeFile(index, lazyIndex(folder, names, submodules));
  const { metafile, outputFiles: [{ text }] } = await build({
    entryPoints: [index], outfile: index, write: false, bundle: true, format: 'cjs', platform: 'node', target: 'node20', packages: 'external',
    legalComments: 'none', logLevel: 'warning', metafile: true, plugins: [inlinePrograms()],
  });
  await writeFile(index, `${text}${exportsForModules([...names.keys(), ...submodules.map(({ name }) => name)])}`);
  await Promise.all(submodules.map((submodule) => writeFile(path.join(folder, `${path.basename(path.dirname(submodule.file))}.js`),
    submoduleFile(submodule.name, [...submodule.names.keys()]))));
  await Promise.all(compiled.map((file) => rm(path.join(folder, file))));
  return { bytes: Buffer.byteLength(text), files: Object.keys(metafile.inputs).length };
}

/** The file beside index.js by which a submodule is found. */
export function submoduleFile(name, names) {
  return `'use strict';\nmodule.exports = require('./index.js').${name};\n${exportsForModules(names)}`;
}

/** Node finds the names that an ES module may import by reading the text, where the joined file has none. */
function exportsForModules(names) {
  return `0 && (module.exports = { ${names.join(', ')} });\n`;
}

/**
 * A compiled file whose imports of other files of ours are read at their first use. What the compiler writes for `import { name } from './file'` is
 * `const file_1 = require("./file");`, and `file_1.name` wherever the name is used. Calls that read programs are left to {@link inlinePrograms}.
 */
export function withLazyImports(text) {
  const files = new Map([...text.matchAll(/^const (\w+_\d+) = require\("(\.[^"]+)"\);$/gm)].map(([, name, file]) => [name, file])
    .filter(([, file]) => !/program-text$/.test(file)));
  return text.replace(/\b(?:const )?(\w+_\d+)\b( = require\("\.[^"]+"\);)?(\.?)/g, (written, name, statement, dot) => {
    const file = files.get(name);
    if (file === undefined) {
      return written;
    }
    if (statement === undefined && dot === '') {
      throw new Error(`cannot read ${file} at its first use: ${name} is used without the name of an export.`);
    }
    return statement === undefined ? `(${name} ??= require("${file}")).` : `let ${name};`;
  });
}

/** What an index exports under one name each, with the files that export something in it. */
async function submodulesOf(index) {
  const require = createRequire(index);
  const found = [...(await readFile(index, 'utf8')).matchAll(/^exports\.(\w+) = __importStar\(require\("([^"]+)"\)\);$/gm)];
  return Promise.all(found.map(async ([, name, specifier]) => {
    const file = require.resolve(specifier);
    return { name, file, names: await exportsByName(file) };
  }));
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

function lazyIndex(folder, names, submodules) {
  const lazy = (target, found) => [...found].map(([name, file]) => `lazy(${target}, '${name}', () => require('./${path.relative(folder, file).replaceAll(path.sep, '/')}'));`);
  return [
    "'use strict';",
    'const lazy = (target, name, load) => Object.defineProperty(target, name, { enumerable: true, configurable: true, get: () => load()[name] });',
    "const isModule = (target) => Object.defineProperty(target, '__esModule', { value: true });",
    'isModule(exports);',
    ...lazy('exports', names),
    ...submodules.flatMap(({ name, names: own }) => [`exports.${name} = isModule({});`, ...lazy(`exports.${name}`, own)]),
    '',
  ].join('\n');
}
