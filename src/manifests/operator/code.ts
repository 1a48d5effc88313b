/**
 * The operator's code as ConfigMaps: the bundle, compressed and split, and a few lines that join, unpack and start it on a stock Node.js image. The
 * names carry a hash of all of it, so that a new bundle rolls the Deployment while pods of the old one keep what they mounted.
 */
import { createHash } from 'node:crypto';
import { OPERATOR_CODE_HASH, OPERATOR_LABELS, OPERATOR_NAME } from './settings';
import { binaryDataParts } from '../config-map-parts';
import type { Manifest } from '../kubernetes';

/** Folder that the ConfigMaps are mounted at. */
export const CODE_PATH = '/opt/trainyard';

/** Folder that the bundle is unpacked to: the one that a read-only container can write to. */
export const SCRATCH_PATH = '/tmp';

/** Name of the module that the container starts; the first ConfigMap has it. */
export const BOOTSTRAP_KEY = 'bootstrap.mjs';

/** Name of the compressed bundle; `.0`, `.1` and so on follow it. */
const BUNDLE_KEY = 'operator.mjs.br';

/**
 * The parts are next to the module: a volume shows the files of all its ConfigMaps at once, in one folder. The bundle is imported as a file, not from
 * memory: its own `require` needs a place to start from.
 */
const bootstrap = (parts: number) => `import { readFileSync, writeFileSync } from 'node:fs';
import { brotliDecompressSync } from 'node:zlib';

const parts = Array.from({ length: ${parts} }, (_, part) => readFileSync(new URL(\`${BUNDLE_KEY}.\${part}\`, import.meta.url)));
writeFileSync('${SCRATCH_PATH}/operator.mjs', brotliDecompressSync(Buffer.concat(parts)));
await import('file://${SCRATCH_PATH}/operator.mjs');
`;

/** The code in the form that it is installed in. */
export interface OperatorCode {
  /** All of them in one folder are the code. */
  readonly configMaps: readonly Manifest[];
  /** First 12 hexadecimal digits of a SHA-256 of what the ConfigMaps hold. */
  readonly hash: string;
}

/**
 * Constructs the ConfigMaps.
 * @param bundle the operator as one ES module, compressed with brotli
 */
export function constructOperatorCode(bundle: Uint8Array, namespace: string): OperatorCode {
  const parts = binaryDataParts(BUNDLE_KEY, bundle);
  const program = bootstrap(parts.length);
  const hash = createHash('sha256').update(program).update(bundle).digest('hex').slice(0, 12);
  const configMaps = parts.map((binaryData, part) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: `${OPERATOR_NAME}-code-${hash}-${part}`, namespace, labels: { ...OPERATOR_LABELS, [OPERATOR_CODE_HASH]: hash } },
    immutable: true,
    ...(part === 0 && { data: { [BOOTSTRAP_KEY]: program } }),
    binaryData,
  }));
  return { configMaps, hash };
}
