import { existsSync, readFileSync } from 'node:fs';
import * as path from 'node:path';

/** The bundle that `npm run bundle` writes and the package ships. */
const OPERATOR_BUNDLE_FILE = path.join(packageFolder(__dirname), 'assets', 'operator.mjs.br');

/** The package that a folder belongs to: this file is alone in the sources and a part of `lib/index.js` in the package. */
function packageFolder(folder: string): string {
  const above = path.dirname(folder);
  return above === folder || existsSync(path.join(folder, 'package.json')) ? folder : packageFolder(above);
}

/**
 * Reads the operator's code as one ES module, compressed with brotli.
 * @throws Error when the file is missing, with what to do
 */
export function readOperatorBundle(file: string = OPERATOR_BUNDLE_FILE): Uint8Array {
  try {
    return readFileSync(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') {
      throw error;
    }
    throw new Error(`TrainingOperator: the operator's code is missing: there is no ${path.basename(path.dirname(file))}/${path.basename(file)} `
      + 'in the package. In a clone of the repository, run: npm run bundle', { cause: error });
  }
}
