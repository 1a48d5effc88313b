import { bundleFile, readBundle } from '../rendering/node-program';

/**
 * Reads the operator's code as one ES module, compressed with brotli.
 * @throws Error when the file is missing, with what to do
 */
export function readOperatorBundle(file: string = bundleFile('operator.mjs.br')): Uint8Array {
  return readBundle('TrainingOperator', 'the operator', file);
}
