/** The version and the package's folder. */
import fs from 'node:fs';
import path from 'node:path';
import { Command } from 'commander';

/** The package's folder, above the running file: `lib/cli/` once bundled, `src/cli/` before. */
export const PACKAGE_FOLDER = path.join(__dirname, '..', '..');

/** The bundled operator. A clone has none before the first build. */
export const OPERATOR_PROGRAM = path.join(PACKAGE_FOLDER, 'assets', 'operator.mjs.br');

export function packageVersion(): string {
  const file = path.join(PACKAGE_FOLDER, 'package.json');
  return (JSON.parse(fs.readFileSync(file, 'utf8')) as { version: string }).version;
}

export function versionCommand(): Command {
  return new Command('version')
    .description('print the version')
    .action(() => console.log(`trainyard ${packageVersion()} (Node.js ${process.versions.node})`));
}
