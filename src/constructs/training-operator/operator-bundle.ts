import { readFileSync } from 'node:fs';
import * as path from 'node:path';

/** The bundle that `npm run bundle` writes and the package ships; `src/constructs/X` and `lib/constructs/X` are equally deep. */
export const OPERATOR_BUNDLE_FILE = path.join(__dirname, '..', '..', '..', 'assets', 'operator.mjs.br');

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
