/**
 * The operator's code as a ConfigMap: the bundle, compressed, and a few lines that unpack and start it on a stock Node.js image. The name
 * carries a hash of both, so that a new bundle rolls the Deployment while pods of the old one keep what they mounted.
 */
import { createHash } from 'node:crypto';
import { OPERATOR_NAME } from './settings';
import type { Manifest } from '../kubernetes';

/** Folder that the ConfigMap is mounted at. */
export const CODE_PATH = '/opt/trainyard';

/** Folder that the bundle is unpacked to: the one that a read-only container can write to. */
export const SCRATCH_PATH = '/tmp';

/** Name of the module that the container starts. */
export const BOOTSTRAP_KEY = 'bootstrap.mjs';

/** Name of the compressed bundle. */
export const BUNDLE_KEY = 'operator.mjs.br';

/**
 * Most bytes of a bundle: 700 KiB, which base64 makes 934 KiB. An object may have 1 MiB, and a little more than the bundle is in it.
 */
export const BUNDLE_MAX_BYTES = 700 * 1024;

/** As a file, not from memory: the bundle's own `require` needs a place to start from. */
const BOOTSTRAP = `import { readFileSync, writeFileSync } from 'node:fs';
import { brotliDecompressSync } from 'node:zlib';

const code = brotliDecompressSync(readFileSync('${CODE_PATH}/${BUNDLE_KEY}'));
writeFileSync('${SCRATCH_PATH}/operator.mjs', code);
await import('file://${SCRATCH_PATH}/operator.mjs');
`;

/** The code in the form that it is installed in. */
export interface OperatorCode {
  readonly configMap: Manifest;
  /** First 12 hexadecimal digits of a SHA-256 of what the ConfigMap holds. */
  readonly hash: string;
}

/**
 * Builds the ConfigMap.
 * @param bundle the operator as one ES module, compressed with brotli
 * @throws Error when the bundle is too big for an object of the API
 */
export function constructOperatorCode(bundle: Uint8Array, namespace: string): OperatorCode {
  if (bundle.length > BUNDLE_MAX_BYTES) {
    throw new Error(`The operator's code: the compressed bundle has ${bundle.length} bytes, and a ConfigMap has room for ${BUNDLE_MAX_BYTES}. `
      + 'Give TrainingOperator an image that holds the code.');
  }
  const hash = createHash('sha256').update(BOOTSTRAP).update(bundle).digest('hex').slice(0, 12);
  const configMap = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: `${OPERATOR_NAME}-code-${hash}`, namespace },
    immutable: true,
    data: { [BOOTSTRAP_KEY]: BOOTSTRAP },
    binaryData: { [BUNDLE_KEY]: Buffer.from(bundle).toString('base64') },
  };
  return { configMap, hash };
}
