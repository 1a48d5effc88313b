/**
 * Bundles the plain-TypeScript parts with esbuild:
 *   src/operator/training/main.ts -> assets/operator.mjs, and brotli-compressed assets/operator.mjs.br, which TrainingOperator carries
 *   src/cli/main.ts               -> lib/cli/trainyard.mjs, and beside it trainyard-*.mjs, of which each command reads its own
 *   src/ui/main.tsx               -> assets/ui: the pages of `trainyard ui`
 *   src/cli/ui/dashboard/main.ts  -> assets/dashboard.mjs(.br): the dashboard of a cluster, with those pages inside, which TrainyardDashboard carries
 *   src/operator/notifier/main.ts -> assets/notifier.mjs(.br), which TrainyardNotifier carries
 *   src/stacks/index.ts           -> lib/stacks/index.js, with declarations: the subpath `trainyard/stacks`, CommonJS as Pulumi programs are
 *   src/index.ts                  -> .trainyard/library/index.js, one file for apps that tests start by the dozen,
 *                                    with one beside it for each submodule; never packed
 * and joins what jsii compiled, if it did, into lib/index.js (join-library.mjs).
 * The same sources give the same bytes, because the operator's hash stands in the pod template. Standard output is left to `npm pack --json`.
 */
import { existsSync } from 'node:fs';
import { copyFile, mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants } from 'node:zlib';
import { build } from 'esbuild';
import { inlinePrograms } from './inline-programs.mjs';
import { joinLibrary, submoduleFile } from './join-library.mjs';
import { submodulesIn } from './submodules.cjs';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

// CommonJS packages inside an ES module still call require and read __dirname; esbuild leaves both to the platform.
const COMMONJS_GLOBALS = [
  "import { createRequire as __createRequire } from 'node:module';",
  "import { fileURLToPath as __fileURLToPath } from 'node:url';",
  "import { dirname as __pathDirname } from 'node:path';",
  'const require = __createRequire(import.meta.url);',
  'const __filename = __fileURLToPath(import.meta.url);',
  'const __dirname = __pathDirname(__filename);',
].join('\n');

const SHARED = {
  absWorkingDir: root,
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  // ES modules first: what is not used is then left out.
  mainFields: ['module', 'main'],
  banner: { js: COMMONJS_GLOBALS },
  legalComments: 'none',
  logLevel: 'warning',
  plugins: [inlinePrograms()],
};

const BUNDLES = [
  {
    entry: 'src/operator/training/main.ts',
    outfile: 'assets/operator.mjs',
    options: { minify: true },
    compress: true,
  },
  {
    entry: 'src/cli/main.ts',
    outfile: 'lib/cli/trainyard.mjs',
    options: { sourcemap: true, sourcesContent: false },
    compress: false,
    // Commands are read when they are needed, from files beside it.
    splitting: true,
  },
  {
    entry: 'src/ui/main.tsx',
    outfile: 'assets/ui/main.js',
    options: { platform: 'browser', banner: {}, minify: true, jsx: 'automatic', jsxImportSource: 'preact', target: 'es2022' },
    compress: false,
    copied: ['src/ui/index.html'],
  },
  {
    entry: 'src/cli/ui/dashboard/main.ts',
    outfile: 'assets/dashboard.mjs',
    options: { minify: true },
    compress: true,
    // After those of assets/ui.
    pages: 'assets/ui',
  },
  {
    entry: 'src/operator/notifier/main.ts',
    outfile: 'assets/notifier.mjs',
    options: { minify: true },
    compress: true,
  },
  {
    entry: 'src/stacks/index.ts',
    outfile: 'lib/stacks/index.js',
    // Pulumi is the user's own, and resources are the same class only if the package is the same.
    options: { format: 'cjs', banner: {}, external: ['@pulumi/*', 'cdk8s', 'constructs'], sourcemap: true, sourcesContent: false },
    compress: false,
    declarations: true,
  },
  {
    entry: 'src/index.ts',
    outfile: '.trainyard/library/index.js',
    options: { format: 'cjs', banner: {}, packages: 'external', sourcemap: true, sourcesContent: false },
    compress: false,
    submodules: true,
  },
];

/** `364.2 KiB` for a number of bytes. */
function kibibytes(bytes) {
  return `${(bytes / 1024).toFixed(1)} KiB`;
}

/** Writes FILE.br beside FILE and returns its size in bytes. */
async function compress(file) {
  const content = await readFile(file);
  const compressed = brotliCompressSync(content, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
      [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
      [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
    },
  });
  await writeFile(`${file}.br`, compressed);
  return compressed.length;
}

/**
 * Writes the declarations of every file of a folder of src/ beside its bundle. Each file by itself, which exported types that are all written down
 * make possible, and which takes no time; what is imported from other folders has its declarations from jsii.
 */
async function declare(folder) {
  const { default: ts } = await import('typescript');
  const compilerOptions = { declaration: true, isolatedDeclarations: true, target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext };
  const files = (await readdir(path.join(root, 'src', folder), { recursive: true })).filter((file) => file.endsWith('.ts'));
  for (const file of files) {
    const fileName = path.join(root, 'src', folder, file);
    const { outputText, diagnostics } = ts.transpileDeclaration(await readFile(fileName, 'utf8'), { fileName, compilerOptions, reportDiagnostics: true });
    if (diagnostics?.length > 0) {
      throw new Error(`bundle: src/${folder}/${file}: ${diagnostics.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' ')).join('; ')}`);
    }
    const outfile = path.join(root, 'lib', folder, file.replace(/\.ts$/, '.d.ts'));
    await mkdir(path.dirname(outfile), { recursive: true });
    await writeFile(outfile, outputText);
  }
  return files.length;
}

/** Where esbuild writes a bundle. Parts are called after their contents, so those of other sources go. */
async function placeOf({ outfile, splitting }) {
  if (!splitting) {
    return { outfile };
  }
  const { dir, name, ext } = path.posix.parse(outfile);
  const written = await readdir(path.join(root, dir));
  await Promise.all(written.filter((file) => file.startsWith(`${name}-`)).map((file) => rm(path.join(root, dir, file))));
  return { splitting: true, outdir: dir, entryNames: name, chunkNames: `${name}-[hash]`, outExtension: { '.js': ext } };
}

/** What the dashboard's bundle has in place of names: its pages, and the version. */
async function pagesIn(folder) {
  const names = (await readdir(path.join(root, folder))).filter((name) => /\.(html|js|css)$/.test(name)).sort();
  const texts = await Promise.all(names.map((name) => readFile(path.join(root, folder, name), 'utf8')));
  const { version } = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8'));
  return {
    DASHBOARD_PAGES: JSON.stringify(Object.fromEntries(names.map((name, index) => [name, texts[index]]))),
    DASHBOARD_VERSION: JSON.stringify(version),
  };
}

/** Writes a file beside a bundle of src/index.ts for each of its submodules. */
async function writeSubmodules(outfile) {
  const index = await readFile(path.join(root, 'src', 'index.ts'), 'utf8');
  await Promise.all(submodulesIn(index).map(async ({ name, folder }) => (
    writeFile(path.join(path.dirname(outfile), `${folder}.js`), submoduleFile(name, Object.keys(createRequire(outfile)('./index.js')[name])))
  )));
}

const joined = await joinLibrary(path.join(root, 'lib'));
if (joined !== undefined) {
  console.error(`bundle: lib/index.js ${kibibytes(joined.bytes)}, of ${joined.files} files`);
}
for (const bundle of BUNDLES) {
  if (!existsSync(path.join(root, bundle.entry))) {
    console.error(`bundle: skipped ${bundle.outfile}: ${bundle.entry} does not exist`);
    continue;
  }
  const outfile = path.join(root, bundle.outfile);
  await mkdir(path.dirname(outfile), { recursive: true });
  const define = bundle.pages && await pagesIn(bundle.pages);
  const result = await build({
    ...SHARED, ...bundle.options, entryPoints: [bundle.entry], ...await placeOf(bundle), ...(define && { define }), metafile: true,
  });
  if (bundle.submodules) {
    await writeSubmodules(outfile);
  }
  await Promise.all((bundle.copied ?? []).map((file) => copyFile(path.join(root, file), path.join(path.dirname(outfile), path.basename(file)))));
  const size = Object.entries(result.metafile.outputs).reduce((sum, [file, { bytes }]) => sum + (file.endsWith('.map') ? 0 : bytes), 0);
  const compressed = bundle.compress ? `, ${kibibytes(await compress(outfile))} with brotli` : '';
  const declared = bundle.declarations ? `, declarations of ${await declare(path.basename(path.dirname(bundle.entry)))} files` : '';
  console.error(`bundle: ${bundle.outfile} ${kibibytes(size)}${compressed}${declared}`);
}
