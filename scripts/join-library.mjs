/**
 * Makes one file of the library's many, because reading six hundred files takes longer than synthesizing a hundred jobs.
 *
 * The file takes the place of index.js, and the others go: two copies of a class would be two classes. It is made of jsii's output and not of the
 * sources, because jsii writes the names into it by which other languages know its classes.
 */
import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { build } from 'esbuild';

/**
 * Joins the compiled files of a folder, if there are any.
 * @param folder with index.js and the folders model, manifests and constructs
 * @returns the size of the file and the number of files that it is made of; undefined where nothing was to be joined
 */
export async function joinLibrary(folder) {
  const compiled = (await readdir(folder, { recursive: true }).catch(() => []))
    .filter((file) => /^(model|manifests|constructs)\/.*\.js$/.test(file.replaceAll(path.sep, '/')));
  if (compiled.length === 0) {
    return undefined;
  }
  const index = path.join(folder, 'index.js');
  const { metafile } = await build({
    entryPoints: [index], outfile: index, allowOverwrite: true, bundle: true, format: 'cjs', platform: 'node', target: 'node20', packages: 'external',
    legalComments: 'none', logLevel: 'warning', metafile: true,
  });
  await Promise.all(compiled.map((file) => rm(path.join(folder, file))));
  return { bytes: Object.values(metafile.outputs)[0].bytes, files: Object.keys(metafile.inputs).length };
}
