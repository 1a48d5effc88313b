/**
 * What a stranger has: an empty project as `cdk8s init typescript-app` makes it, with the package that `npm pack` makes of this repository. One
 * project serves all files of this suite; a workspace is a folder next to it with the same installed packages.
 */
import fs from 'node:fs';
import path from 'node:path';
import { mustShell } from './shell';
import { EXAMPLES } from '../../support/examples';

/** The repository. */
export const ROOT = path.join(__dirname, '..', '..', '..');

/** By these variables global-setup.ts tells tests where the project and kubectl are. */
export const PROJECT_VARIABLE = 'TRAINYARD_OUTSIDE_PROJECT';
export const KUBECTL_VARIABLE = 'TRAINYARD_OUTSIDE_KUBECTL';

/** What `cdk8s init typescript-app` copies. */
const TEMPLATE = path.join(ROOT, 'node_modules', 'cdk8s-cli', 'templates', 'typescript-app');

/** `npm install` of a project whose packages are in npm's cache already asks nobody. */
const INSTALL = 'npm install --prefer-offline --no-audit --no-fund';

/** Version of a package that is installed here. */
export function versionOf(name: string): string {
  return (JSON.parse(fs.readFileSync(path.join(ROOT, 'node_modules', name, 'package.json'), 'utf8')) as { version: string }).version;
}

/** The file of the package. */
export async function pack(folder: string): Promise<string> {
  await mustShell(`npm pack --pack-destination ${folder}`, { cwd: ROOT, timeoutMs: 900_000 });
  const [file] = fs.readdirSync(folder).filter((name) => name.endsWith('.tgz'));
  return path.join(folder, file);
}

/** Does what `cdk8s init typescript-app` does, but for what it imports from the network. */
export function initialize(folder: string): void {
  const values: { readonly [name: string]: string } = {
    $base: path.basename(folder),
    cdk8s_core_version: versionOf('cdk8s'),
    cdk8s_plus_version: versionOf('cdk8s-plus-33'),
    constructs_version: versionOf('constructs'),
    cdk8s_cli_spec: `^${versionOf('cdk8s-cli')}`,
  };
  fs.mkdirSync(folder, { recursive: true });
  for (const entry of fs.readdirSync(TEMPLATE, { withFileTypes: true }).filter(({ name }) => !name.startsWith('.hooks'))) {
    const file = path.join(TEMPLATE, entry.name);
    // An empty name keeps npm from reading the file as its own.
    const target = path.join(folder, entry.name.replace('{{}}', ''));
    if (entry.isFile()) {
      fs.writeFileSync(target, fs.readFileSync(file, 'utf8').replace(/\{\{ (\S+) \}\}/g, (_all, name: string) => values[name]));
    } else {
      fs.cpSync(file, target, { recursive: true });
    }
  }
}

/** Makes the project in a folder and installs the package, and tsx, with which the pages start programs. */
export async function makeProject(folder: string, tarball: string): Promise<void> {
  initialize(folder);
  await mustShell(`${INSTALL} ${tarball}`, { cwd: folder, timeoutMs: 900_000 });
  await mustShell(`${INSTALL} --save-dev tsx@${versionOf('tsx')}`, { cwd: folder, timeoutMs: 900_000 });
}

/** What `npm pack` has made: next to the project. */
export function packedFile(): string {
  const folder = path.dirname(project());
  return path.join(folder, fs.readdirSync(folder).find((name) => name.endsWith('.tgz'))!);
}

/** The project. @throws Error outside jest's project "outside" */
export function project(): string {
  const folder = process.env[PROJECT_VARIABLE];
  if (folder === undefined) {
    throw new Error(`${PROJECT_VARIABLE} is not set: run this test in jest's project "outside" (npm run test:outside), whose set-up installs the package.`);
  }
  return folder;
}

/**
 * A folder with the project's settings and packages, and a copy of examples/, for the commands of one page.
 *
 * @param name of the folder, which a page may show
 */
export function makeWorkspace(name: string): string {
  const parent = path.join(path.dirname(project()), 'workspaces');
  fs.mkdirSync(parent, { recursive: true });
  const folder = fs.mkdtempSync(path.join(parent, `${name.replace(/\W+/g, '-')}-`));
  for (const file of ['package.json', 'cdk8s.yaml', 'tsconfig.json']) {
    fs.copyFileSync(path.join(project(), file), path.join(folder, file));
  }
  // A folder with a link to each package: what looks into a project expects a folder there.
  fs.mkdirSync(path.join(folder, 'node_modules'));
  for (const entry of fs.readdirSync(path.join(project(), 'node_modules'))) {
    fs.symlinkSync(path.join(project(), 'node_modules', entry), path.join(folder, 'node_modules', entry));
  }
  fs.cpSync(EXAMPLES, path.join(folder, 'examples'), { recursive: true });
  return folder;
}
